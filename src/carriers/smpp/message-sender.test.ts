// The send queue of a link: which bind gets a message and when, and how long it may wait for its slot or its rate.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submission } from '../../../test/smpp-fixtures.js'
import { startSender } from '../../../test/smpp-sender.js'
import type { SendPermit, Submission } from '../../messages/carrier-port.js'

const messages = (count: number, more: Partial<Submission> = {}) =>
  Array.from({ length: count }, (_, i) => submission({ id: `m${i}`, ...more }))
const slow = (retryAfterMs: number) => ({ kind: 'slow_down', retryAfterMs })

/** Permits that the test grants. */
function permits() {
  const asked: ((permit: SendPermit | null) => void)[] = []
  const requestPermit = () =>
    new Promise<SendPermit | null>((resolve) => {
      asked.push(resolve)
    })
  return { asked, requestPermit }
}
const ALWAYS: SendPermit = { untilMs: Number.POSITIVE_INFINITY }

test('each message goes to the bind with the most free slots', async (t) => {
  const { binds, submit } = startSender(t, { slots: [2, 3, 0] })
  await submit(messages(4))
  assert.deepEqual(
    binds.map(({ ids }) => ids),
    [['m1', 'm3'], ['m0', 'm2'], []],
  )
  await submit(messages(3).slice(2))
  assert.equal(binds[1]!.sent.length, 3, 'the last slot')
})

test('a bind that the carrier throttled is avoided for five seconds, unless there is no other', async (t) => {
  const { binds, submit, nowMs, move } = startSender(t, { slots: [10, 2] })
  const [throttled, other] = binds
  throttled!.throttledAtMs = nowMs()
  await submit(messages(3))
  assert.deepEqual([other!.ids, throttled!.ids], [['m0', 'm1'], ['m2']])
  other!.slots = 4
  await move(4_999)
  await submit(messages(1))
  assert.equal(other!.sent.length, 3)
  await move(1)
  await submit(messages(1))
  assert.equal(throttled!.sent.length, 2, 'it has more free slots')
})

test('messages wait for a free slot, in order', async (t) => {
  const { binds, submit, answer } = startSender(t, { slots: [1] })
  const results = await submit(messages(3))
  const [bind] = binds
  for (let i = 0; i < 3; i += 1) {
    assert.deepEqual(bind!.ids, ['m0', 'm1', 'm2'].slice(0, i + 1))
    await answer(bind!, bind!.sent[i]!)
  }
  assert.deepEqual(
    results.map(({ kind }) => kind),
    ['sent', 'sent', 'sent'],
  )
})

test('a message that would wait longer than the limit at the link’s rate is returned at once', async (t) => {
  const { submit, settle } = startSender(t, { slots: [0], settings: { perSecond: 10 } })
  const results = await submit(messages(201))
  assert.deepEqual(results, [], 'all wait: the last one 20 seconds')
  const [first, ...others] = await submit(messages(2))
  assert.deepEqual([first, ...others], [slow(20_100), slow(20_100)])
  await settle()
})

test('the wait that a returned message is told is between a second and a minute', async (t) => {
  const { sender, submit, nowMs, move } = startSender(t, {
    ...{ slots: [0], settings: { perSecond: 10 }, limits: { waitMaxMs: 500 } },
  })
  assert.deepEqual(await submit(messages(6)), [], 'five wait before the last one')
  assert.deepEqual(await submit(messages(1)), [slow(1_000)])
  const long = startSender(t, { slots: [0], settings: { perSecond: 10 } })
  await long.submit(messages(101))
  for (let i = 0; i < 4; i += 1) {
    long.sender.rate.throttled(long.nowMs())
    await long.move(1_001)
  }
  assert.deepEqual(await long.submit(messages(1)), [slow(60_000)])
  assert.ok(sender.rate.perSecond === 10 && nowMs() > 0 && move)
})

test('at most 20,000 messages wait', async (t) => {
  const { submit } = startSender(t, { slots: [0] })
  assert.deepEqual(await submit(Array(20_000).fill(submission())), [])
  assert.deepEqual(await submit(messages(1)), [slow(1_000)])
})

test('a message gets its permit when it has a slot, and keeps the slot meanwhile', async (t) => {
  const { binds, submit, settle } = startSender(t, { slots: [2] })
  const [bind] = binds
  const { asked, requestPermit } = permits()
  await submit(messages(3, { requestPermit }))
  assert.deepEqual([asked.length, bind!.reserved, bind!.freeSlots], [2, 2, 0])
  asked[1]!(ALWAYS)
  await settle()
  assert.deepEqual([bind!.ids, bind!.reserved, asked.length], [['m1'], 1, 2])
  asked[0]!(null)
  await settle()
  assert.deepEqual([bind!.ids, asked.length], [['m1'], 3], 'its slot goes to the next')
})

test('a granted permit makes room for the next one, and no more', async (t) => {
  const { binds, submit, move, settle } = startSender(t, {
    ...{ slots: [9], settings: { perSecond: 4 } },
  })
  const { asked, requestPermit } = permits()
  await submit(messages(9, { requestPermit }))
  for (let i = 0; i < 4; i += 1) {
    assert.equal(asked.length, i + 1, 'one at a time')
    asked[i]!(ALWAYS)
    await settle()
    await move(1_000)
    assert.equal(binds[0]!.sent.length, i + 1)
  }
})

