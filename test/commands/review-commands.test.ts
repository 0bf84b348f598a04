// `longcode brand …`, `campaign …`, `price …`, `webhook …`, `optout …`, and `audit`, each run as a program.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disableWebhook } from '../../src/webhooks/disable-webhook.js'
import { newBrand, newCampaign } from '../api/campaign-bodies.js'
import { activeCampaign } from '../fixtures.js'
import { commandStage } from './run-command.js'

test('brand queue, verify, refuse, and vet review brands', async (t) => {
  const stage = await commandStage(t)
  const [good, bad] = [await newBrand(stage), await newBrand(stage)]
  const list = await stage.run('brand', 'queue')
  assert.match(
    list.out,
    new RegExp(`^ID +STATUS +DISPLAY NAME +EIN +SUBMITTED AT +ACCOUNT\n${good}`),
  )

  const [verified, refused, odd] = await Promise.all([
    stage.run('brand', 'verify', good),
    stage.runJson('brand', 'refuse', bad, '--note', 'ein=Another name', '--note', 'city=Unknown'),
    stage.run('brand', 'refuse', bad, '--note', 'hat=Red'),
  ])
  assert.equal(verified.out, `${good} is VERIFIED.\n`)
  assert.deepEqual(refused.reviewNotes, [
    { field: 'ein', note: 'Another name' },
    { field: 'city', note: 'Unknown' },
  ])
  assert.equal(odd.code, 2)
  assert.match(odd.err, /^There is no field hat\. Use one of entityType, entityName/)
  const [vetted, vettedBad] = await Promise.all([
    stage.runJson('brand', 'vet', good, '80'),
    stage.run('brand', 'vet', bad, '80'),
  ])
  assert.equal(vetted.trustScore, 80)
  assert.deepEqual(
    [vettedBad.code, vettedBad.err],
    [1, 'The brand is UNVERIFIED and cannot become VETTED\n'],
  )
})

test('campaign queue, return, approve, limits, suspend, and resume manage campaigns', async (t) => {
  const stage = await commandStage(t)
  const { id, brandId } = await newCampaign(stage)
  await stage.run('brand', 'verify', String(brandId))
  const campaign = (...args: string[]) =>
    stage.run('campaign', args[0]!, String(id), ...args.slice(1))
  const list = await stage.runJson('campaign', 'queue')
  assert.deepEqual([list.length, list[0].id, list[0].accountId], [1, id, stage.accountId])

  assert.equal((await campaign('return', '--note', 'sample1=Name it')).out, `${id} is DRAFT.\n`)
  await stage.post(`/v1/campaign/${id}/submit`)
  const approved = await campaign('approve')
  assert.equal(
    approved.out,
    `${id} is ACTIVE.\nLimits: 240 SMS/min and 150 MMS/min (AT&T), 2000 per day (T-Mobile).\n`,
  )
  const limited = await campaign('limits', '--sms-att', '75', '--tmo-day', 'none')
  assert.match(limited.out, /Limits: 75 SMS\/min and 150 MMS\/min \(AT&T\), none per day/)
  assert.equal(
    (await campaign('suspend', '--reason', 'x')).out.split('\n')[0],
    `${id} is SUSPENDED.`,
  )
  assert.equal((await campaign('resume', '--reason', 'x')).out.split('\n')[0], `${id} is ACTIVE.`)
  const automatic = await campaign('limits', '--automatic')
  assert.match(automatic.out, /Limits: 240 SMS\/min and 150 MMS\/min \(AT&T\), 2000 per day/)
  const said = await campaign('end', '--reason', 'asked')
  assert.match(
    said.out,
    /^The campaign ends immediately and cannot be restored\.[\s\S]*Add --yes to end the campaign\.\n$/,
  )
  const ended = await campaign('end', '--reason', 'asked', '--yes')
  assert.match(ended.out, /^The campaign has ended\. /)
  const twice = await campaign('approve')
  assert.equal(twice.code, 1)
})

test('price, webhook, optout, and audit commands work', async (t) => {
  const stage = await commandStage(t)
  const { campaignId } = await activeCampaign(stage)
  const hook = await stage.post(`/v1/campaign/${campaignId}/webhooks`, {
    url: 'https://example.com/hook',
    eventTypes: ['message.status'],
  })
  const { id } = hook.body.webhook
  await disableWebhook(stage.world, stage.accountId, id, 'gone')
  const [set, off, added] = await Promise.all([
    stage.run('price', 'set', 'sms', '0.0065', '--account', stage.accountId),
    stage.run('webhook', 'list', '--operator'),
    stage.run('optout', 'add', campaignId, '+14155550199', '--reason', 'by mail', '--operator'),
  ])
  assert.match(set.out, new RegExp(`^sms for ${stage.accountId}: \\$0.0065 starting `))
  assert.match(
    off.out,
    new RegExp(`${id} +https://example.com/hook +The endpoint returned 410 Gone`),
  )
  assert.equal(added.out, '+14155550199 is opted out.\n')

  const [prices, on, removed] = await Promise.all([
    stage.run('price', 'list', '--account', stage.accountId),
    stage.run('webhook', 'enable', id, '--operator'),
    stage.run('optout', 'remove', campaignId, '+14155550199', '--reason', 'consent', '--operator'),
  ])
  assert.match(
    prices.out,
    /^Current prices: SMS \$0.0065 per segment, MMS \$0.02, forwarded call \$0\nKIND +AMOUNT +EFFECTIVE AT\nsms +0.0065 /,
  )
  assert.equal(on.out, `${id} is enabled.\n`)
  assert.equal(removed.out, '+14155550199 is opted in again.\n')

  const [acts, table] = await Promise.all([
    stage.runJson('audit', '--account', stage.accountId),
    stage.run('audit', '--act', 'optout.add'),
  ])
  assert.deepEqual(acts.map(({ act }: { act: string }) => act).sort(), [
    'optout.add',
    'optout.remove',
    'price.set',
    'webhook.enable',
  ])
  assert.match(
    table.out,
    /^AT +WHO +WHERE +ACT +SUBJECT +BEFORE +AFTER\n\S+ +\S+ +\S+ +optout.add /,
  )
})
