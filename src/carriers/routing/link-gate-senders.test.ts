// What a gate remembers between batches: refused senders, runs of refusals, and pauses that come from the database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submission } from '../../../test/smpp-fixtures.js'
import type { AccountId } from '../../accounts/account.js'
import type { Failed, Submission, SubmitAnswer } from '../../messages/carrier-port.js'
import type { LinkPause } from '../../messages/link-pause-queries.js'
import { LinkGate, type RepeatedRefusal } from './link-gate.js'

const SENT: SubmitAnswer = { kind: 'sent' }
const REFUSED: Failed = {
  ...{ kind: 'failed', errorCode: 1375, carrierCode: 'E1 details', concerns: 'link' },
}
const BLOCKED: Failed = { kind: 'failed', errorCode: 1345, concerns: 'sender' }

const pauseOf = (code: string | null): LinkPause => ({
  ...{ link: 'acme', pausedAt: new Date(0), pausedBy: 'x', reason: 'r', code },
  ...{ probeAt: null, probes: 0 },
})

function stage() {
  const paused: RepeatedRefusal[] = []
  const resumed: number[] = []
  const blocked = new Set<string>()
  const noted: [string, string | undefined][] = []
  const gate = new LinkGate({
    pause: (repeated) => {
      paused.push(repeated)
      return pauseOf(repeated.code)
    },
    resume: () => void resumed.push(1),
    refusalOf: (sender) => (blocked.has(sender) ? BLOCKED : null),
    noteSender: (sender, answer) => void noted.push([sender, answer?.kind]),
  })
  /** Passes a batch of messages, each with the answer of the carrier. Returns the kinds of results. */
  const pass = async (batch: readonly [Submission, SubmitAnswer][]) => {
    const answers = new Map(batch.map(([one, answer]) => [one.id, answer]))
    const results = await gate.pass(
      batch.map(([one]) => one),
      async (some) => some.map(({ id }) => answers.get(id)!),
    )
    return results.map((one) => one?.kind)
  }
  return { gate, paused, resumed, blocked, noted, pass }
}

let count = 0
/** A message to another recipient each time. */
function message(more: Partial<Submission> = {}): Submission {
  count += 1
  return submission({ id: `msg_${count}`, to: `+1415555${2_000 + count}`, ...more })
}
const all = (length: number, answer: SubmitAnswer, more: Partial<Submission> = {}) =>
  Array.from({ length }, (): [Submission, SubmitAnswer] => [message(more), answer])

test('messages from a refused number get its refusal in their places, and the others pass', async () => {
  const { gate, blocked, noted } = stage()
  blocked.add('+14152000009')
  const from = '+14152000009'
  const batch = [message({ from }), message(), message({ from }), message()]
  const tried: string[] = []
  const results = await gate.pass(batch, async (some) => {
    tried.push(...some.map(({ id }) => id))
    return [SENT, { kind: 'slow_down' }]
  })
  assert.deepEqual(results, [BLOCKED, SENT, BLOCKED, { kind: 'slow_down' }])
  assert.deepEqual(tried, [batch[1]!.id, batch[3]!.id])
  assert.deepEqual(noted, [
    ['+14152004000', 'sent'],
    ['+14152004000', 'slow_down'],
  ])
})

test('nothing is submitted if every message is from a refused number', async () => {
  const { gate, blocked } = stage()
  const one = message()
  blocked.add(one.from)
  assert.deepEqual(await gate.pass([one], () => assert.fail('nothing to submit')), [BLOCKED])
  assert.deepEqual(await gate.pass([], () => assert.fail('nothing to submit')), [])
})

test('a refusal counts by the first word of its code, an HTTP status with its number, or as no code', async () => {
  for (const [carrierCode, code] of [
    ['E1 details', 'E1'],
    ['HTTP 403 Forbidden', 'HTTP 403'],
    ['HTTP', 'HTTP'],
    ['', 'no code'],
    [undefined, 'no code'],
    ['x'.repeat(61), 'x'.repeat(60)],
  ] as const) {
    const { paused, pass } = stage()
    const refused = { ...REFUSED, carrierCode } as Failed
    await pass(all(10, refused))
    assert.deepEqual(paused, [{ code, description: carrierCode ?? code }])
  }
})

