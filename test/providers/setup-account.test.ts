// The first steps of a setup: the key, what authenticates callbacks, and the profile, application, or service.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { RemoteFault } from '../../src/kit/http-client/remote-fault.js'
import { CAMPAIGN, lacksOf, PUBLIC_KEY, setupStage, stepsOf, WEBHOOK } from './setup-stage.js'

test('an accepted key is reported with the balance, and an account without funds or in its trial with what to do', async (t) => {
  const account = { text: null, hasNoMoney: true, isTrial: true }
  const poor = await setupStage(t, 'twilio', { check: async () => account }).add()
  assert.deepEqual(stepsOf(poor, 'key'), ['done: Twilio accepted the key.'])
  assert.deepEqual(lacksOf(poor, 'money'), [
    ['The Twilio account has no funds.', 'Add funds. Without funds, every message is refused.'],
  ])
  assert.deepEqual(lacksOf(poor, 'trial'), [
    [
      'This is a trial account, which can send only to verified phones.',
      'Upgrade the account, or verify the phones that you want to message.',
    ],
  ])
  const rich = await setupStage(t, 'telnyx').add()
  assert.deepEqual(stepsOf(rich, 'key'), ['done: Telnyx accepted the key. Balance: 1 USD.'])
  for (const what of ['money', 'trial', 'public_url']) assert.deepEqual(lacksOf(rich, what), [])
})

test('a failed step ends the setup with the provider’s sentence, without a secret', async (t) => {
  const check = async () => {
    throw new RemoteFault('later', 'The key KEY-hush is wrong, and KEY-hush stays wrong.')
  }
  const { add, text } = setupStage(t, 'telnyx', { check })
  const { steps } = await add()
  assert.deepEqual(steps, [
    { step: 'key', state: 'failed', text: 'The key ••• is wrong, and ••• stays wrong.' },
  ])
  assert.equal(text(), null)
  const broken = setupStage(t, 'telnyx', {
    check: () => Promise.reject(new TypeError('a bug')),
  })
  await assert.rejects(broken.add(), TypeError)
})

test('without a URL that the provider can reach, there is no webhook, and the output says what to set', async (t) => {
  for (const [publicUrl, text] of [
    [null, 'No public URL is set.'],
    [
      'http://sms.ours.test',
      'http://sms.ours.test is not https. Providers send callbacks only to https URLs.',
    ],
  ] as const) {
    const { add, callsOf } = setupStage(t, 'telnyx')
    const report = await add({ request: { publicUrl } })
    assert.equal(report.callbackUrl, null)
    assert.deepEqual(callsOf('createContainer'), [
      ['createContainer', 'longcode acme', { url: null }],
    ])
    assert.deepEqual(stepsOf(report, 'container'), [
      'done: Created the messaging profile "longcode acme" (c-1) without a webhook.',
    ])
    assert.deepEqual(lacksOf(report, 'public_url'), [
      [
        text,
        'Set LONGCODE_PUBLIC_URL to the https URL where Telnyx can reach the service, and run this again. Until then, no receipts or replies arrive.',
      ],
    ])
  }
})

test('telnyx: the public key is fetched unless it is set, and required', async (t) => {
  const { add, callsOf, text } = setupStage(t, 'telnyx')
  const fetched = await add()
  assert.deepEqual(stepsOf(fetched, 'callbacks'), [
    'done: Fetched the public key for callback signatures.',
  ])
  assert.match(text()!, new RegExp(`\\n {4}publicKey: "?${PUBLIC_KEY.replaceAll('+', '\\+')}"?\\n`))
  for (const fields of [{}, { publicKey: PUBLIC_KEY }]) {
    const set = await add({ fields })
    assert.deepEqual(stepsOf(set, 'callbacks'), [
      'same: The public key for callback signatures is already set.',
    ])
  }
  assert.equal(callsOf('publicKey').length, 1)

  const keyless = setupStage(t, 'telnyx', { publicKey: async () => null })
  const { steps } = await keyless.add()
  assert.deepEqual(
    steps.map(({ step, state }) => `${step} ${state}`),
    ['key done', 'callbacks failed'],
  )
  assert.match(steps[1]!.text, /^Telnyx did not return the public key\. Copy it from portal/)
})

