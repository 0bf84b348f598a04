// Sessions over real loopback sockets: split into bytes, not read, cut, silent, and encrypted.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { selfSigned } from '../../../test/self-signed.js'
import { until } from '../../../test/until.js'
import { decodePdu } from '../pdu/decode.js'
import { encodePdu } from '../pdu/encode.js'
import { FrameSplitter } from '../pdu/frame-splitter.js'
import { makePdu, type Pdu } from '../pdu/pdu.js'
import { STATUS } from '../pdu/status.js'
import type { BindPdu, SessionEvent, SessionSettings, WorkPdu } from '../session/session-event.js'
import { connectSmpp, type SmppTarget } from './connect-smpp.js'
import { listenSmpp, type SmppListenerOptions } from './listen-smpp.js'
import { SmppSocket } from './smpp-socket.js'

const SETTINGS: SessionSettings = {
  side: 'esme',
  window: 10,
  responseTimeoutMs: 60_000,
  enquireLinkMs: 60_000,
  bindTimeoutMs: 60_000,
  unansweredMax: 10,
}
const MESSAGE = { sourceAddr: '1', destinationAddr: '2', shortMessage: Buffer.from('hello') }

interface End {
  smpp: SmppSocket<string>
  told: SessionEvent<string>[]
}

function drive(socket: Socket, settings: Partial<SessionSettings>): End {
  const told: SessionEvent<string>[] = []
  const smpp = new SmppSocket<string>(
    socket,
    { ...SETTINGS, ...settings },
    { onSessionEvent: (sessionEvent) => told.push(sessionEvent) },
  )
  return { smpp, told }
}

const of = <K extends SessionEvent<string>['kind']>({ told }: End, kind: K) =>
  told.filter((sessionEvent): sessionEvent is Extract<SessionEvent<string>, { kind: K }> => {
    return sessionEvent.kind === kind
  })

async function listening(t: TestContext, options: Partial<SmppListenerOptions> = {}) {
  const sockets: Socket[] = []
  const where = { host: '127.0.0.1', port: 0, ...options }
  const listener = await listenSmpp(where, (socket) => sockets.push(socket))
  t.after(() => listener.close())
  return { port: listener.port, sockets }
}

function target(port: number, tls: SmppTarget['tls'] = null): SmppTarget {
  const { signal } = new AbortController()
  return { host: '127.0.0.1', port, tls, timeoutMs: 60_000, signal }
}

/** Both sides, bound. */
async function bound(t: TestContext, settings: Partial<SessionSettings> = {}, tls = false) {
  const certificate = selfSigned('smsc.test')
  const { port, sockets } = await listening(t, { tls: tls ? certificate : null })
  const trusted = tls ? { ca: certificate.cert, servername: 'smsc.test' } : null
  const socket = await connectSmpp(target(port, trusted))
  const esme = drive(socket, settings)
  const smsc = drive(await until(() => sockets[0], 'the connection'), { ...settings, side: 'smsc' })
  esme.smpp.bind('bind_transceiver', { systemId: 'us', password: 'secret' })
  const [{ pdu }] = await until(() => asked(smsc), 'the bind')
  smsc.smpp.acceptBind(pdu, 'them')
  await until(() => esme.smpp.state === 'bound', 'the bind to complete')
  return { esme, smsc, sockets, socket }
}

function asked(end: End) {
  const [first] = of(end, 'bind_requested')
  return first && ([first] as [{ pdu: BindPdu }])
}

/** A peer without a session that sends and reads anything. */
async function raw(t: TestContext, port: number) {
  const socket = connect({ host: '127.0.0.1', port })
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  const pdus: Pdu[] = []
  const splitter = new FrameSplitter((frame) => {
    const { pdu } = decodePdu(frame)
    if (pdu) pdus.push(pdu)
  })
  return { socket, pdus, read: () => socket.on('data', (chunk) => splitter.push(chunk)) }
}

const BIND = makePdu('bind_transceiver', 1, { systemId: 'us', password: 'secret' })

