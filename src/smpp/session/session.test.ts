// A session with a peer that behaves correctly, omits or repeats responses, mixes them up, or is silent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMAND_NAMES, type CommandName } from '../pdu/commands.js'
import { decodePdu } from '../pdu/decode.js'
import { encodePdu } from '../pdu/encode.js'
import { makeFailure, makePdu, type Pdu, type PduOf } from '../pdu/pdu.js'
import { STATUS } from '../pdu/status.js'
import { SmppSession } from './session.js'
import type { BindPdu, SessionEvent, SessionSettings, WorkPdu } from './session-event.js'

const SETTINGS: SessionSettings = {
  side: 'esme',
  window: 4,
  responseTimeoutMs: 1_000,
  enquireLinkMs: 5_000,
  bindTimeoutMs: 3_000,
  unansweredMax: 2,
}
const MESSAGE = { sourceAddr: '1', destinationAddr: '2', shortMessage: Buffer.from('hi') }

type Test = SmppSession<string>

const sent = (session: Test): Pdu[] =>
  session.takeOutput().map((frame) => {
    const { pdu } = decodePdu(frame)
    assert.ok(pdu, 'everything a session writes can be decoded')
    return pdu
  })
const commands = (session: Test) => sent(session).map(({ command }) => command)
const told = (session: Test) => session.takeSessionEvents()
const kinds = (session: Test) => told(session).map(({ kind }) => kind)
const give = (session: Test, pdu: Pdu, now = 0) => session.receive(encodePdu(pdu), now)

function outcomes(sessionEvents: readonly SessionEvent<string>[]): string[] {
  return sessionEvents.flatMap((sessionEvent) => {
    if (sessionEvent.kind !== 'outcome') return []
    const { token, outcome } = sessionEvent
    const detail = outcome.kind === 'unknown' ? `unknown ${outcome.reason}` : outcome.kind
    return [`${token} ${detail}`]
  })
}

function boundEsme(settings: Partial<SessionSettings> = {}, lastSequence = 0): Test {
  const session: Test = new SmppSession({ ...SETTINGS, ...settings }, 0, lastSequence)
  session.bind('bind_transceiver', { systemId: 'me', password: 'secret' }, 0)
  const [bind] = sent(session)
  give(session, makePdu('bind_transceiver_resp', bind!.sequence, { systemId: 'smsc' }))
  assert.deepEqual(told(session), [{ kind: 'bound', as: 'bind_transceiver' }])
  return session
}

function boundSmsc(as: BindPdu['command'] = 'bind_transceiver'): Test {
  const session: Test = new SmppSession({ ...SETTINGS, side: 'smsc' }, 0)
  give(session, makePdu(as, 1, { systemId: 'me' }) as BindPdu)
  const [asked] = told(session)
  assert.ok(asked?.kind === 'bind_requested')
  session.answerBind(asked.pdu, 0, 'smsc', 0)
  assert.deepEqual(commands(session), [`${as}_resp`])
  assert.deepEqual(kinds(session), ['bound'])
  return session
}

/** Submits one message for each name and returns their sequence numbers. */
function submit(session: Test, names: string, now = 0): number[] {
  for (const name of names) assert.ok(session.request('submit_sm', MESSAGE, [], name, now))
  return sent(session).map(({ sequence }) => sequence)
}

test('responses are matched by sequence number, in any order', () => {
  const session = boundEsme()
  const [a, b, c] = submit(session, 'abc')
  give(session, makePdu('submit_sm_resp', c!, { messageId: 'C' }))
  give(session, makeFailure('submit_sm_resp', a!, STATUS.ESME_RTHROTTLED.code))
  give(session, makeFailure('generic_nack', b!, STATUS.ESME_RINVCMDID.code))
  const sessionEvents = told(session)
  assert.deepEqual(outcomes(sessionEvents), ['c answered', 'a answered', 'b nacked'])
  const [first] = sessionEvents
  assert.ok(first?.kind === 'outcome' && first.outcome.kind === 'answered')
  assert.deepEqual(first.outcome.pdu.body, { messageId: 'C' })
})

