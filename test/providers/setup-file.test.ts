// The carriers file after a setup: what is written, what stays, and what is shown if nothing can be written.

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import {
  CAMPAIGN,
  lacksOf,
  PUBLIC_KEY,
  PUBLIC_URL,
  refusalOf,
  setupStage,
  stepsOf,
} from './setup-stage.js'

const OTHER_CAMPAIGN = `cmp_${'2'.repeat(26)}`
const TELNYX = `  - name: acme\n    kind: telnyx\n    apiKey: KEY-hush\n    publicKey: ${PUBLIC_KEY}\n`
const PRETEND = '  - name: pretend # ours\n    kind: simulator\n'

test('a new link is written with what was given and found, and a second run changes nothing', async (t) => {
  const { add, file, text } = setupStage(t, 'telnyx')
  const reloads: string[] = []
  const reload = async ({ link }: { link: string }) => {
    reloads.push(link)
    return { state: 'done', text: 'Reloaded.' } as const
  }
  const first = await add({ deps: { reload } })
  assert.equal(text(), `links:\n${TELNYX}`)
  assert.deepEqual(stepsOf(first, 'file'), [`done: Wrote the link acme to ${file}.`])
  assert.deepEqual(stepsOf(first, 'check'), [`done: ${file} is valid.`])
  assert.deepEqual(stepsOf(first, 'reload'), ['done: Reloaded.'])
  assert.equal(first.yaml, null)
  assert.deepEqual(
    [first.link, first.kind, first.callbackUrl],
    [...['acme', 'telnyx', `${PUBLIC_URL}/carrier/acme`]],
  )
  const second = await add({ deps: { reload } })
  assert.deepEqual(stepsOf(second, 'file'), [`same: ${file} already has the link acme.`])
  assert.equal(text(), `links:\n${TELNYX}`)
  assert.deepEqual(reloads, ['acme', 'acme'])
})

test('only what differs is changed, and what nobody gave stays', async (t) => {
  const { add, file, text } = setupStage(t, 'telnyx')
  const own = `${TELNYX}    concurrency: 3\n`
  writeFileSync(file, `links:\n${PRETEND}${own}routes:\n  - links: [acme]\n`)
  const fields = { url: 'https://t.test' }
  const report = await add({ fields: { ...fields, apiKey: 'KEY-hush' } })
  assert.deepEqual(stepsOf(report, 'file'), [`done: Changed the link acme in ${file}: url.`])
  assert.equal(
    text(),
    `links:\n${PRETEND}${own}    url: https://t.test\nroutes:\n  - links: [acme]\n`,
  )
})

test('a secret from a variable is written as the variable, and the service needs it', async (t) => {
  const { add, file, text } = setupStage(t, 'telnyx')
  const variable = (name: string) => (name === 'TELNYX_KEY' ? 'KEY-hush' : null)
  const fields = {
    apiKey: ['KEY-hush', 'TELNYX_KEY'],
    publicKey: [PUBLIC_KEY, 'TELNYX_PUBLIC_KEY'],
  } as const
  const report = await add({ fields, source: { variable } })
  assert.equal(text(), `links:\n${TELNYX.replace('KEY-hush', '$' + '{TELNYX_KEY}')}`)
  const needs = 'The service needs TELNYX_KEY in its environment.'
  assert.deepEqual(stepsOf(report, 'file'), [`done: Wrote the link acme to ${file}. ${needs}`])
  const same = await add({ fields, source: { variable } })
  assert.deepEqual(stepsOf(same, 'file'), [`same: ${file} already has the link acme.`])
  const url = { ...fields, url: 'https://t.test' }
  const changed = await add({ fields: url, source: { variable } })
  assert.deepEqual(stepsOf(changed, 'file'), [`done: Changed the link acme in ${file}: url.`])
})

test('a value that looks like a variable is written as it is', async (t) => {
  const { add, text } = setupStage(t, 'bandwidth')
  const password = 'hush-$' + '{HOME}-hush'
  const fields = { callbackPassword: password }
  await add({ fields })
  assert.ok(text()!.includes('hush-$$' + '{HOME}-hush'))
  assert.match(stepsOf(await add({ fields }), 'file')[0]!, /^same: /)
})

