// `longcode brand …`, `campaign …`, `message …`, `optout …`, and `webhook …` of a customer, run as programs.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { commandStage, runCommand } from './run-command.js'

const BRAND = {
  'entity-type': 'PRIVATE_PROFIT',
  'entity-name': 'Acme Coffee LLC',
  ein: '12-3456789',
  website: 'https://acme.example',
  street: '1 Market St',
  city: 'San Francisco',
  state: 'CA',
  'postal-code': '94105',
  country: 'US',
  'first-name': 'Ana',
  'last-name': 'Diaz',
  email: 'ana@acme.example',
  phone: '+14155550123',
}
const flagsOf = (fields: object) =>
  Object.entries(fields).flatMap(([name, value]) => [`--${name}`, String(value)])

test('brand create, list, and show register a brand and show it', async (t) => {
  const stage = await commandStage(t)
  const created = await stage.run('brand', 'create', ...flagsOf(BRAND))
  assert.match(created.out, /^brd_\w+ is PENDING\.\n$/, created.err)
  const id = created.out.split(' ')[0]!
  const [list, shown, missing, refused] = await Promise.all([
    stage.run('brand', 'list', '--status', 'PENDING'),
    stage.run('brand', 'show', id),
    stage.run('brand', 'create', '--ein', '12-3456789'),
    stage.run('brand', 'create', ...flagsOf({ ...BRAND, ein: 'none' })),
  ])
  assert.match(list.out, new RegExp(`^ID +STATUS +DISPLAY NAME .*\n${id} +PENDING`))
  assert.match(shown.out, /^entityName +Acme Coffee LLC$/m)
  assert.match(shown.out, /^address\.city +San Francisco$/m)
  assert.equal(missing.code, 2)
  assert.match(missing.err, /required option '--entity-type <type>' not specified/)
  assert.equal(refused.code, 1)
  assert.match(refused.err, /^ein /)
})