test('the tenth different recipient pauses the link, over any number of batches', async () => {
  const { gate, paused, pass } = stage()
  for (let i = 0; i < 9; i += 1) {
    const [first] = all(1, REFUSED)
    await pass([first!])
    await pass([[message({ to: first![0].to }), REFUSED]]) // the same recipient counts once
  }
  assert.deepEqual([paused.length, gate.isOpen, gate.pause], [0, true, null])
  await pass(all(1, REFUSED))
  assert.deepEqual([paused.length, gate.isOpen, gate.pause?.code], [1, false, 'E1'])
})

test('in a batch that pauses the link, only refusals with the same code wait', async () => {
  const { pass } = stage()
  const kinds = await pass([
    ...all(1, { ...REFUSED, carrierCode: 'E2' }),
    ...all(1, { kind: 'failed', errorCode: 1350 }),
    ...all(1, SENT),
    ...all(10, REFUSED),
    ...all(1, { kind: 'slow_down' }),
  ])
  const expected = ['failed', 'failed', 'sent', ...Array(10).fill('down'), 'slow_down']
  assert.deepEqual(kinds, expected)
})

test('throttling does not interrupt a run of refusals, and an acceptance does', async () => {
  const other = stage()
  await other.pass([...all(9, REFUSED), ...all(1, { kind: 'slow_down' }), ...all(1, REFUSED)])
  assert.equal(other.paused.length, 1)
  const { paused, pass } = stage()
  await pass([...all(9, REFUSED), ...all(1, SENT), ...all(9, REFUSED)])
  assert.equal(paused.length, 0)
})

test('a link is paused once, whatever is refused afterward', async () => {
  const { paused, pass, gate } = stage()
  await pass(all(30, REFUSED))
  gate.allowProbe()
  await pass(all(1, REFUSED))
  assert.equal(paused.length, 1)
})

test('a paused link lets one probe pass, from an account that was not refused if there is one', async () => {
  const account = (id: string) => ({ accountId: id as AccountId })
  const { gate, resumed, pass } = stage()
  await pass([...all(5, REFUSED, account('acc_1')), ...all(5, REFUSED, account('acc_2'))])
  const batch = [
    ...all(1, SENT, account('acc_1')),
    ...all(1, SENT, account('acc_2')),
    ...all(2, SENT, account('acc_3')),
  ]
  assert.deepEqual(await pass(batch), ['down', 'down', 'down', 'down'])
  gate.allowProbe()
  assert.deepEqual(await pass([]), [], 'an empty batch is no probe')
  assert.equal(gate.isOpen, true)
  assert.deepEqual(await pass(batch), ['down', 'down', 'sent', 'down'])
  assert.deepEqual([resumed.length, gate.isOpen], [1, false], 'one at a time')
  gate.allowProbe()
  assert.deepEqual(await pass(batch.slice(0, 2)), ['sent', 'down'], 'the first one otherwise')
})

test('a probe that is not accepted does not resume the link', async () => {
  const { gate, resumed, pass } = stage()
  gate.follow(pauseOf('E1'))
  for (const answer of [REFUSED, { kind: 'slow_down' }] as SubmitAnswer[]) {
    gate.allowProbe()
    await pass(all(1, answer))
  }
  assert.equal(resumed.length, 0)
})

test('an open link has no probe, and an operator’s pause ends one that is due', () => {
  const { gate } = stage()
  gate.allowProbe()
  gate.follow(pauseOf('E1'))
  assert.equal(gate.isOpen, false)
  gate.allowProbe()
  gate.follow(pauseOf('E1'))
  assert.equal(gate.isOpen, true, 'it is still due')
  gate.follow(pauseOf(null))
  assert.equal(gate.isOpen, false)
  gate.follow(null)
  assert.equal(gate.isOpen, true)
  gate.follow(pauseOf('E1'))
  assert.equal(gate.isOpen, false, 'a new pause has no probe yet')
})

test('after a pause, refusals are counted from the start, but not while it was open all along', async () => {
  const { gate, paused, pass } = stage()
  await pass(all(9, REFUSED))
  gate.follow(null)
  await pass(all(1, REFUSED))
  assert.equal(paused.length, 1)
  gate.follow(null)
  await pass(all(9, REFUSED))
  assert.equal(paused.length, 1)
  await pass(all(1, REFUSED))
  assert.equal(paused.length, 2)
})
