// One session over one socket. Everything from one turn of the event loop leaves in one write. If a peer does not
// read, we stop sending to it and reading from it, so it cannot fill our memory. One timer serves all timeouts of
// the session. Whatever the socket does, the last event is `closed`, exactly once.

import type { Socket } from 'node:net'
import { elapsedMs } from '../../kit/clock.js'
import type { BodyOf, PduOf } from '../pdu/pdu.js'
import { STATUS } from '../pdu/status.js'
import type { Tlv } from '../pdu/tlv.js'
import { SmppSession } from '../session/session.js'
import type {
  BindName,
  BindPdu,
  CloseReason,
  PeerAnswer,
  SessionEvent,
  SessionSettings,
  SessionState,
  WorkName,
} from '../session/session-event.js'
import type { SocketEndpoint, Trace } from './trace.js'

export interface SmppSocketOptions<T> {
  onSessionEvent: (sessionEvent: SessionEvent<T>) => void
  /** The peer reads again, so slots may be free. */
  onDrain?: () => void
  trace?: Trace | null
}

/** After our last PDU the socket closes, whether or not the peer has read it. */
const LINGER_MS = 2_000
/** Reasons after which the peer still has a PDU from us to read. */
const SAYS_GOODBYE: readonly CloseReason[] = ['unbound', 'peer_unbound', 'bind_refused', 'garbage']
/** The maximum delay of a timer. */
const WAIT_MAX_MS = 0x7fffffff

export class SmppSocket<T> {
  readonly local: SocketEndpoint
  readonly remote: SocketEndpoint
  readonly #socket: Socket
  readonly #session: SmppSession<T>
  readonly #onSessionEvent: (sessionEvent: SessionEvent<T>) => void
  readonly #onDrain: (() => void) | undefined
  #trace: Trace | null = null
  #timer: NodeJS.Timeout | null = null
  #timerAt = Number.POSITIVE_INFINITY
  #isFlushPlanned = false
  #isTelling = false
  /** The peer accepts no more data for now. */
  #isBlocked = false

