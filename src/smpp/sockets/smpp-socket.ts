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
  /** The peer reads again, and slots may be free that were not. */
  onDrain?: () => void
  trace?: Trace | null
}

/** After our last PDU the socket closes, whether the peer has read it or not. */
const LINGER_MS = 2_000
/** Reasons after which the peer still has a PDU from us to read. */
const SAYS_GOODBYE: readonly CloseReason[] = ['unbound', 'peer_unbound', 'bind_refused', 'garbage']
/** Timers know no longer times. */
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
  /** The peer takes no more for now. */
  #isBlocked = false

  /** The socket is connected, and its handshake done. */
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

  /** Requests of the peer that may wait for our answer, from now on. */
  set unansweredMax(count: number) {
    this.#session.unansweredMax = count
  }

  /** How many requests may leave at this moment. */
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

  /** ESME: the first thing to do. */
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

  /** False: it did not leave, for want of a bind or of a slot. Throws where a value cannot be written. */
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

  /** Answers work of the peer. A second answer, or one after the end, goes nowhere. */
  respond<C extends WorkName>(pdu: PduOf<C>, answer: PeerAnswer<C>): void {
    this.#turn(() => this.#session.respond(pdu, answer, elapsedMs()))
  }

  /** Work of the peer that will not be answered: an orderly end does not wait for it. */
  discard(pdu: PduOf<WorkName>): void {
    this.#turn(() => this.#session.discard(pdu, elapsedMs()))
  }

  /** Orderly: nothing new leaves, what is under way is waited for, then both sides say goodbye. */
  unbind(): void {
    this.#turn(() => this.#session.unbind(elapsedMs()))
  }

  /** At once: what is under way is unknown. */
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

  /** In order, even where a listener has the session do more. */
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

  /** The timer is moved only where the session has to be woken earlier: most timeouts never come. */
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