test('the window is full until a response or a timeout frees a slot', () => {
  const session = boundEsme()
  const [a] = submit(session, 'abcd')
  assert.equal(session.freeSlots, 0)
  assert.equal(session.request('submit_sm', MESSAGE, [], 'e', 0), false)
  assert.deepEqual(sent(session), [])
  give(session, makePdu('submit_sm_resp', a!, {}))
  assert.equal(session.freeSlots, 1)
  session.tick(1_000)
  assert.equal(session.freeSlots, 4)
})

test('a response timeout makes the outcome unknown, and a late response is still reported', () => {
  const session = boundEsme()
  const [a] = submit(session, 'a')
  assert.equal(session.nextTickAt(), 1_000)
  session.tick(999)
  assert.deepEqual(told(session), [])
  session.tick(1_000)
  assert.deepEqual(outcomes(told(session)), ['a unknown timeout'])
  const late = makePdu('submit_sm_resp', a!, { messageId: 'x' })
  give(session, late, 1_500)
  give(session, late, 1_501)
  assert.deepEqual(told(session), [
    { kind: 'late_answer', token: 'a', pdu: late },
    { kind: 'stray_answer', pdu: late },
  ])
})

test('a repeated, unexpected, or mismatched response settles nothing', () => {
  const session = boundEsme()
  const [a, b] = submit(session, 'ab')
  give(session, makePdu('submit_sm_resp', a!, {}))
  give(session, makePdu('submit_sm_resp', a!, {}))
  give(session, makePdu('submit_sm_resp', 999, {}))
  give(session, makePdu('enquire_link_resp', b!, {}))
  assert.deepEqual(kinds(session), ['outcome', 'stray_answer', 'stray_answer', 'stray_answer'])
  give(session, makePdu('submit_sm_resp', b!, {}))
  assert.deepEqual(outcomes(told(session)), ['b answered'])
})

test('a closed socket makes every pending submit unknown and then reports the end', () => {
  const session = boundEsme()
  submit(session, 'abc')
  session.disconnect('reset', 1)
  session.disconnect('again', 2)
  const sessionEvents = told(session)
  assert.deepEqual(outcomes(sessionEvents), [
    'a unknown closed',
    'b unknown closed',
    'c unknown closed',
  ])
  assert.deepEqual(sessionEvents.at(-1), {
    kind: 'closed',
    reason: 'disconnected',
    detail: 'reset',
  })
  assert.equal(sessionEvents.length, 4)
  assert.equal(session.request('submit_sm', MESSAGE, [], 'd', 3), false)
  give(session, makePdu('enquire_link', 1, {}), 3)
  session.tick(10_000)
  assert.deepEqual([sent(session), told(session), session.nextTickAt()], [[], [], null])
})

test('sequence numbers wrap around and skip those in use', () => {
  const session = boundEsme({ window: 10 }, 0x7fffffff - 3)
  assert.deepEqual(submit(session, 'abcd'), [0x7fffffff - 1, 0x7fffffff, 1, 2])
})

test('a silent peer gets an enquire_link and is disconnected if it does not respond', () => {
  const session = boundEsme()
  assert.equal(session.nextTickAt(), 5_000)
  session.tick(5_000)
  const [enquiry] = sent(session)
  assert.equal(enquiry!.command, 'enquire_link')
  give(session, makePdu('enquire_link_resp', enquiry!.sequence, {}), 5_500)
  session.tick(10_400)
  assert.deepEqual(sent(session), [])
  session.tick(10_500)
  assert.deepEqual(commands(session), ['enquire_link'])
  session.tick(11_500)
  assert.deepEqual(told(session).at(-1), {
    kind: 'closed',
    reason: 'peer_silent',
    detail: 'No answer to enquire_link',
  })
})

test('a peer that sends messages but does not respond to enquire_link counts as alive', () => {
  const session = boundEsme()
  session.tick(5_000)
  give(session, makePdu('deliver_sm', 7, MESSAGE), 5_200)
  session.tick(6_000)
  assert.equal(session.state, 'bound')
})

test('a peer that responds to enquire_link but to no submit is disconnected after a full window', () => {
  const session = boundEsme({ enquireLinkMs: 100_000 })
  submit(session, 'abc')
  session.tick(1_000)
  const [d] = submit(session, 'd', 1_000)
  give(session, makePdu('submit_sm_resp', d!, {}), 1_001)
  submit(session, 'efg', 1_002)
  session.tick(2_002)
  assert.equal(session.state, 'bound')
  submit(session, 'h', 2_003)
  give(session, makePdu('enquire_link', 1, {}), 2_500)
  session.tick(3_003)
  const closed = told(session).at(-1)
  assert.ok(closed?.kind === 'closed' && closed.reason === 'peer_silent')
})