  /** The socket is connected, and its handshake is done. */
  constructor(socket: Socket, settings: SessionSettings, options: SmppSocketOptions<T>) {
    this.#socket = socket
    this.#onSessionEvent = options.onSessionEvent
    this.#onDrain = options.onDrain
    this.#session = new SmppSession(settings, elapsedMs())
    this.local = { address: socket.localAddress ?? '', port: socket.localPort ?? 0 }
    this.remote = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 }
    this.trace = options.trace ?? null
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) =>
      this.#turn(() => this.#session.receive(chunk, elapsedMs())),
    )
    socket.on('drain', () => this.#unblock())
    socket.on('end', () => this.#disconnected('The peer ended the connection'))
    socket.on('error', (error) => this.#disconnected(error.message))
    socket.on('close', () => this.#disconnected('The connection was closed'))
    this.#planTick()
  }

  /** May change at any time. */
  set trace(trace: Trace | null) {
    this.#trace = trace
    this.#session.onFrame = trace && ((frame) => trace.frame('received', frame))
  }

  /** The maximum number of peer requests that wait for our response, from now on. */
  set unansweredMax(count: number) {
    this.#session.unansweredMax = count
  }

  /** How many requests may be sent now. */
  get freeSlots(): number {
    return this.#isBlocked ? 0 : this.#session.freeSlots
  }

  /** `host:port` */
  get peer(): string {
    const { address, port } = this.remote
    return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
  }

  get state(): SessionState {
    return this.#session.state
  }

  /** ESME: call this first. */
  bind(as: BindName, fields: Partial<BodyOf<BindName>>): void {
    this.#turn(() => this.#session.bind(as, fields, elapsedMs()))
  }

  acceptBind(pdu: BindPdu, systemId: string): void {
    this.#turn(() => this.#session.answerBind(pdu, STATUS.ESME_ROK.code, systemId, elapsedMs()))
  }

  /** Ends the session. */
  refuseBind(pdu: BindPdu, status: number): void {
    this.#turn(() => this.#session.answerBind(pdu, status, '', elapsedMs()))
  }

  /** False: not sent, because there is no bind or no free slot. Throws if a value cannot be encoded. */
  request<C extends WorkName>(
    command: C,
    fields: Partial<BodyOf<C>>,
    tlvs: readonly Tlv[],
    token: T,
  ): boolean {
    if (this.#isBlocked) return false
    const hasLeft = this.#session.request(command, fields, tlvs, token, elapsedMs())
    if (hasLeft) this.#planFlush()
    return hasLeft
  }

  /** Responds to the peer's work. A second response, or one after the end, is ignored. */
  respond<C extends WorkName>(pdu: PduOf<C>, answer: PeerAnswer<C>): void {
    this.#turn(() => this.#session.respond(pdu, answer, elapsedMs()))
  }

  /** This work will not be answered. An orderly end does not wait for it. */
  discard(pdu: PduOf<WorkName>): void {
    this.#turn(() => this.#session.discard(pdu, elapsedMs()))
  }

  /** Orderly: nothing new is sent, pending requests are awaited, and then both sides unbind. */
  unbind(): void {
    this.#turn(() => this.#session.unbind(elapsedMs()))
  }

  /** At once: pending requests are unknown. */
  destroy(detail: string): void {
    this.#disconnected(detail)
  }

  #disconnected(detail: string): void {
    this.#turn(() => this.#session.disconnect(detail, elapsedMs()))
    this.#socket.destroy()
  }

  /** Runs an action on the session and handles its events. */
  #turn(work: () => void): void {
    work()
    this.#planFlush()
    this.#tell()
  }

  /** In order, even if a listener makes the session do more. */
  #tell(): void {
    if (this.#isTelling) return
    this.#isTelling = true
    try {
      for (let told = this.#session.takeSessionEvents(); told.length > 0; ) {
        for (const sessionEvent of told) this.#tellOne(sessionEvent)
        told = this.#session.takeSessionEvents()
      }
    } finally {
      this.#isTelling = false
    }
  }

  #tellOne(sessionEvent: SessionEvent<T>): void {
    if (sessionEvent.kind === 'closed') this.#endSocket(sessionEvent.reason)
    this.#onSessionEvent(sessionEvent)
  }

  #planFlush(): void {
    if (this.#isFlushPlanned) return
    this.#isFlushPlanned = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#isFlushPlanned = false
    const frames = this.#session.takeOutput()
    if (frames.length > 0) this.#write(frames)
    this.#planTick()
  }

  #write(frames: Buffer[]): void {
    if (!this.#socket.writable) return
    if (this.#trace) for (const frame of frames) this.#trace.frame('sent', frame)
    const isTaken = this.#socket.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames))
    if (isTaken || this.#isBlocked) return
    this.#isBlocked = true
    this.#socket.pause()
  }

  #unblock(): void {
    this.#isBlocked = false
    this.#socket.resume()
    this.#onDrain?.()
  }

  /** The timer is moved only if the session must wake earlier, because most timeouts never fire. */
  #planTick(): void {
    const at = this.#session.nextTickAt()
    if (at === null) {
      if (this.#timer) clearTimeout(this.#timer)
      this.#timer = null
    } else if (!this.#timer || at < this.#timerAt) {
      if (this.#timer) clearTimeout(this.#timer)
      this.#timerAt = at
      const waitMs = Math.min(Math.max(1, Math.ceil(at - elapsedMs())), WAIT_MAX_MS)
      this.#timer = setTimeout(() => this.#tick(), waitMs)
    }
  }

  #tick(): void {
    this.#timer = null
    this.#turn(() => this.#session.tick(elapsedMs()))
  }

  #endSocket(reason: CloseReason): void {
    if (!SAYS_GOODBYE.includes(reason)) {
      this.#socket.destroy()
      return
    }
    this.#flush()
    this.#socket.resume()
    this.#socket.end()
    const linger = setTimeout(() => this.#socket.destroy(), LINGER_MS)
    this.#socket.once('close', () => clearTimeout(linger))
  }
}
