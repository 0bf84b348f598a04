// The send queue of a link: parts of long messages, responses, lost binds, and the end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submission } from '../../../test/smpp-fixtures.js'
import { startSender } from '../../../test/smpp-sender.js'
import type { ResponsePdu } from '../../smpp/pdu/pdu.js'
import { makePdu } from '../../smpp/pdu/pdu.js'
import { STATUS } from '../../smpp/pdu/status.js'

const LONG = { body: 'x'.repeat(400) } // three parts
const THROTTLED = STATUS.ESME_RTHROTTLED.code
const BIND_LOST = STATUS.ESME_RINVBNDSTS.code

test('all parts use one bind, as slots become free, before any other message', async (t) => {
  const { binds, submit, answer } = startSender(t, { slots: [2, 1] })
  const long = await submit([submission({ id: 'long', ...LONG })])
  const results = await submit([submission({ id: 'other' }), submission({ id: 'next' })])
  const [first, second] = binds
  assert.deepEqual([first!.ids, second!.ids], [['long', 'long'], ['other']])
  await answer(first!, first!.sent[0]!, 0, '1')
  assert.deepEqual(first!.ids, ['long', 'long', 'long'])
  await answer(first!, first!.sent[1]!, 0, '2')
  assert.equal(first!.ids.at(-1), 'next')
  assert.deepEqual(first!.continuing, [])
  await answer(first!, first!.sent[2]!, 0, '3')
  await answer(first!, first!.sent[3]!, 0, '4')
  await answer(second!, second!.sent[0]!, 0, '5')
  assert.deepEqual(long, [{ kind: 'sent', link: 'aggregator', carrierIds: ['1', '2', '3'] }])
  assert.deepEqual(results, [
    { kind: 'sent', link: 'aggregator', carrierIds: ['5'] },
    { kind: 'sent', link: 'aggregator', carrierIds: ['4'] },
  ])
})

test('each part counts against the rate, and the rest of a message goes before new ones', async (t) => {
  const { binds, submit, move } = startSender(t, { slots: [100], settings: { perSecond: 10 } })
  await submit([submission({ id: 'long', ...LONG }), submission({ id: 'next' })])
  const seen: string[] = []
  for (let i = 0; i < 4; i += 1) {
    seen.push(binds[0]!.ids.at(-1)!)
    assert.equal(binds[0]!.sent.length, i + 1)
    await move(100)
  }
  assert.deepEqual(seen, ['long', 'long', 'long', 'next'])
})

test('a bind that accepts nothing after all keeps the message for later', async (t) => {
  const { binds, submit, sender, move } = startSender(t, {
    ...{ slots: [5, 4], settings: { perSecond: 10 } },
  })
  const [bind, other] = binds
  bind!.isBlocked = true
  const results = await submit([submission()])
  assert.deepEqual([results, bind!.continuing.length], [[], 1])
  other!.slots = 9
  await submit([submission()])
  assert.equal(other!.sent.length, 1, 'others leave meanwhile, and the unused turn was not counted')
  bind!.isBlocked = false
  sender.planPump()
  await move(100)
  assert.deepEqual([bind!.sent.length, bind!.continuing], [1, []])
})

test('if the slot is gone when the permit comes, another bind sends the message', async (t) => {
  const { binds, submit, settle } = startSender(t, { slots: [2, 1] })
  const [first, second] = binds
  let grant = () => {}
  const requestPermit = () =>
    new Promise<{ untilMs: number }>((resolve) => {
      grant = () => resolve({ untilMs: Number.POSITIVE_INFINITY })
    })
  await submit([submission({ requestPermit })])
  first!.slots = 0
  grant()
  await settle()
  assert.deepEqual([first!.sent.length, second!.sent.length], [0, 1])
})

