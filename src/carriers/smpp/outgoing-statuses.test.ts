// What each response of a carrier means for the part that it is about, and when a message may still leave.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkSettings, NOW, submission } from '../../../test/smpp-fixtures.js'
import { makePdu, type ResponsePdu } from '../../smpp/pdu/pdu.js'
import { STATUS, type StatusName } from '../../smpp/pdu/status.js'
import {
  answeredOutcome,
  isThrottle,
  nackedOutcome,
  OutgoingMessage,
  type PartOutcome,
  unknownOutcome,
} from './outgoing-message.js'
import type { SmppLinkSettings } from './smpp-settings.js'

const taken = (carrierId: string): PartOutcome => ({ kind: 'taken', carrierId, network: undefined })
const UNKNOWN: PartOutcome = { kind: 'unknown', detail: 'cut' }
const SLOW: PartOutcome = { kind: 'not_taken', answer: { kind: 'slow_down' } }
const FAILED: PartOutcome = { kind: 'failed', errorCode: 1375, carrierCode: 'x', concerns: 'link' }

const codeOf = (name: StatusName) => STATUS[name].code

function message(parts: number, submitBy?: Date | null) {
  const each = { fields: {}, tlvs: [] }
  const whole = submission(submitBy === undefined ? {} : { submitBy })
  return new OutgoingMessage('a', whole, Array(parts).fill(each), 0)
}

function outcomeOf(status: number, settings: Partial<SmppLinkSettings> = {}, messageId = 'id-7') {
  const pdu = { ...makePdu('submit_sm_resp', 1, { messageId }), status } as ResponsePdu
  return answeredOutcome(pdu, linkSettings(settings))
}

test('throttling asks for a second, other temporary statuses give no time, and the rest fail', () => {
  const throttled = { kind: 'not_taken', answer: { kind: 'slow_down', retryAfterMs: 1_000 } }
  const later = { kind: 'not_taken', answer: { kind: 'slow_down' } }
  for (const [name, outcome] of [
    ['ESME_RTHROTTLED', throttled],
    ['ESME_RMSGQFUL', throttled],
    ['ESME_RSYSERR', later],
    ['ESME_RX_T_APPN', later],
    ['ESME_RINVBNDSTS', { kind: 'not_taken', answer: { kind: 'down' } }],
    ['ESME_RINVDSTADR', { kind: 'failed', errorCode: 1350, carrierCode: 'ESME_RINVDSTADR' }],
  ] as const) {
    assert.deepEqual(outcomeOf(codeOf(name)), outcome, name)
    assert.deepEqual(nackedOutcome(codeOf(name), linkSettings()), outcome, `${name} in a nack`)
    const isPaced = outcome === throttled
    assert.equal(isThrottle(codeOf(name), linkSettings()), isPaced, name)
  }
})

test('the link’s own codes decide whether a status throttles', () => {
  const statuses = new Map<number, 'slow_down' | 'down' | 'sent' | 1370>([
    [0x410, 'slow_down'],
    [codeOf('ESME_RTHROTTLED'), 'down'],
    [codeOf('ESME_RMSGQFUL'), 1370],
  ])
  const settings = linkSettings({ carrierCodes: { statuses } })
  assert.equal(isThrottle(0x410, settings), true)
  assert.equal(isThrottle(0x411, settings), false)
  assert.equal(isThrottle(codeOf('ESME_RTHROTTLED'), settings), false)
  assert.equal(isThrottle(codeOf('ESME_RMSGQFUL'), settings), false)
  const paced = { kind: 'not_taken', answer: { kind: 'slow_down', retryAfterMs: 1_000 } }
  assert.deepEqual(outcomeOf(0x410, { carrierCodes: { statuses } }), paced)
})

test('an accepted part has the carrier’s id, in the form of the settings, and its network', () => {
  assert.deepEqual(outcomeOf(0), taken('id-7'))
  assert.deepEqual(outcomeOf(0, { answerIdForm: 'hex' }, '00FF'), taken('255'))
  const noBody = { ...makePdu('submit_sm_resp', 1, {}), body: null } as unknown as ResponsePdu
  assert.deepEqual(answeredOutcome(noBody, linkSettings()), taken(''), 'some send no body')
  const networks = new Map([['7', 'tmo' as const]])
  const pdu = makePdu('submit_sm_resp', 1, { messageId: 'x' }, [
    { tag: 0x1500, value: Buffer.from([7]) },
  ])
  const outcome = answeredOutcome(pdu, linkSettings({ answerNetwork: { tag: 0x1500, networks } }))
  assert.deepEqual(outcome, { kind: 'taken', carrierId: 'x', network: 'tmo' })
})

test('a generic_nack never accepts a part, whatever its status says', () => {
  const refused = {
    ...{ kind: 'failed', errorCode: 1375, carrierCode: 'generic_nack', concerns: 'link' },
  }
  assert.deepEqual(nackedOutcome(0, linkSettings()), refused)
  const pdu = makePdu('generic_nack', 1, {}) as ResponsePdu
  assert.deepEqual(answeredOutcome(pdu, linkSettings()), refused)
})