/** Our side is the SMSC, bound to a raw peer. */
async function boundToRaw(t: TestContext, settings: Partial<SessionSettings> = {}) {
  const { port, sockets } = await listening(t)
  const peer = await raw(t, port)
  const smsc = drive(await until(() => sockets[0], 'the connection'), { ...settings, side: 'smsc' })
  peer.socket.write(encodePdu(BIND))
  const [{ pdu }] = await until(() => asked(smsc), 'the bind')
  smsc.smpp.acceptBind(pdu, 'them')
  return { peer, smsc, socket: sockets[0]! }
}

for (const tls of [false, true]) {
  test(`messages and responses go both ways ${tls ? 'over TLS' : 'in plain text'}`, async (t) => {
    const { esme, smsc } = await bound(t, {}, tls)
    for (const token of ['a', 'b']) assert.ok(esme.smpp.request('submit_sm', MESSAGE, [], token))
    const taken = await until(() => of(smsc, 'request').length === 2 && of(smsc, 'request'), 'both')
    for (const [i, { pdu }] of taken.entries()) {
      smsc.smpp.respond(pdu as WorkPdu & { command: 'submit_sm' }, {
        fields: { messageId: `${i}` },
      })
    }
    smsc.smpp.request('deliver_sm', MESSAGE, [], 'inbound')
    await until(() => of(esme, 'outcome').length === 2, 'the answers')
    const ids = of(esme, 'outcome').map(({ token, outcome }) => {
      assert.ok(outcome.kind === 'answered')
      return [token, (outcome.pdu.body as { messageId: string }).messageId]
    })
    assert.deepEqual(ids, [
      ['a', '0'],
      ['b', '1'],
    ])
    const inbound = await until(() => of(esme, 'request')[0], 'an inbound message')
    esme.smpp.respond(inbound.pdu as WorkPdu & { command: 'deliver_sm' }, {})
    await until(() => of(smsc, 'outcome').length === 1, 'its answer')
  })
}

test('an untrusted certificate or one for another name is refused', async (t) => {
  const certificate = selfSigned('smsc.test')
  const { port } = await listening(t, { tls: certificate })
  await assert.rejects(connectSmpp(target(port, { servername: 'smsc.test' })), /self-signed/)
  const other = { ca: certificate.cert, servername: 'other.test' }
  await assert.rejects(connectSmpp(target(port, other)), /does not match certificate/)
})

test('a connection attempt fails after its timeout or when it is aborted', async (t) => {
  const { port } = await listening(t)
  const tls = { servername: 'smsc.test' }
  await assert.rejects(connectSmpp({ ...target(port, tls), timeoutMs: 1 }), /No connection within/)
  const signal = AbortSignal.abort()
  await assert.rejects(connectSmpp({ ...target(port), signal }), /The attempt was ended/)
})

test('a million single-byte writes work like one write', async (t) => {
  const { peer, smsc } = await boundToRaw(t)
  peer.read()
  const frame = encodePdu(makePdu('enquire_link', 7, {}))
  const bytes = [...frame].map((byte) => Buffer.from([byte]))
  const rounds = 1_000_000 / frame.length
  for (let round = 0; round < rounds; round++) {
    for (const byte of bytes) peer.socket.write(byte)
    if (peer.socket.writableNeedDrain) await once(peer.socket, 'drain')
  }
  await until(() => peer.pdus.length === rounds + 1, 'all answers')
  assert.equal(peer.pdus.at(-1)!.command, 'enquire_link_resp')
  assert.equal(smsc.smpp.state, 'bound')
})

test('the PDUs of one turn leave in one write, up to the window', async (t) => {
  const { esme, smsc, socket } = await bound(t)
  const write = t.mock.method(socket, 'write')
  for (let i = 0; i < 10; i++) esme.smpp.request('submit_sm', MESSAGE, [], String(i))
  await until(() => of(smsc, 'request').length === 10, 'ten messages')
  assert.equal(write.mock.callCount(), 1)
  assert.equal(esme.smpp.freeSlots, 0)
  assert.equal(esme.smpp.request('submit_sm', MESSAGE, [], 'more'), false)
})

