// The setup of a link at a fake provider without a running service: the result of the test message, whether its callback
// arrived, and the lines of the link.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { providerWithSetup } from '../../src/carriers/providers/providers.js'
import { addLink, type SetupDeps } from '../../src/carriers/setup/add-link.js'
import {
  SetupRefusal,
  type SetupReport,
  type SetupRequest,
} from '../../src/carriers/setup/setup.js'
import { MESSAGE_ERRORS } from '../../src/messages/message-errors.js'
import { temporaryFolder } from '../commands/run-command.js'
import { bandwidthFace, telnyxFace } from './faces.js'
import { type Face, FakeProvider } from './fake-provider.js'

const PUBLIC_URL = 'https://sms.ours.test'
const NUMBER = '+14152000001'
const PHONE = '+14155550107'

async function accountAt(t: TestContext, kind: string, face: Face) {
  const base = `${PUBLIC_URL}/carrier/${kind}`
  const fake = new FakeProvider(face, base, () => async () => ({ status: 200 }))
  await fake.start()
  t.after(() => fake.stop())
  const id = `PN${'1'.repeat(32)}`
  fake.numbers.purchased.set(NUMBER, { id, phoneNumber: NUMBER, profileId: null, forwardsTo: null })
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  const add = (
    fields: Record<string, string>,
    request: Partial<SetupRequest> = {},
    deps: Partial<SetupDeps> = {},
  ) =>
    addLink(
      {
        ...{ provider: providerWithSetup(kind), name: kind, publicUrl: PUBLIC_URL },
        ...{ campaign: null, number: null, monthlyPrice: null, registration: null },
        fields: Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [name, { value, variable: null }]),
        ),
        isDryRun: false,
        ...request,
      },
      {
        source: {
          ...{ file, isSet: true, publicUrl: PUBLIC_URL, allowsSimulator: true },
          variable: () => null,
        },
        reach: { timeoutMs: 30_000, allowPrivate: true },
        reload: async () => ({ state: 'done', text: 'Reloaded.' }),
        test: null,
        hasCalled: async () => false,
        ...deps,
      },
    )
  return { fake, add, text: () => readFileSync(file, 'utf8') }
}

const telnyx = async (t: TestContext) => {
  const face = telnyxFace()
  const stage = await accountAt(t, 'telnyx', face)
  stage.fake.account.publicKey = face.publicKey
  const test = { to: PHONE, from: null, waitMs: 0 }
  const addAndTest = (hasCalled: SetupDeps['hasCalled'], deps: Partial<SetupDeps> = {}) =>
    stage.add({ apiKey: 'KEY', url: stage.fake.url }, {}, { test, hasCalled, ...deps })
  return { ...stage, addAndTest }
}

const bandwidth = async (t: TestContext) => {
  const stage = await accountAt(t, 'bandwidth', bandwidthFace('cu', 'cp-hush-hush'))
  const fields = {
    ...{ accountId: '55', user: 'u', password: 'pass-hush-hush' },
    ...{ url: stage.fake.url, dashboardUrl: `${stage.fake.url}/dashboard/api` },
  }
  const add: typeof stage.add = (more, request, deps) =>
    stage.add({ ...fields, ...more }, request, deps)
  return { ...stage, add }
}

const receiptOf = ({ steps, missing }: SetupReport) => ({
  steps: steps
    .filter(({ step }) => step === 'receipt')
    .map(({ state, text }) => `${state} ${text}`),
  lacks: missing.filter(({ what }) => what === 'receipt').map(({ text }) => text),
})

test('a test message without a callback is reported, with the URL to check, and one with a callback is not', async (t) => {
  const { addAndTest, fake } = await telnyx(t)
  const silent = await addAndTest(async () => false)
  const { steps, lacks } = receiptOf(silent)
  assert.match(
    steps.join(),
    /^skipped The message was sent, but no callback arrived within \d+ s\. Check that https:\/\/sms\.ours\.test\/carrier\/telnyx is reachable from the Internet\.$/,
  )
  assert.deepEqual(lacks, [
    `Telnyx sent no callback to ${PUBLIC_URL}/carrier/telnyx, so receipts and inbound messages would not arrive.`,
  ])
  const calls: string[] = []
  const heard = await addAndTest(async ({ link, messageId }) => {
    calls.push(`${link} ${messageId}`)
    return true
  })
  assert.deepEqual(calls, [`telnyx ${fake.taken[1]!.id}`])
  assert.deepEqual(receiptOf(heard), {
    steps: [`done Telnyx sent a callback to ${PUBLIC_URL}/carrier/telnyx. Receipts arrive.`],
    lacks: [],
  })
})

test('whether a callback arrived is unknown without the database, and not awaited without a running service', async (t) => {
  const { addAndTest } = await telnyx(t)
  const lost = await addAndTest(async () => {
    throw new Error('the connection is lost')
  })
  assert.deepEqual(receiptOf(lost), {
    steps: [
      'skipped It is unknown whether a callback arrived, because the database connection was lost.',
    ],
    lacks: [],
  })
  const reload: SetupDeps['reload'] = async () => ({ state: 'skipped', text: 'None runs.' })
  const alone = await addAndTest(() => assert.fail('nobody could have received it'), { reload })
  assert.deepEqual(receiptOf(alone), {
    steps: ['skipped Not waiting for a callback, because no running service has the link yet.'],
    lacks: [],
  })
})

test('a test message that Bandwidth refuses is reported with its code, or else with the type of its error', async (t) => {
  const { fake, add } = await bandwidth(t)
  const failure = async () => {
    const { steps } = await add({}, {}, { test: { to: PHONE, from: null, waitMs: 0 } })
    return steps.find(({ step, state }) => step === 'test' && state === 'failed')?.text
  }
  fake.refuses.set(PHONE, '4720')
  assert.equal(
    await failure(),
    `Bandwidth refused the test message (HTTP 400, 4720 For a reason). ${MESSAGE_ERRORS[1350].text}.`,
  )
  const body = { type: 'forbidden', description: 'The user lacks a role' }
  fake.numbers.mishaps.push({ on: /^POST .*\/messages$/, what: { status: 403, body } })
  assert.match(String(await failure()), / \(HTTP 403, forbidden The user lacks a role\)/)
})

test('a number that the account does not have is reported, and one that it has is not', async (t) => {
  const { add, fake } = await telnyx(t)
  const failed = async (number: string) => {
    const { steps } = await add({ apiKey: 'KEY', url: fake.url }, { number })
    return steps.filter(({ state }) => state === 'failed').map(({ text }) => text)
  }
  const other = '+14152000009'
  assert.deepEqual(await failed(other), [`${other} is not a number of the Telnyx account.`])
  assert.deepEqual(await failed(NUMBER), [])
})

test('numbers of Bandwidth get a price only with their location, which is written next to it', async (t) => {
  const { add, text } = await bandwidth(t)
  await assert.rejects(
    add({}, { monthlyPrice: 2 }),
    new SetupRefusal(
      'monthlyPrice',
      'monthlyPrice requires siteId and locationId, because Bandwidth orders numbers into them.',
    ),
  )
  const { steps } = await add({ siteId: '11', locationId: '22' }, { monthlyPrice: 2 })
  assert.deepEqual(
    steps.filter(({ state }) => state === 'failed'),
    [],
  )
  assert.match(
    text(),
    /\n {4}numbers:\n {6}monthlyPrice: 2\n {6}siteId: "?11"?\n {6}locationId: "?22"?\n/,
  )
  assert.doesNotMatch(text(), /^ {4}(?:siteId|locationId):/m)
})
