// A carrier for SMPP link tests. The test decides what it responds and when: a session on the SMSC side over a real
// loopback socket.

import type { Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { BodyOf, PduOf } from '../src/smpp/pdu/pdu.js'
import type { Tlv } from '../src/smpp/pdu/tlv.js'
import type {
  BindPdu,
  RequestOutcome,
  SessionEvent,
  SessionSettings,
} from '../src/smpp/session/session-event.js'
import { listenSmpp, type SmppListenerOptions } from '../src/smpp/sockets/listen-smpp.js'
import { SmppSocket } from '../src/smpp/sockets/smpp-socket.js'

export type SubmitPdu = PduOf<'submit_sm'>

const SESSION: SessionSettings = {
  side: 'smsc',
  window: 100,
  responseTimeoutMs: 60_000,
  enquireLinkMs: 60_000,
  bindTimeoutMs: 60_000,
  unansweredMax: 10_000,
}

export class PeerBind {
  readonly socket: Socket
  readonly smpp: SmppSocket<string>
  readonly told: SessionEvent<string>[] = []
  readonly submits: SubmitPdu[] = []
  readonly #peer: TestPeer
  bound: BindPdu | null = null

  constructor(socket: Socket, peer: TestPeer) {
    this.socket = socket
    this.#peer = peer
    this.smpp = new SmppSocket<string>(
      socket,
      { ...SESSION, ...peer.session },
      {
        onSessionEvent: (sessionEvent) => this.#happened(sessionEvent),
      },
    )
  }

  get isOpen(): boolean {
    return this.smpp.state === 'bound'
  }

  /** The result of a message it sent. */
  outcomeOf(token: string): RequestOutcome | undefined {
    for (const sessionEvent of this.told) {
      if (sessionEvent.kind === 'outcome' && sessionEvent.token === token)
        return sessionEvent.outcome
    }
    return undefined
  }

  take(pdu: SubmitPdu, messageId: string, tlvs: readonly Tlv[] = []): void {
    this.smpp.respond(pdu, { fields: { messageId }, tlvs })
  }

  refuse(pdu: SubmitPdu, status: number): void {
    this.smpp.respond(pdu, { status })
  }

  deliver(
    fields: Partial<BodyOf<'deliver_sm'>>,
    token: string,
    tlvs: readonly Tlv[] = [],
  ): boolean {
    return this.smpp.request('deliver_sm', fields, tlvs, token)
  }

  #happened(sessionEvent: SessionEvent<string>): void {
    this.told.push(sessionEvent)
    if (sessionEvent.kind === 'bind_requested') {
      this.bound = sessionEvent.pdu
      const status = this.#peer.validateBind(sessionEvent.pdu)
      if (status === 0) this.smpp.acceptBind(sessionEvent.pdu, 'peer')
      else this.smpp.refuseBind(sessionEvent.pdu, status)
    }
    if (sessionEvent.kind !== 'request' || sessionEvent.pdu.command !== 'submit_sm') return
    this.submits.push(sessionEvent.pdu)
    this.#peer.submits.push(sessionEvent.pdu)
    this.#peer.onSubmit(this, sessionEvent.pdu)
  }
}

export class TestPeer {
  port = 0
  /** For future connections. */
  session: Partial<SessionSettings> = {}
  readonly binds: PeerBind[] = []
  /** In order of arrival, over all binds. */
  readonly submits: SubmitPdu[] = []
  validateBind: (pdu: BindPdu) => number = () => 0
  /** Accepts everything by default. */
  onSubmit: (bind: PeerBind, pdu: SubmitPdu) => void = (bind, pdu) =>
    bind.take(pdu, `id-${this.submits.length}`)

  get open(): PeerBind[] {
    return this.binds.filter(({ isOpen }) => isOpen)
  }
}

export async function startPeer(
  t: TestContext,
  options: Partial<SmppListenerOptions> = {},
): Promise<TestPeer> {
  const peer = new TestPeer()
  const listener = await listenSmpp({ host: '127.0.0.1', port: 0, ...options }, (socket) => {
    peer.binds.push(new PeerBind(socket, peer))
  })
  t.after(() => listener.close())
  peer.port = listener.port
  return peer
}