test('any command in any state gets a response or is ignored, and never throws', () => {
  for (const command of COMMAND_NAMES) {
    for (const start of [
      () => new SmppSession<string>(SETTINGS, 0),
      () => new SmppSession<string>({ ...SETTINGS, side: 'smsc' }, 0),
      boundEsme,
      boundSmsc,
      () => boundSmsc('bind_receiver'),
    ]) {
      const session = start()
      if (session.freeSlots > 0) session.request('data_sm', {}, [], 'a', 0)
      sent(session)
      for (const sequence of [0, 1, 2, 0xffffffff]) {
        give(session, makePdu(command, sequence, {}) as Pdu)
        assert.ok(sent(session).length <= 1, command)
      }
      session.disconnect('end', 1)
      assert.ok(outcomes(told(session)).length <= 1)
    }
  }
})

test('a refused bind and a bind without a response end the session', () => {
  const refused: Test = new SmppSession(SETTINGS, 0)
  refused.bind('bind_transmitter', { systemId: 'me' }, 0)
  give(refused, makeFailure('bind_transmitter_resp', 1, STATUS.ESME_RINVPASWD.code))
  assert.deepEqual(kinds(refused), ['bind_refused', 'closed'])

  const nacked: Test = new SmppSession(SETTINGS, 0)
  nacked.bind('bind_transmitter', { systemId: 'me' }, 0)
  give(nacked, makeFailure('generic_nack', 1, 0))
  assert.deepEqual(kinds(nacked), ['bind_refused', 'closed'])

  const silent: Test = new SmppSession(SETTINGS, 0)
  silent.bind('bind_transmitter', { systemId: 'me' }, 0)
  silent.tick(999)
  assert.deepEqual(told(silent), [])
  silent.tick(1_000)
  assert.deepEqual(kinds(silent), ['closed'])

  const nobody: Test = new SmppSession({ ...SETTINGS, side: 'smsc' }, 0)
  assert.equal(nobody.nextTickAt(), 3_000)
  nobody.tick(3_000)
  assert.deepEqual(kinds(nobody), ['closed'])
})

test('a peer that requested a bind in time is not disconnected while the bind is checked', () => {
  const session: Test = new SmppSession({ ...SETTINGS, side: 'smsc' }, 0)
  give(session, makePdu('bind_transceiver', 1, { systemId: 'me' }), SETTINGS.bindTimeoutMs - 1)
  const [asked] = told(session)
  assert.ok(asked?.kind === 'bind_requested')
  session.tick(SETTINGS.bindTimeoutMs * 10)
  assert.deepEqual(told(session), [])
  session.answerBind(asked.pdu, 0, 'smsc', SETTINGS.bindTimeoutMs * 10)
  assert.deepEqual(kinds(session), ['bound'])
})

test('an unbind waits for pending requests of both sides', () => {
  const session = boundEsme()
  const [a] = submit(session, 'a')
  give(session, makePdu('deliver_sm', 50, MESSAGE))
  const [request] = told(session)
  assert.ok(request?.kind === 'request')
  session.unbind(10)
  assert.equal(session.freeSlots, 0)
  assert.deepEqual(sent(session), [])
  give(session, makePdu('submit_sm_resp', a!, {}), 20)
  assert.deepEqual(sent(session), [])
  session.respond(request.pdu, {}, 30)
  const [answer, goodbye] = sent(session)
  assert.deepEqual([answer!.command, goodbye!.command], ['deliver_sm_resp', 'unbind'])
  give(session, makePdu('unbind_resp', goodbye!.sequence, {}), 40)
  assert.deepEqual(kinds(session), ['outcome', 'closed'])
})

test('an unbind does not wait forever for responses or for unbind_resp', () => {
  const session = boundEsme()
  submit(session, 'a', 500)
  session.unbind(600)
  session.tick(1_600)
  assert.deepEqual(commands(session), ['unbind'])
  session.tick(2_600)
  assert.deepEqual(outcomes(told(session)), ['a unknown timeout'])
  assert.equal(session.state, 'closed')
})

