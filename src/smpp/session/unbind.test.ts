// The orderly end of a session: pending requests get their responses first, whichever side unbinds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePdu } from '../pdu/decode.js'
import { encodePdu } from '../pdu/encode.js'
import { makePdu, type Pdu } from '../pdu/pdu.js'
import { STATUS } from '../pdu/status.js'
import { SmppSession } from './session.js'
import type { SessionSettings, WorkPdu } from './session-event.js'

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
    assert.ok(pdu)
    return pdu
  })
const commands = (session: Test) => sent(session).map(({ command }) => command)
const give = (session: Test, pdu: Pdu, now = 0) => session.receive(encodePdu(pdu), now)

function boundEsme(settings: Partial<SessionSettings> = {}): Test {
  const session: Test = new SmppSession({ ...SETTINGS, ...settings }, 0)
  session.bind('bind_transceiver', { systemId: 'me', password: 'secret' }, 0)
  const [bind] = sent(session)
  give(session, makePdu('bind_transceiver_resp', bind!.sequence, { systemId: 'smsc' }))
  session.takeSessionEvents()
  return session
}

function submit(session: Test, token: string, now = 0): number {
  assert.ok(session.request('submit_sm', MESSAGE, [], token, now))
  return sent(session)[0]!.sequence
}

/** The events as text: `a answered`, `request`, `closed unbound`. */
function told(session: Test): string[] {
  return session.takeSessionEvents().map((sessionEvent) => {
    if (sessionEvent.kind === 'closed') return `closed ${sessionEvent.reason}`
    if (sessionEvent.kind !== 'outcome') return sessionEvent.kind
    const { token, outcome } = sessionEvent
    return `${token} ${outcome.kind === 'unknown' ? outcome.reason : outcome.kind}`
  })
}

function nextRequest(session: Test): WorkPdu {
  const [request] = session.takeSessionEvents()
  assert.ok(request?.kind === 'request')
  return request.pdu
}

test('receipts are accepted until the carrier responds to our unbind', () => {
  const session = boundEsme()
  session.unbind(10)
  assert.deepEqual(commands(session), ['unbind'])
  give(session, makePdu('deliver_sm', 50, MESSAGE), 20)
  const first = nextRequest(session)
  session.respond(first as never, {}, 30)
  assert.deepEqual(sent(session), [makePdu('deliver_sm_resp', 50, {})])

  give(session, makePdu('deliver_sm', 51, MESSAGE), 40)
  const second = nextRequest(session)
  give(session, makePdu('unbind_resp', 2, {}), 50)
  assert.deepEqual(told(session), [], 'a response is still pending')
  give(session, makePdu('deliver_sm', 52, MESSAGE), 60)
  assert.equal(sent(session)[0]!.status, STATUS.ESME_RINVBNDSTS.code, 'the session is unbound')
  session.respond(second as never, {}, 70)
  assert.deepEqual(sent(session), [makePdu('deliver_sm_resp', 51, {})])
  assert.deepEqual(told(session), ['closed unbound'])
})

test('a carrier that keeps sending receipts does not delay our unbind', () => {
  const session = boundEsme({ responseTimeoutMs: 30_000, unansweredMax: 100 })
  session.unbind(0)
  session.takeOutput()
  const other = boundEsme({ responseTimeoutMs: 30_000, unansweredMax: 100 })
  give(other, makePdu('deliver_sm', 50, MESSAGE), 0)
  other.unbind(0)
  assert.deepEqual(commands(other), [])
  assert.ok(other.nextTickAt()! <= 1_000)
  other.tick(1_000)
  assert.deepEqual(commands(other), ['unbind'])
})

test('pending responses after the unbind_resp are not waited for forever or after a disconnect', () => {
  for (const end of ['time', 'cut'] as const) {
    const session = boundEsme()
    session.unbind(10)
    give(session, makePdu('deliver_sm', 50, MESSAGE), 20)
    give(session, makePdu('unbind_resp', 2, {}), 30)
    if (end === 'cut') session.disconnect('The peer ended the connection', 40)
    else session.tick(session.nextTickAt()!)
    assert.deepEqual(told(session), ['request', 'closed unbound'])
  }
})

test("our response to a carrier's unbind waits for its outstanding responses", () => {
  const session = boundEsme()
  const [a, b] = [submit(session, 'a'), submit(session, 'b')]
  give(session, makePdu('unbind', 9, {}), 10)
  assert.deepEqual(commands(session), [])
  assert.equal(session.freeSlots, 0, 'nothing new is sent')
  assert.deepEqual(told(session), ['peer_unbinding'])
  give(session, makePdu('submit_sm_resp', a!, { messageId: 'x' }), 20)
  assert.deepEqual(commands(session), [])
  give(session, makePdu('submit_sm_resp', b!, { messageId: 'y' }), 30)
  assert.deepEqual(sent(session), [makePdu('unbind_resp', 9, {})])
  assert.deepEqual(told(session), ['a answered', 'b answered', 'closed peer_unbound'])
})

test("a carrier's unbind gets its response after the response timeout at the latest", () => {
  const session = boundEsme()
  submit(session, 'a', 500)
  give(session, makePdu('unbind', 9, {}), 600)
  session.tick(1_499)
  assert.deepEqual(told(session), ['peer_unbinding'])
  session.tick(1_500)
  assert.deepEqual(commands(session), ['unbind_resp'])
  assert.deepEqual(told(session), ['a timeout', 'closed peer_unbound'])
})

test('a second unbind, or one without a bind, gets a response immediately', () => {
  const session = boundEsme()
  submit(session, 'a')
  give(session, makePdu('unbind', 9, {}))
  give(session, makePdu('unbind', 10, {}))
  assert.deepEqual(sent(session), [makePdu('unbind_resp', 10, {})])
  assert.deepEqual(told(session), ['peer_unbinding', 'a closed', 'closed peer_unbound'])

  const stranger: Test = new SmppSession({ ...SETTINGS, side: 'smsc' }, 0)
  give(stranger, makePdu('unbind', 1, {}))
  assert.deepEqual(commands(stranger), ['unbind_resp'])
  assert.deepEqual(told(stranger), ['closed peer_unbound'])
})

test('both sides end when they unbind at the same time', () => {
  const session = boundEsme()
  const a = submit(session, 'a')
  session.unbind(10)
  give(session, makePdu('unbind', 9, {}), 20)
  give(session, makePdu('submit_sm_resp', a, {}), 30)
  assert.deepEqual(commands(session), ['unbind_resp'])
  const other = boundEsme()
  other.unbind(10)
  give(other, makePdu('unbind', 9, {}), 20)
  assert.deepEqual(commands(other), ['unbind', 'unbind_resp'])
})