test('the container of a campaign is written next to those of other campaigns', async (t) => {
  const telnyx = setupStage(t, 'telnyx')
  for (const campaign of [CAMPAIGN, OTHER_CAMPAIGN]) await telnyx.add({ request: { campaign } })
  const profiles = `    profiles:\n      ${CAMPAIGN}: c-1\n      ${OTHER_CAMPAIGN}: c-1\n`
  assert.equal(telnyx.text(), `links:\n${TELNYX}${profiles}`)

  // An application for the other campaigns is required, so the first one serves both.
  const ids = ['a-1', 'a-2', 'a-3']
  const bandwidth = setupStage(t, 'bandwidth', { createContainer: async () => ids.shift()! })
  const lines = () =>
    bandwidth
      .text()!
      .split('\n')
      .filter((line) => /application|cmp_/.test(line))
  await bandwidth.add({ request: { campaign: CAMPAIGN } })
  assert.deepEqual(lines(), ['    application: a-1', '    applications:', `      ${CAMPAIGN}: a-1`])
  await bandwidth.add({ request: { campaign: OTHER_CAMPAIGN } })
  assert.deepEqual(lines(), [
    '    application: a-1',
    '    applications:',
    `      ${CAMPAIGN}: a-1`,
    `      ${OTHER_CAMPAIGN}: a-2`,
  ])
  await bandwidth.add()
  assert.equal(lines()[0], '    application: a-3')
})

test('numbers get their price and place, and registration its mode: what was there stays', async (t) => {
  const { add, text } = setupStage(t, 'bandwidth')
  const place = { siteId: '11', locationId: '22' }
  await add({ fields: place })
  assert.doesNotMatch(text()!, /siteId|numbers/, 'a place alone sells nothing')
  await add({ fields: place, request: { monthlyPrice: 2 } })
  const numbers = () => text()!.slice(text()!.indexOf('    numbers:')).replaceAll('"', '')
  const written = (price: number, siteId: string) =>
    `    numbers:\n      monthlyPrice: ${price}\n      siteId: ${siteId}\n      locationId: 22\n`
  assert.equal(numbers(), written(2, '11'))
  await add({ request: { monthlyPrice: 3.5 } })
  assert.equal(numbers(), written(3.5, '11'))
  await add({ fields: { siteId: '12' }, request: { monthlyPrice: 3.5 } })
  assert.equal(numbers(), written(3.5, '12'))

  const telnyx = setupStage(t, 'telnyx')
  const registration = () => telnyx.text()!.slice(telnyx.text()!.indexOf('    registration:'))
  await telnyx.add({ request: { registration: { vertical: null, isMock: true } } })
  assert.equal(registration(), '    registration:\n      mock: true\n')
  await telnyx.add({ request: { registration: { vertical: 'RETAIL', isMock: false } } })
  assert.equal(registration(), '    registration:\n      mock: false\n      vertical: RETAIL\n')
  await telnyx.add({ request: { registration: { vertical: null, isMock: false } } })
  assert.equal(registration(), '    registration:\n      mock: false\n      vertical: RETAIL\n')
})

test('a link that no route uses, or that another precedes, is reported', async (t) => {
  const lacks = async (before: string) => {
    const { add, file } = setupStage(t, 'telnyx')
    if (before !== '') writeFileSync(file, before)
    return { file, lacks: lacksOf(await add(), 'route') }
  }
  const route = (link: string) => `routes:\n  - links: [${link}]\n`
  for (const fine of [
    '',
    `links:\n${TELNYX}${PRETEND}`,
    `links:\n${PRETEND}${TELNYX}${route('acme')}`,
  ])
    assert.deepEqual((await lacks(fine)).lacks, [], fine)
  const behind = await lacks(`links:\n${PRETEND}`)
  assert.deepEqual(behind.lacks, [
    [
      'pretend comes first: acme sends only while pretend is down.',
      `Put acme first in ${behind.file}, or add a route for it.`,
    ],
  ])
  const unused = await lacks(`links:\n${PRETEND}${route('pretend')}`)
  assert.deepEqual(unused.lacks, [
    [
      'No route uses acme, so it only receives.',
      `List acme under links or failover of a route in ${unused.file}.`,
    ],
  ])
})

test('settings that the service does not have yet are reported', async (t) => {
  const { add, file } = setupStage(t, 'telnyx')
  const settings = async (source: object, request = {}) =>
    lacksOf(await add({ source, request }), 'setting')
  assert.deepEqual(await settings({}), [])
  assert.deepEqual(await settings({ isSet: false }), [
    [
      'The service does not use this file yet.',
      `Set LONGCODE_CARRIERS=${file} where it runs, and restart it.`,
    ],
  ])
  assert.deepEqual(await settings({ publicUrl: 'https://old.test' }), [
    [
      'The service does not have its public URL yet.',
      `Set LONGCODE_PUBLIC_URL=${PUBLIC_URL} where it runs, and restart it. Callback signatures are checked against it.`,
    ],
  ])
  assert.deepEqual(await settings({ publicUrl: 'https://old.test' }, { publicUrl: null }), [])
})