test('bandwidth: a password for callbacks is created once, and only if it can be stored', async (t) => {
  const { add, callsOf, text } = setupStage(t, 'bandwidth')
  const plan = await add({ request: { isDryRun: true } })
  assert.deepEqual(stepsOf(plan, 'callbacks'), ['planned: Would create a password for callbacks.'])
  const made = await add()
  assert.deepEqual(stepsOf(made, 'callbacks'), ['done: Created a password for callbacks.'])
  const [, password] = /callbackPassword: (\S+)\n/.exec(text()!)!
  assert.match(text()!, /callbackUser: longcode\n/)
  assert.match(password!, /^[\w-]{32}$/)
  assert.deepEqual(callsOf('createContainer').at(-1)![2], {
    ...{ url: WEBHOOK, user: 'longcode', password, isNew: true },
  })
  const again = await add()
  assert.deepEqual(stepsOf(again, 'callbacks'), [
    'same: The password for callbacks is already set.',
  ])
  const of = () => callsOf('findContainer').at(-1)![2]
  assert.deepEqual(of(), { url: WEBHOOK, user: 'longcode', password, isNew: false })
  const other = { callbackUser: 'me', callbackPassword: 'another-password' }
  await add({ fields: other, request: { isDryRun: true } })
  assert.deepEqual(of(), { url: WEBHOOK, user: 'me', password: 'another-password', isNew: true })

  const nowhere = setupStage(t, 'bandwidth')
  const lost = await nowhere.add({ source: { file: null } })
  assert.deepEqual(stepsOf(lost, 'callbacks'), [
    'failed: LONGCODE_CARRIERS is not set. Put the link in a file, and set LONGCODE_CARRIERS to its path. A generated callback password could not be stored. Set BANDWIDTH_CALLBACK_PASSWORD.',
  ])
  assert.deepEqual(nowhere.callsOf('createContainer'), [])
  const given = await nowhere.add({ source: { file: null }, fields: other })
  assert.deepEqual(stepsOf(given, 'callbacks'), [
    'same: The password for callbacks is already set.',
  ])
})

test('twilio: callbacks are signed with the auth token', async (t) => {
  const { add, callsOf } = setupStage(t, 'twilio')
  assert.deepEqual(stepsOf(await add(), 'callbacks'), [
    'same: Twilio signs its callbacks with the auth token.',
  ])
  assert.deepEqual(callsOf('findContainer')[0]![2], { url: WEBHOOK })
})

test('the container of a link, or of its campaign, is found by name, corrected, or created', async (t) => {
  const word = {
    telnyx: 'messaging profile',
    bandwidth: 'application',
    twilio: 'messaging service',
  }
  for (const name of ['telnyx', 'bandwidth', 'twilio'] as const) {
    const found: { differs: string[] | null } = { differs: null }
    const { add, callsOf } = setupStage(t, name, {
      findContainer: async () => found.differs && { id: 'c-9', differs: found.differs },
    })
    const step = async (request = {}) => stepsOf(await add({ request }), 'container')
    const label = `${word[name]} "longcode acme"`
    assert.deepEqual(await step({ isDryRun: true }), [
      `planned: Would create the ${label} with the webhook ${WEBHOOK}.`,
    ])
    assert.deepEqual(callsOf('createContainer'), [])
    assert.deepEqual(await step(), [
      `done: Created the ${label} (c-1) with the webhook ${WEBHOOK}.`,
    ])
    assert.deepEqual(await step({ campaign: CAMPAIGN }), [
      `done: Created the ${word[name]} "longcode ${CAMPAIGN}" (c-1) with the webhook ${WEBHOOK}.`,
    ])
    assert.equal(callsOf('findContainer').at(-1)![1], `longcode ${CAMPAIGN}`)
    assert.equal(callsOf('createContainer').at(-1)![1], `longcode ${CAMPAIGN}`)
    found.differs = []
    assert.deepEqual(await step(), [`same: The ${label} (c-9) is up to date.`])
    found.differs = ['its webhook was x', 'its password was different']
    const changes = 'its webhook was x, its password was different'
    assert.deepEqual(await step({ isDryRun: true }), [
      `planned: Would change the ${label} (c-9): ${changes}.`,
    ])
    assert.deepEqual(callsOf('changeContainer'), [])
    assert.deepEqual(await step(), [`done: Changed the ${label} (c-9): ${changes}.`])
    const [[, id, { url }]] = callsOf('changeContainer') as [[string, string, { url: string }]]
    assert.deepEqual([id, url], ['c-9', WEBHOOK])
  }
})

test('a container whose creation got no response is looked up, and none is created twice', async (t) => {
  const stage = (kind: RemoteFault['kind'], isThere: boolean) => {
    const found = { isThere: false }
    return setupStage(t, 'telnyx', {
      findContainer: async () => (found.isThere ? { id: 'c-9', differs: [] } : null),
      createContainer: async () => {
        found.isThere = isThere
        throw new RemoteFault(kind, 'It failed.')
      },
    })
  }
  const lost = stage('unknown', true)
  assert.deepEqual(stepsOf(await lost.add(), 'container'), [
    `done: Created the messaging profile "longcode acme" (c-9) with the webhook ${WEBHOOK}.`,
  ])
  for (const [kind, isThere] of [
    ['unknown', false],
    ['refused', true],
    ['later', true],
  ] as const) {
    const { add, callsOf } = stage(kind, isThere)
    assert.deepEqual(stepsOf(await add(), 'container'), ['failed: It failed.'])
    assert.equal(callsOf('createContainer').length, 1)
    assert.equal(callsOf('listNumbers').length, 0)
  }
})

test('secrets that are only in the file are hidden as well', async (t) => {
  const link = `name: acme\n    kind: telnyx\n    apiKey: KEY-file\n    publicKey: ${PUBLIC_KEY}`
  const check = async () => {
    throw new RemoteFault('later', 'KEY-file is wrong.')
  }
  const { add, file } = setupStage(t, 'telnyx', { check })
  writeFileSync(file, `links:\n  - ${link}\n`)
  const { steps } = await add({ request: { fields: {} } })
  assert.deepEqual(
    steps.map(({ text }) => text),
    ['••• is wrong.'],
  )
})