test('a peer that never reads is no longer read from, uses bounded memory, and is disconnected in the end', async (t) => {
  const settings = { enquireLinkMs: 300, responseTimeoutMs: 300 }
  const { peer, smsc, socket } = await boundToRaw(t, settings)
  peer.socket.pause()
  const enquiries = Buffer.concat(
    Array.from({ length: 4_096 }, () => encodePdu(makePdu('enquire_link', 7, {}))),
  )
  // However much it writes, it fills only the socket buffers of both sides.
  const flood = () => {
    while (!peer.socket.destroyed && peer.socket.write(enquiries)) {}
  }
  peer.socket.on('drain', flood)
  flood()
  let most = 0
  const closed = await until(() => {
    most = Math.max(most, socket.writableLength)
    return of(smsc, 'closed')[0]
  }, 'the end')
  assert.equal(closed.reason, 'peer_silent')
  assert.ok(most < 8 * 1024 * 1024, `${most} bytes were buffered`)
  assert.ok(smsc.told.at(-1)!.kind === 'closed')
})

test('a peer that disappears silently is detected, and pending submits are unknown', async (t) => {
  const { port, sockets } = await listening(t)
  const esme = drive(await connectSmpp(target(port)), { enquireLinkMs: 50, responseTimeoutMs: 300 })
  const smsc = drive(await until(() => sockets[0], 'the connection'), { side: 'smsc' })
  esme.smpp.bind('bind_transceiver', { systemId: 'us', password: 'secret' })
  const [{ pdu }] = await until(() => asked(smsc), 'the bind')
  smsc.smpp.acceptBind(pdu, 'them')
  await until(() => esme.smpp.state === 'bound', 'the bind to complete')
  sockets[0]!.pause()
  esme.smpp.request('submit_sm', MESSAGE, [], 'a')
  await until(() => of(esme, 'closed').length === 1, 'the end')
  assert.equal(of(esme, 'closed')[0]!.reason, 'peer_silent')
  assert.equal(of(esme, 'outcome')[0]!.outcome.kind, 'unknown')
})

test('a socket that is cut or ended by the peer makes pending submits unknown and closes once', async (t) => {
  for (const cut of ['destroy', 'end', 'resetAndDestroy'] as const) {
    const { esme, smsc, sockets } = await bound(t)
    esme.smpp.request('submit_sm', MESSAGE, [], 'a')
    await until(() => of(smsc, 'request').length === 1, 'the message')
    sockets[0]![cut]()
    await until(() => of(esme, 'closed').length === 1, 'the end')
    assert.deepEqual(
      esme.told.slice(-2).map(({ kind }) => kind),
      ['outcome', 'closed'],
    )
    assert.equal(of(esme, 'closed')[0]!.reason, 'disconnected')
    assert.equal(esme.smpp.request('submit_sm', MESSAGE, [], 'b'), false)
    await until(() => of(smsc, 'closed').length === 1, 'the other side to close')
  }
})

test('unbinds and refusals reach the peer before the socket closes', async (t) => {
  const { esme, smsc } = await bound(t)
  esme.smpp.unbind()
  await until(() => of(esme, 'closed').length && of(smsc, 'closed').length, 'both ends')
  assert.equal(of(esme, 'closed')[0]!.reason, 'unbound')
  assert.equal(of(smsc, 'closed')[0]!.reason, 'peer_unbound')

  const { port, sockets } = await listening(t)
  const refused = drive(await connectSmpp(target(port)), {})
  const strict = drive(await until(() => sockets[0], 'the connection'), { side: 'smsc' })
  refused.smpp.bind('bind_transmitter', { systemId: 'us', password: 'wrong' })
  const [{ pdu }] = await until(() => asked(strict), 'the bind')
  strict.smpp.refuseBind(pdu, STATUS.ESME_RINVPASWD.code)
  await until(() => of(refused, 'closed').length === 1, 'the end')
  assert.equal(of(refused, 'bind_refused')[0]!.status, STATUS.ESME_RINVPASWD.code)
})

test('garbage gets a response with the reason and ends the session', async (t) => {
  const { peer, smsc } = await boundToRaw(t)
  peer.read()
  peer.socket.write('GET / HTTP/1.1\r\nhost: smsc.test\r\n\r\n')
  await once(peer.socket, 'close')
  assert.equal(of(smsc, 'closed')[0]!.reason, 'garbage')
  assert.equal(peer.pdus.at(-1)!.command, 'generic_nack')
})

test('an address in use is reported', async (t) => {
  const { port } = await listening(t)
  await assert.rejects(
    listenSmpp({ host: '127.0.0.1', port }, () => {}),
    /EADDRINUSE/,
  )
})