test('a message leaves by the bind that keeps its slot, even if another one has more', async (t) => {
  const { binds, submit, settle } = startSender(t, { slots: [1, 0] })
  const { asked, requestPermit } = permits()
  await submit(messages(1, { requestPermit }))
  binds[1]!.slots = 5
  asked[0]!(ALWAYS)
  await settle()
  assert.deepEqual([binds[0]!.sent.length, binds[1]!.sent.length], [1, 0])
})

test('a part counts for the rate until a second after its outcome, and what left before it has arrived', async (t) => {
  const { sender, binds, submit, answer, move, nowMs, asLink } = startSender(t, {
    ...{ slots: [9], settings: { perSecond: 50 } },
  })
  const [bind] = binds
  const recent = () => sender.rate.recent(nowMs())
  await submit(messages(2))
  assert.equal(recent(), 2)
  await answer(bind!, bind!.sent[1]!)
  assert.equal(recent(), 2)
  await move(1_500)
  assert.equal(recent(), 0, 'the response shows that both had arrived')
  await submit(messages(2))
  sender.settle(asLink(bind!), bind!.sent[3]!, { kind: 'unknown', reason: 'timeout' } as never)
  await move(1_500)
  assert.equal(recent(), 1, 'a lost response shows nothing about others')
})

test('without a permit, or after its time, a message does not leave', async (t) => {
  const { binds, submit, serviceMs } = startSender(t, { slots: [10] })
  const results: unknown[] = []
  for (const requestPermit of [
    async () => null,
    () => Promise.reject(new Error('the database is down')),
    async () => ({ untilMs: serviceMs() - 1 }),
    async () => ({ untilMs: serviceMs() }),
  ]) {
    results.push(...(await submit([submission({ requestPermit })])).map(({ kind }) => kind))
  }
  assert.deepEqual(results, ['window_missed', 'window_missed', 'window_missed'])
  assert.equal(binds[0]!.sent.length, 1, 'the last one leaves in its last millisecond')
})

test('permits are requested for a quarter of a second’s messages at once, and for one at least', async (t) => {
  for (const [perSecond, count] of [
    [12, 3],
    [9, 3], // 2.25 may begin, so a third one begins
    [4, 1],
    [1, 1],
    [null, 50],
  ] as const) {
    const { submit } = startSender(t, { slots: [100], settings: { perSecond } })
    const { asked, requestPermit } = permits()
    await submit(messages(50, { requestPermit }))
    assert.equal(asked.length, count, String(perSecond))
  }
})

test('messages leave at the link’s rate', async (t) => {
  const { binds, submit, move } = startSender(t, { slots: [100], settings: { perSecond: 10 } })
  await submit(messages(3))
  const [bind] = binds
  assert.equal(bind!.sent.length, 1)
  await move(99)
  assert.equal(bind!.sent.length, 1)
  await move(1)
  assert.equal(bind!.sent.length, 2)
  await move(100)
  assert.equal(bind!.sent.length, 3)
})

test('a message whose last moment has passed is returned before it leaves', async (t) => {
  const { binds, submit, move, answer, serviceMs } = startSender(t, { slots: [1] })
  const submitBy = new Date(serviceMs() + 5_000)
  const results = await submit([...messages(1), submission({ id: 'late', submitBy })])
  await move(5_001)
  await answer(binds[0]!, binds[0]!.sent[0]!)
  assert.deepEqual(
    [results.map(({ kind }) => kind), binds[0]!.ids],
    [['sent', 'window_missed'], ['m0']],
  )
})

test('a message that is still unsent when its time is over returns, and a sent one has until its response is overdue', async (t) => {
  const { binds, submit, move } = startSender(t, { slots: [1] })
  const sent = await submit([submission({ id: 'out' })])
  const unsent = await submit([submission({ id: 'in' })])
  await move(19_000)
  await move(999)
  assert.deepEqual([sent.length, unsent.length], [0, 0])
  await move(1)
  assert.deepEqual([sent, unsent], [[], [slow(1_000)]])
  await move(21_000)
  assert.equal(sent.length, 0)
  await move(1_000)
  assert.equal(sent[0]?.kind, 'unknown')
  assert.equal(binds[0]!.sent.length, 1)
})

test('a message that is given up while its permit is pending is not sent', async (t) => {
  const { binds, submit, move, settle } = startSender(t, { slots: [1] })
  const { asked, requestPermit } = permits()
  const results = await submit(messages(1, { requestPermit }))
  for (let i = 0; i < 20; i += 1) await move(1_000)
  assert.deepEqual(results, [slow(1_000)])
  const [next] = messages(1, { id: 'next' })
  await submit([next!])
  asked[0]!(ALWAYS)
  await settle()
  assert.deepEqual([binds[0]!.ids, binds[0]!.reserved], [['next'], 0], 'its slot is free')
})