test('requests of the peer get one response each, and those over the limit are throttled', () => {
  const session = boundSmsc()
  for (const sequence of [2, 3, 4]) give(session, makePdu('submit_sm', sequence, MESSAGE))
  const [refused] = sent(session)
  assert.deepEqual([refused!.sequence, refused!.status], [4, STATUS.ESME_RTHROTTLED.code])
  const pdus = told(session).map((sessionEvent) => (sessionEvent as { pdu: WorkPdu }).pdu)
  assert.equal(pdus.length, 2)
  session.respond(pdus[0] as PduOf<'submit_sm'>, { fields: { messageId: 'x' } }, 1)
  session.respond(pdus[0] as PduOf<'submit_sm'>, { fields: { messageId: 'y' } }, 1)
  session.respond(pdus[1] as PduOf<'submit_sm'>, { status: 0x14 }, 1)
  assert.deepEqual(sent(session), [
    makePdu('submit_sm_resp', 2, { messageId: 'x' }),
    makeFailure('submit_sm_resp', 3, 0x14),
  ])
})

test('the allowed commands per bind type follow the specification', () => {
  const open: Test = new SmppSession({ ...SETTINGS, side: 'smsc' }, 0)
  for (const [session, command, status] of [
    [open, 'submit_sm', 'ESME_RINVBNDSTS'],
    [open, 'deliver_sm', 'ESME_RINVCMDID'],
    [boundSmsc('bind_receiver'), 'submit_sm', 'ESME_RINVBNDSTS'],
    [boundSmsc('bind_transmitter'), 'bind_receiver', 'ESME_RALYBND'],
    [boundEsme(), 'submit_sm', 'ESME_RINVCMDID'],
    [boundEsme(), 'bind_receiver', 'ESME_RINVCMDID'],
    [boundEsme(), 'outbind', 'ESME_RINVBNDSTS'],
  ] as const) {
    give(session, makePdu(command as CommandName, 5, {}) as Pdu)
    const [answer] = sent(session)
    assert.equal(answer!.status, STATUS[status].code, `${command} ${status}`)
    assert.equal(answer!.sequence, 5)
    assert.deepEqual(told(session), [])
  }
  assert.equal(boundSmsc('bind_transmitter').freeSlots, 0)
  assert.equal(boundSmsc('bind_receiver').freeSlots, 4)
  assert.equal(boundEsme().request('deliver_sm', MESSAGE, [], 'a', 0), false)
  const esme = boundEsme()
  give(esme, makePdu('alert_notification', 5, {}))
  assert.deepEqual(kinds(esme), ['notice'])
})

test('a broken request gets a response, a broken response makes its submit unknown, and garbage ends the session', () => {
  const session = boundEsme()
  const [a] = submit(session, 'a')
  const broken = Buffer.from(`0000001180000004000000000000000041`, 'hex')
  broken.writeUInt32BE(a!, 12)
  session.receive(broken, 1)
  assert.deepEqual(outcomes(told(session)), ['a unknown malformed'])
  session.receive(Buffer.from('00000010000000990000000000000008', 'hex'), 1)
  const [nack] = sent(session)
  assert.deepEqual(nack, makeFailureAsRead('generic_nack', 8, STATUS.ESME_RINVCMDID.code))

  session.receive(Buffer.from('00000003'.repeat(8), 'hex'), 2)
  assert.deepEqual(commands(session), ['generic_nack'])
  const closed = told(session).at(-1)
  assert.ok(closed?.kind === 'closed' && closed.reason === 'garbage')
})

function makeFailureAsRead(command: 'generic_nack', sequence: number, status: number): Pdu {
  return { ...makeFailure(command, sequence, status), body: {} }
}

test('too many invalid frames in a row end the session with a reason', () => {
  const session = boundEsme()
  for (let i = 0; i < 12; i++) {
    session.receive(Buffer.from('00000010000000990000000000000008', 'hex'), 1)
  }
  assert.equal(sent(session).length, 10)
  assert.equal(session.state, 'closed')
})

test('a value that cannot be encoded changes nothing', () => {
  const session = boundEsme()
  const bad = { ...MESSAGE, sourceAddr: 'ж' }
  assert.throws(() => session.request('submit_sm', bad, [], 'a', 0), /sourceAddr/)
  assert.equal(session.freeSlots, 4)
  assert.deepEqual([sent(session), told(session)], [[], []])
})