test('brand create has an option for every field of the API, and marks the required ones', async () => {
  const { components } = JSON.parse(readFileSync('openapi.json', 'utf8'))
  const { properties, required } = components.schemas.CreateBrandBody
  const { out } = await runCommand(['brand', 'create', '--help'])
  for (const field of Object.keys(properties)) {
    if (field.includes(' ')) continue // the name printed in the contract means website
    const flag = `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const text = new RegExp(`^ +${flag} <[\\s\\S]*?(?=\n +--)`, 'm').exec(out)?.[0]
    assert.ok(text, `${flag} is missing`)
    assert.equal(text.includes('(required)'), required.includes(field), flag)
  }
})

test('campaign create checks, creates, lists, and shows a campaign', async (t) => {
  const stage = await commandStage(t)
  const { id: brand } = await stage.runJson('brand', 'create', ...flagsOf(BRAND))
  const fields = flagsOf({
    brand,
    usecase: 'CUSTOMER_CARE',
    description: 'Replies to questions that guests of Acme Coffee send us by text message.',
    'consent-flow': 'Guests text us first. The number is on the menu, with the terms and STOP.',
    'display-name': 'Care',
    'optin-keywords': 'START, JOIN',
  })
  const samples = ['One', 'Two'].flatMap((text) => [
    '--sample',
    `Acme: ${text}. Reply STOP to end.`,
  ])
  const checked = await stage.run('campaign', 'create', ...fields, ...samples, '--check')
  assert.equal(checked.out, 'All fields are valid. Nothing was created.\n', checked.err)
  assert.deepEqual(await stage.runJson('campaign', 'list'), [])
  const made = await stage.runJson('campaign', 'create', ...fields, ...samples)
  assert.equal(made.status, 'PENDING')
  const [list, shown] = await Promise.all([
    stage.run('campaign', 'list', '--brand', brand),
    stage.run('campaign', 'show', made.id),
  ])
  assert.match(list.out, new RegExp(`\n${made.id} +PENDING +Care +CUSTOMER_CARE +${brand}`))
  assert.match(shown.out, /sample2 +Acme: Two\. Reply STOP to end\./)
})

test('message list, show, and timeline follow a message', async (t) => {
  const stage = await commandStage(t, { roles: ['dispatch'] })
  const { campaignId } = await activeCampaign(stage)
  await buyNumber(stage, campaignId)
  const to = '+14155550101'
  const sent = await stage.run(
    'send',
    '--campaign',
    campaignId,
    '--to',
    to,
    '--body',
    'Hi',
    '--wait',
  )
  const id = sent.out.split(' ')[0]!
  const [list, none, shown, timeline, json, late] = await Promise.all([
    stage.run('message', 'list', '--campaign', campaignId, '--number', to),
    stage.runJson('message', 'list', '--campaign', campaignId, '--status', 'FAILED'),
    stage.run('message', 'show', id),
    stage.run('message', 'timeline', id),
    stage.runJson('message', 'timeline', id),
    stage.run('message', 'cancel', id),
  ])
  assert.match(
    list.out,
    new RegExp(`\n${id} +\\S+Z +OUTBOUND +\\+1\\d+ +\\${to} +DELIVERED +- +Hi\n`),
  )
  assert.deepEqual(none, [])
  assert.match(shown.out, /^status +DELIVERED$/m)
  assert.equal(timeline.out.trimEnd().split('\n').length, json.length)
  assert.match(timeline.out, /^\S+Z {2}\S.*\n/)
  assert.equal(late.code, 1)
})

test('optout add, list, show, and remove manage opt-outs of a campaign', async (t) => {
  const stage = await commandStage(t)
  const { campaignId } = await activeCampaign(stage)
  const number = '+14155550199'
  const add = await stage.run('optout', 'add', campaignId, number, '--reason', 'by mail')
  assert.equal(add.out, `${number} is opted out.\n`, add.err)
  const list = await stage.run('optout', 'list', campaignId)
  assert.match(list.out, /^RECIPIENT +OPTED OUT AT .*\n\+14155550199 .*by mail/)
  const remove = await stage.run('optout', 'remove', campaignId, number, '--reason', 'consent')
  assert.equal(remove.out, `${number} is opted in again.\n`, remove.err)
  const changes = await stage.runJson('optout', 'show', campaignId, number)
  assert.deepEqual(changes.map(({ reason }: { reason: string }) => reason).sort(), [
    'by mail',
    'consent',
  ])
})

test('webhook create, change, test, disable, enable, and delete manage a webhook', async (t) => {
  const stage = await commandStage(t)
  const { campaignId } = await activeCampaign(stage)
  const endpoint = 'http://127.0.0.1:9/hook'
  const made = await stage.runJson('webhook', 'create', campaignId, endpoint)
  assert.deepEqual(made.eventTypes, ['message.incoming', 'message.status'])
  assert.match(made.secret, /^whsec_/)
  const { id } = made
  const changed = await stage.runJson('webhook', 'change', id, '--events', 'message.status')
  assert.deepEqual(changed.eventTypes, ['message.status'])
  const test = await stage.run('webhook', 'test', id)
  assert.match(test.out, /^\w+ pending\n$/, test.err)
  const deliveries = await stage.runJson('webhook', 'deliveries', id)
  assert.equal(deliveries.length, 1)
  assert.equal((await stage.run('webhook', 'disable', id)).out, `${id} is disabled.\n`)
  assert.match((await stage.run('webhook', 'list')).out, new RegExp(`\n${id} +false +${endpoint}`))
  assert.equal((await stage.run('webhook', 'enable', id)).out, `${id} is enabled.\n`)
  const rotated = await stage.runJson('webhook', 'rotate', id)
  assert.notEqual(rotated.secret, made.secret)
  assert.equal((await stage.run('webhook', 'change', id)).code, 2)
  assert.equal((await stage.run('webhook', 'delete', id)).out, `Deleted ${id}.\n`)
})