test('a value that fits no PDU fails its message and does not use the rate', async (t) => {
  const { binds, submit } = startSender(t, { slots: [5], settings: { perSecond: 10 } })
  const [bind] = binds
  const send = bind!.send.bind(bind)
  bind!.send = () => {
    throw new RangeError('too long')
  }
  const results = await submit([submission()])
  const carrierCode = 'It cannot be written: too long'
  assert.deepEqual(results, [{ kind: 'failed', errorCode: 1375, carrierCode }])
  bind!.send = send
  await submit([submission()])
  assert.equal(bind!.sent.length, 1, 'the rate allows it at once')
})

test('a response counts by its status, and one that throttles slows the link and its bind', async (t) => {
  const { binds, submit, answer, counted, sender, nowMs } = startSender(t, {
    settings: { perSecond: 100 },
  })
  const [bind] = binds
  const results = await submit([submission()])
  await answer(bind!, bind!.sent[0]!, THROTTLED)
  assert.deepEqual(results, [{ kind: 'slow_down', retryAfterMs: 1_000 }])
  assert.deepEqual(counted, [`answered ${THROTTLED}`, 'throttled'])
  assert.deepEqual([bind!.throttledAtMs, sender.rate.perSecond], [nowMs(), 50])
  assert.deepEqual(bind!.renewed, [])
})

test('a nack is counted and refuses the part, and a lost response is unknown by its reason', async (t) => {
  const { binds, submit, sender, counted, asLink } = startSender(t)
  const [bind] = binds
  const refused = await submit([submission()])
  sender.settle(asLink(bind!), bind!.sent[0]!, { kind: 'nacked', status: 8 } as never)
  const lost = await submit([submission()])
  const reason = { kind: 'unknown', reason: 'timeout' } as never
  sender.settle(asLink(bind!), bind!.sent[1]!, reason)
  await submit([])
  assert.deepEqual([refused[0]?.kind, lost[0]?.kind], ['slow_down', 'unknown'])
  assert.deepEqual(counted, ['answered 8', 'unknown timeout'])
})

test('a response after an unknown outcome is counted and reported as late', async (t) => {
  const { binds, submit, sender, counted, late, asLink } = startSender(t)
  const [bind] = binds
  const results = await submit([submission({ id: 'm7' })])
  const [part] = bind!.sent
  sender.settle(asLink(bind!), part!, { kind: 'unknown', reason: 'timeout' } as never)
  await submit([])
  assert.equal(results[0]?.kind, 'unknown')
  const pdu = makePdu('submit_sm_resp', 1, { messageId: 'x' }) as ResponsePdu
  sender.settleLate(asLink(bind!), part!, pdu)
  const answer = { kind: 'sent', link: 'aggregator', carrierIds: ['x'] }
  assert.deepEqual(late, [{ accountId: 'acc_1', id: 'm7', answer }])
  assert.deepEqual(counted, ['unknown timeout', 'late', 'answered 0'])
})

test('a bind that the carrier no longer knows is renewed', async (t) => {
  const { binds, submit, answer } = startSender(t)
  const [bind] = binds
  const results = await submit([submission()])
  await answer(bind!, bind!.sent[0]!, BIND_LOST)
  assert.deepEqual(results, [{ kind: 'down' }])
  assert.deepEqual(bind!.renewed, ['The carrier reports that the bind cannot send'])
})

test('a refused part is sent again over its bind, once, if others were accepted', async (t) => {
  const { binds, submit, answer, move } = startSender(t, { slots: [1, 5] })
  const [other, bind] = binds
  const results = await submit([submission(LONG)])
  await answer(bind!, bind!.sent[0]!, 0, '1')
  await answer(bind!, bind!.sent[1]!, STATUS.ESME_RSYSERR.code)
  await answer(bind!, bind!.sent[2]!, STATUS.ESME_RSYSERR.code)
  await move(1)
  assert.deepEqual([bind!.sent.length, other!.sent.length], [5, 0])
  await answer(bind!, bind!.sent[3]!, 0, '2')
  await answer(bind!, bind!.sent[4]!, 0, '3')
  assert.equal(results[0]?.kind, 'sent')
})

