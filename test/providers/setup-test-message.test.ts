// The test message of a setup: who sends it, what its result means to the operator, and whether its callback arrived.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountNumber, TestOutcome } from '../../src/carriers/providers/provisioning.js'
import { RemoteFault } from '../../src/kit/http-client/remote-fault.js'
import { MESSAGE_ERRORS } from '../../src/messages/message-errors.js'
import { lacksOf, ONE, setupStage, stepsOf, TWO, WEBHOOK } from './setup-stage.js'

const PHONE = '+14155550107'
const THREE = '+14152000003'
const TEST = { to: PHONE, from: null, waitMs: 0 }
const FROM_ONE = `${ONE} → ${PHONE}`

const number = (phoneNumber: string, containerId: string | null = null): AccountNumber => ({
  ...{ id: `n${phoneNumber}`, phoneNumber, containerId },
})
const listNumbers = async () => [number(ONE)]

const outcome = (state: TestOutcome['state'], text: string, code: string | null = null) => ({
  ...{ state, text, code },
})

test('the test message is sent from the number that was chosen, else from one of the container, else from any', async (t) => {
  const senderOf = async (from: string | null, requested: string | null, own: AccountNumber[]) => {
    const { add, callsOf } = setupStage(t, 'telnyx', { listNumbers: async () => own })
    await add({ request: { number: requested }, deps: { test: { ...TEST, from } } })
    return callsOf('send').map(([, sent]) => (sent as { from: string }).from)
  }
  const numbers = () => [number(ONE), number(TWO, 'c-1'), number(THREE)]
  assert.deepEqual(await senderOf(THREE, ONE, numbers()), [THREE])
  assert.deepEqual(await senderOf(null, THREE, numbers()), [THREE])
  assert.deepEqual(await senderOf(null, null, numbers()), [TWO])
  assert.deepEqual(await senderOf(null, null, [number(ONE), number(THREE)]), [ONE])
  assert.deepEqual(await senderOf(null, null, []), [])
})

test('without a number nothing is sent, and a dry run sends nothing', async (t) => {
  const { add, callsOf } = setupStage(t, 'telnyx')
  assert.deepEqual(stepsOf(await add({ deps: { test: TEST } }), 'test'), [
    'skipped: There is no number to send from.',
  ])
  const full = setupStage(t, 'telnyx', {
    listNumbers,
    findContainer: async () => ({ id: 'c-1', differs: [] }),
  })
  const plan = await full.add({ deps: { test: TEST }, request: { isDryRun: true } })
  assert.deepEqual(stepsOf(plan, 'test'), [
    `planned: Would send a test message from ${ONE} to ${PHONE}.`,
  ])
  const none = await full.add()
  assert.deepEqual(stepsOf(none, 'test'), [])
  assert.deepEqual([callsOf('send'), full.callsOf('send')], [[], []])
})

test('the test message names the link and how to opt out, and asks for a callback if one can arrive', async (t) => {
  const { add, callsOf } = setupStage(t, 'telnyx', { listNumbers })
  await add({ deps: { test: TEST } })
  const silent = await add({ deps: { test: TEST }, request: { publicUrl: null } })
  const text = 'Test message for the link acme. Reply STOP to opt out.'
  const sent = { from: ONE, to: PHONE, text, containerId: 'c-1' }
  assert.deepEqual(
    callsOf('send').map(([, message]) => message),
    [
      { ...sent, statusUrl: WEBHOOK },
      { ...sent, statusUrl: null },
    ],
  )
  assert.deepEqual(stepsOf(silent, 'receipt'), [])
  assert.deepEqual(callsOf('outcomeOf')[0], ['outcomeOf', 'm-1'])
})

/** The code that the provider gave, and the hint. Telnyx's codes are those of its documentation. */
const HINTS: Record<string, string> = {
  '40010': ' The number is not in a registered 10DLC campaign. Assign it to one, and send again.',
  '10009': ' A feature of the account is not enabled yet. Check the account with the provider.',
  '40300': ` ${MESSAGE_ERRORS[1330].text}.`,
  '40318': '',
  '49999': '',
}

test('a failed test message has a hint for each kind of code', async (t) => {
  for (const [code, hint] of Object.entries(HINTS)) {
    const failed = setupStage(t, 'telnyx', {
      ...{ listNumbers, outcomeOf: async () => outcome('failed', `failed ${code}`, code) },
    })
    assert.deepEqual(stepsOf(await failed.add({ deps: { test: TEST } }), 'test'), [
      `failed: ${FROM_ONE}: failed ${code}.${hint}`,
    ])
    const send = async () => {
      throw new RemoteFault('refused', 'Telnyx refused it.', { code })
    }
    const refused = await setupStage(t, 'telnyx', { listNumbers, send }).add({
      deps: { test: TEST, hasCalled: () => assert.fail('nothing was sent') },
    })
    assert.deepEqual(stepsOf(refused, 'test'), [`failed: Telnyx refused it.${hint}`])
    assert.deepEqual(stepsOf(refused, 'receipt'), [])
  }
  const uncoded = async () => outcome('failed', 'failed')
  const { add } = setupStage(t, 'telnyx', { listNumbers, outcomeOf: uncoded })
  assert.deepEqual(stepsOf(await add({ deps: { test: TEST } }), 'test'), [
    `failed: ${FROM_ONE}: failed.`,
  ])
})