const PASTE =
  `links:\n  - name: acme\n    kind: telnyx\n    apiKey: $` +
  `{TELNYX_KEY}\n    publicKey: ${PUBLIC_KEY}\n`

test('if the file cannot be written, or in a dry run, the lines to paste are shown without secrets', async (t) => {
  const { add, file, text } = setupStage(t, 'telnyx')
  const plan = await add({ request: { isDryRun: true } })
  assert.deepEqual([plan.yaml, text()], [PASTE, null])
  assert.deepEqual(stepsOf(plan, 'file'), [`planned: Would write the link acme to ${file}.`])
  const unset = await add({ source: { file: null }, fields: { apiKey: ['KEY-hush', 'MY_KEY'] } })
  assert.equal(unset.yaml, PASTE.replace('TELNYX_KEY', 'MY_KEY'))
  assert.deepEqual(stepsOf(unset, 'file'), [
    'failed: LONGCODE_CARRIERS is not set. Put the link in a file, and set LONGCODE_CARRIERS to its path.',
  ])
  const nowhere = path.join(path.dirname(file), 'absent', 'carriers.yaml')
  const absent = await add({ source: { file: nowhere } })
  assert.equal(absent.yaml, PASTE)
  assert.deepEqual(stepsOf(absent, 'file'), [
    `failed: ${nowhere} cannot be written (ENOENT). Give this user write permission, or add the link by hand.`,
  ])
  for (const report of [plan, unset, absent]) {
    assert.deepEqual([...stepsOf(report, 'check'), ...stepsOf(report, 'reload')], [])
  }
  const bandwidth = await setupStage(t, 'bandwidth').add({
    fields: { siteId: '1', locationId: '2' },
    request: { isDryRun: true, monthlyPrice: 2 },
  })
  const { yaml } = bandwidth
  assert.match(yaml!, /\n {4}password: \$\{BANDWIDTH_PASSWORD\}\n/)
  assert.match(yaml!, /\n {4}application: \(its id\)\n {4}numbers:\n {6}monthlyPrice: 2\n/)
  assert.doesNotMatch(yaml!, /^ {4}siteId/m)
})

test('the lines to paste have the link of the file as well', async (t) => {
  const { add, file } = setupStage(t, 'telnyx')
  writeFileSync(file, `links:\n${TELNYX}    url: https://own.test\n`)
  const { yaml } = await add({ request: { isDryRun: true, fields: {} } })
  assert.equal(yaml, `${PASTE}    url: https://own.test\n`)
})

test('a file that would become invalid is not written, and one that was invalid before is', async (t) => {
  const { add, file, text } = setupStage(t, 'telnyx')
  const before = `links:\n${PRETEND}`
  writeFileSync(file, before)
  const refused = await add({ fields: { publicKey: 'no key' } })
  assert.equal(text(), before)
  assert.match(
    stepsOf(refused, 'file').join(),
    new RegExp(
      `^failed: ${file} was not changed, because the result could not be used: ${file}:\\d+ links\\[1\\]\\.publicKey must be the public key`,
    ),
  )
  assert.match(refused.yaml!, /publicKey: no key/)
  assert.deepEqual([...stepsOf(refused, 'check'), ...stepsOf(refused, 'reload')], [])

  writeFileSync(file, `links:\n  - name: broken\n    kind: twilio\n`)
  const written = await add()
  assert.match(text()!, /name: acme/)
  assert.match(stepsOf(written, 'check').join(), /^failed: \S+:\d+ links\[0\].* needs /)
  assert.deepEqual(stepsOf(written, 'reload'), [], 'the service would refuse it')
  const again = await add()
  assert.match(stepsOf(again, 'file').join(), /^same: /)
  assert.match(stepsOf(again, 'check').join(), /^failed: /)
})

test('a file that is no list of links, or has the name in use, is refused before the provider gets a request', async (t) => {
  const { add, file, calls } = setupStage(t, 'telnyx')
  writeFileSync(file, `links:\n  - { name: acme, kind: simulator }\n`)
  assert.deepEqual(await refusalOf(add()), [
    'name',
    'The file already has a link "acme" of kind simulator. Choose another name.',
  ])
  writeFileSync(file, 'links:\n  - {name: a\n')
  const [field, sentence] = await refusalOf(add())
  assert.equal(field, 'file')
  assert.ok(sentence.startsWith(`${file}:`) && sentence.endsWith('.'), sentence)
  const folder = path.join(path.dirname(file), 'folder')
  mkdirSync(folder)
  const [, unreadable] = await refusalOf(add({ source: { file: folder } }))
  assert.match(unreadable, /folder cannot be read \(EISDIR\): .*[a-z]\.$/)
  assert.deepEqual(calls, [])
})