test('when a bind is lost, its rest moves to another, and without one the outcome is unknown', async (t) => {
  const { binds, submit, answer, sender, asLink } = startSender(t, { slots: [2, 1] })
  const [first, second] = binds
  const results = await submit([submission(LONG)])
  assert.equal(first!.sent.length, 2)
  first!.isReady = false
  sender.bindChanged(asLink(first!))
  await submit([])
  assert.deepEqual([first!.continuing, second!.sent.length], [[], 1])
  for (const [bind, part] of [
    [first!, first!.sent[0]!],
    [first!, first!.sent[1]!],
    [second!, second!.sent[0]!],
  ] as const) {
    await answer(bind, part)
  }
  assert.equal(results[0]?.kind, 'sent')

  const alone = startSender(t, { slots: [1] })
  const lost = await alone.submit([submission(LONG), submission()])
  alone.binds[0]!.isReady = false
  alone.sender.bindChanged(alone.asLink(alone.binds[0]!))
  await alone.settle()
  assert.deepEqual(
    lost.map(({ kind }) => kind),
    ['unknown', 'down'],
    'nothing of the second left',
  )
})

test('a link is up with a bind that can send, and a link that is down returns messages at once', async (t) => {
  const { binds, submit, sender, asLink, settle } = startSender(t, { slots: [0, 0] })
  const [first, second] = binds
  const waiting = await submit([submission()])
  assert.deepEqual([sender.isUp, waiting], [true, []])
  first!.isReady = false
  sender.bindChanged(asLink(first!))
  assert.deepEqual([sender.isUp, await submit([])], [true, []])
  assert.deepEqual(waiting, [], 'another bind is up')
  second!.isReady = false
  sender.bindChanged(asLink(second!))
  await submit([])
  assert.deepEqual([sender.isUp, waiting], [false, [{ kind: 'down' }]])
  assert.deepEqual(await submit([submission()]), [{ kind: 'down' }])
  second!.isReady = true
  sender.bindChanged(asLink(second!))
  await submit([submission()])
  assert.deepEqual([sender.isUp, second!.sent.length], [true, 0])
  second!.slots = 1
  sender.bindChanged(asLink(second!))
  await settle()
  assert.equal(second!.sent.length, 1, 'what waited for a slot')
})

test('a stop returns what has not left, and waits for the rest, but not forever', async (t) => {
  const { binds, submit, sender, answer, move } = startSender(t, { slots: [1, 0] })
  const [bind] = binds
  const results = await submit([submission()])
  const unsent = await submit([submission()])
  let isOver = false
  const stopping = sender.stop(10_000).then(() => {
    isOver = true
  })
  assert.deepEqual([sender.isUp, await submit([submission()])], [false, [{ kind: 'down' }]])
  await move(1)
  assert.deepEqual([isOver, unsent], [false, [{ kind: 'down' }]])
  await answer(bind!, bind!.sent[0]!)
  await stopping
  assert.deepEqual(
    results.map(({ kind }) => kind),
    ['sent'],
  )

  const silent = startSender(t, { slots: [1] })
  await silent.submit([submission()])
  const ending = silent.sender.stop(10_000)
  await silent.move(10_000)
  await ending
})

test('a message that gets its permit during a stop does not leave', async (t) => {
  const { binds, submit, sender, settle } = startSender(t, { slots: [1] })
  let grant = () => {}
  const requestPermit = () =>
    new Promise<{ untilMs: number }>((resolve) => {
      grant = () => resolve({ untilMs: Number.POSITIVE_INFINITY })
    })
  const results = await submit([submission({ requestPermit })])
  const stopping = sender.stop(10_000)
  grant()
  await settle()
  await stopping
  assert.deepEqual([results, binds[0]!.sent], [[{ kind: 'down' }], []])
})