test('a test message without a response is not sent again, and another error is not hidden', async (t) => {
  const send = async () => {
    throw new RemoteFault('unknown', 'It is lost.', { code: '40300' })
  }
  const { add, callsOf } = setupStage(t, 'telnyx', { listNumbers, send })
  assert.deepEqual(stepsOf(await add({ deps: { test: TEST } }), 'test'), [
    'failed: It is lost. It may have been sent, so it is not sent again.',
  ])
  assert.equal(callsOf('send').length, 1)
  const bug = () => Promise.reject(new TypeError('a bug'))
  for (const broken of [{ send: bug }, { outcomeOf: bug }]) {
    const stage = setupStage(t, 'telnyx', { listNumbers, ...broken })
    await assert.rejects(stage.add({ deps: { test: TEST } }), TypeError)
  }
})

test('a test message that nobody confirms is a note for the operator, and no failure', async (t) => {
  const unreachable = async () => {
    throw new RemoteFault('later', 'Not now')
  }
  for (const [outcomeOf, text] of [
    [async () => outcome('unconfirmed', 'delivery_unconfirmed'), 'delivery_unconfirmed'],
    [async () => outcome('waiting', 'sent'), 'sent'],
    [unreachable, 'no status yet'],
  ] as const) {
    const { add } = setupStage(t, 'telnyx', { listNumbers, outcomeOf })
    assert.deepEqual(stepsOf(await add({ deps: { test: TEST } }), 'test'), [
      `skipped: ${FROM_ONE}: ${text}; no receipt within 0 s. Check the phone.`,
    ])
  }
})

test('the provider’s report is awaited, and the operator sees what it is so far', async (t) => {
  const states = [outcome('waiting', 'queued'), outcome('delivered', 'delivered')]
  const { add, callsOf } = setupStage(t, 'telnyx', {
    ...{ listNumbers, outcomeOf: async () => states.shift()! },
  })
  const seen: string[] = []
  const onWait = (text: string) => void seen.push(text)
  const report = await add({
    deps: { test: { ...TEST, waitMs: 600_000, onWait }, hasCalled: async () => true },
  })
  assert.deepEqual(stepsOf(report, 'test'), [`done: ${FROM_ONE}: delivered.`])
  assert.deepEqual([seen[0], callsOf('outcomeOf').length], ['queued', 2])
  assert.deepEqual(stepsOf(report, 'receipt'), [
    `done: Telnyx sent a callback to ${WEBHOOK}. Receipts arrive.`,
  ])
})

test('the callback is awaited a while after the provider’s report, and not at all if that never came', async (t) => {
  const heard: { signal: AbortSignal | null; link: string; messageId: string } = {
    ...{ signal: null, link: '', messageId: '' },
  }
  const hasCalled = (call: { signal: AbortSignal; link: string; messageId: string }) => {
    Object.assign(heard, call)
    return new Promise<boolean>((resolve) => {
      call.signal.addEventListener('abort', () => resolve(false), { once: true })
    })
  }
  const waits: string[] = []
  const onWait = (text: string) => void waits.push(text)
  const run = (state: TestOutcome['state'], waitMs: number) =>
    setupStage(t, 'telnyx', { listNumbers, outcomeOf: async () => outcome(state, state) }).add({
      deps: { test: { ...TEST, waitMs, onWait }, hasCalled },
    })
  const silent = await run('delivered', 1)
  assert.deepEqual([heard.link, heard.messageId, heard.signal?.aborted], ['acme', 'm-1', true])
  assert.deepEqual(waits, ['waiting for the callback'])
  assert.match(
    stepsOf(silent, 'receipt').join(),
    /^skipped: The message was sent, but no callback arrived within \d s\. Check that /,
  )
  assert.deepEqual(lacksOf(silent, 'receipt'), [
    [
      `Telnyx sent no callback to ${WEBHOOK}, so receipts and inbound messages would not arrive.`,
      'Check that it is reachable from the Internet over https, and that LONGCODE_PUBLIC_URL is correct. Then send another test message.',
    ],
  ])
  await run('unconfirmed', 1)
  assert.equal(waits.length, 2)
  await run('waiting', 0)
  assert.equal(waits.length, 2, 'it has waited for the report already')
})