test('each reason for a missing response has its own words', () => {
  const details = (['timeout', 'closed', 'malformed'] as const).map((reason) => {
    const outcome = unknownOutcome(reason)
    assert.ok(outcome.kind === 'unknown')
    return outcome.detail
  })
  assert.deepEqual(details, [
    'The carrier did not respond in time',
    'The connection was lost before the carrier answered',
    'The answer of the carrier could not be read',
  ])
})

test('a message is too late after its last moment, unless a part of it has left', () => {
  const waiting = message(2, NOW)
  const at = NOW.getTime()
  assert.deepEqual([waiting.isTooLate(at), waiting.isTooLate(at + 1)], [false, true])
  waiting.left(waiting.next()!)
  assert.equal(waiting.isTooLate(at + 1), false, 'the rest follows')
  for (const submitBy of [null, undefined]) {
    assert.equal(message(1, submitBy).isTooLate(Number.MAX_SAFE_INTEGER), false)
  }
})

test('a message waits while it has parts to send and no answer', () => {
  const one = message(2)
  assert.deepEqual([one.isWaiting, one.hasLeft], [true, false])
  const first = one.next()!
  assert.deepEqual([first.index, first.message === one], [0, true])
  one.left(first)
  assert.deepEqual([one.isWaiting, one.hasLeft], [true, true])
  const second = one.next()!
  assert.equal(second.index, 1)
  one.left(second)
  assert.deepEqual([one.isWaiting, one.next()], [false, null])
  one.settle(first, SLOW)
  assert.deepEqual([one.isWaiting, one.next()], [true, null], 'the other part is still out')
  one.settle(second, taken('2'))
  assert.equal(one.next(), first)
  one.left(first)
  assert.deepEqual([one.isWaiting, one.hasLeft], [false, true])
})

test('the rest of a setback leaves again after one part of it left', () => {
  const one = message(3)
  const parts = [0, 1, 2].map(() => {
    const part = one.next()!
    one.left(part)
    return part
  })
  one.settle(parts[0]!, taken('1'))
  one.settle(parts[1]!, SLOW)
  one.settle(parts[2]!, SLOW)
  const again = one.next()!
  one.left(again)
  assert.equal(one.next(), parts[2], 'the setback is over')
})

test('only a message without an accepted part can be refused because of its sender or link', () => {
  const refused = { kind: 'failed', errorCode: 1375, carrierCode: 'x' }
  const settled = (...outcomes: PartOutcome[]) => {
    const one = message(outcomes.length)
    const parts = outcomes.map(() => {
      const part = one.next()!
      one.left(part)
      return part
    })
    return outcomes.map((outcome, i) => one.settle(parts[i]!, outcome)).at(-1)
  }
  const whole = { kind: 'answer', answer: { ...refused, concerns: 'link' } }
  const part = { kind: 'answer', answer: refused }
  assert.deepEqual(settled(FAILED), whole)
  assert.deepEqual(settled(SLOW, FAILED), whole)
  assert.deepEqual(settled(taken('1'), FAILED), part)
  assert.deepEqual(
    settled(UNKNOWN, FAILED),
    { kind: 'late', answer: refused },
    'it may have arrived',
  )
})

test('ids that the carrier left out are not in the answer, and the first network counts', () => {
  const one = message(3)
  const parts = [0, 1, 2].map(() => {
    const part = one.next()!
    one.left(part)
    return part
  })
  one.settle(parts[0]!, { kind: 'taken', carrierId: '', network: undefined })
  one.settle(parts[1]!, { kind: 'taken', carrierId: '2', network: 'tmo' })
  const ruling = one.settle(parts[2]!, { kind: 'taken', carrierId: '', network: 'att' })
  const answer = { kind: 'sent', link: 'a', carrierIds: ['2'], network: 'tmo' }
  assert.deepEqual(ruling, { kind: 'answer', answer })
})

test('after any answer but an unknown one, no other follows', () => {
  const down = { kind: 'down' } as const
  for (const answer of [down, { kind: 'slow_down' }, { kind: 'window_missed' }] as const) {
    const one = message(1)
    assert.deepEqual(one.giveUp('late', answer), { kind: 'answer', answer })
    assert.equal(one.giveUp('late', answer), null)
  }
  const sent = message(1)
  const part = sent.next()!
  sent.left(part)
  assert.equal(sent.giveUp('late', down)?.kind, 'answer')
  assert.equal(sent.giveUp('later', down), null, 'unknown is reported once')
  const lost = { kind: 'unknown', detail: 'cut' } as const
  assert.equal(sent.settle(part, lost), null)
  assert.deepEqual(sent.settle(part, FAILED), {
    kind: 'late',
    answer: { kind: 'failed', errorCode: 1375, carrierCode: 'x', concerns: 'link' },
  })
  assert.equal(sent.settle(part, FAILED), null, 'a late answer is reported once')
})

test('a message that returns after an unknown outcome counts as an attempt', () => {
  for (const [given, late] of [
    [{ kind: 'down' }, { kind: 'slow_down' }],
    [
      { kind: 'slow_down', retryAfterMs: 5 },
      { kind: 'slow_down', retryAfterMs: 5 },
    ],
  ] as const) {
    const one = message(1)
    const part = one.next()!
    one.left(part)
    one.settle(part, UNKNOWN)
    const ruling = one.settle(part, { kind: 'not_taken', answer: given })
    assert.deepEqual(ruling, { kind: 'late', answer: late })
  }
})
