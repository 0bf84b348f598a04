// One connection of a link. It stays bound until it is stopped: connects, binds, and reconnects with backoff after
// a loss. Each bind has its own connection name.

import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { type Clock, elapsedMs } from '../../kit/clock.js'
import type { Log } from '../../kit/log.js'
import { describeStatus } from '../../smpp/pdu/status.js'
import { reconnectDelayMs } from '../../smpp/session/reconnect.js'
import type {
  BindName,
  CloseReason,
  PeerAnswer,
  SessionEvent,
  SessionSettings,
} from '../../smpp/session/session-event.js'
import { connectSmpp } from '../../smpp/sockets/connect-smpp.js'
import { SmppSocket } from '../../smpp/sockets/smpp-socket.js'
import type { LinkMetrics, LinkTrace } from './link-metrics.js'
import type { OutgoingMessage, OutgoingPart } from './outgoing-message.js'
import type { DeliveryPdu } from './read-delivery.js'
import type { SmppLinkSettings } from './smpp-settings.js'

export type BindEvent = Extract<
  SessionEvent<OutgoingPart>,
  { kind: 'outcome' | 'late_answer' | 'request' | 'stray_answer' | 'problem' | 'notice' }
>

export interface BindOwner {
  happened: (bind: LinkBind, sessionEvent: BindEvent) => void
  /** It was bound, or the bind was lost. */
  changed: (bind: LinkBind) => void
  /** Slots may have become free. */
  freed: () => void
}

export interface BindDeps {
  clock: Clock
  log: Log
  metrics: LinkMetrics
  trace: LinkTrace
}

export type BindState = 'stopped' | 'waiting' | 'connecting' | 'binding' | 'bound' | 'unbinding'

/**
 * The maximum number of carrier requests that wait for the database. Further ones get a status that asks for a
 * retry.
 */
const UNANSWERED_MAX = 1_000
/** A bind that was lost sooner does not count as a success. */
const STOOD_MS = 10_000

export class LinkBind {
  readonly name: string
  /** When the carrier last throttled this bind. */
  throttledAtMs = Number.NEGATIVE_INFINITY
  /** Slots of messages whose permit is pending. */
  reserved = 0
  /** Messages with parts still to be sent over this bind. */
  continuing: OutgoingMessage[] = []
  readonly #as: BindName
  readonly #settings: SmppLinkSettings
  readonly #deps: BindDeps
  readonly #owner: BindOwner
  #state: BindState = 'stopped'
  #since: Date
  #detail: string | null = null
  #logged: string | null = null
  #smpp: SmppSocket<OutgoingPart> | null = null
  #connection = ''
  #inFlight = 0
  #failures = 0
  #boundAtMs = 0
  #timer: NodeJS.Timeout | null = null
  #attempt: AbortController | null = null
  #isStopping = false
  #stopped: (() => void)[] = []

  constructor(
    name: string,
    as: BindName,
    settings: SmppLinkSettings,
    deps: BindDeps,
    owner: BindOwner,
  ) {
    this.name = name
    this.#as = as
    this.#settings = settings
    this.#deps = deps
    this.#owner = owner
    this.#since = deps.clock.now()
  }

  get state(): BindState {
    return this.#state
  }

  get since(): Date {
    return this.#since
  }

  /** Why it is not bound. Null: it is, or nothing has gone wrong. */
  get detail(): string | null {
    return this.#detail
  }

  get peer(): string {
    return this.#smpp?.peer ?? `${this.#settings.host}:${this.#settings.port}`
  }

  /** An ID for the current bind. */
  get connection(): string {
    return this.#connection
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get sends(): boolean {
    return this.#as !== 'bind_receiver'
  }

  /** Whether it can send messages. */
  get isReady(): boolean {
    return this.#state === 'bound' && this.sends
  }

  get freeSlots(): number {
    return Math.max(0, (this.#smpp?.freeSlots ?? 0) - this.reserved)
  }

  start(): void {
    this.#isStopping = false
    void this.#connect() // deals with its own failures
  }

  /** Throws if a value cannot be encoded. */
  send(part: OutgoingPart): boolean {
    const hasLeft = this.#smpp?.request('submit_sm', part.fields, part.tlvs, part) ?? false
    if (hasLeft) this.#inFlight += 1
    return hasLeft
  }

  respond(pdu: DeliveryPdu, answer: PeerAnswer<'deliver_sm' | 'data_sm'>): void {
    this.#smpp?.respond(pdu, answer)
  }

  retrace(): void {
    const smpp = this.#smpp
    if (smpp) smpp.trace = this.#deps.trace.connection(smpp.local, smpp.remote)
  }

  /** Unbinds in order, and reconnects. */
  renew(detail: string): void {
    if (this.#state !== 'bound') return
    this.#detail = detail
    this.#become('unbinding')
    this.#smpp?.unbind()
  }

  /** At once: pending requests are unknown. */
  destroy(): void {
    this.#smpp?.destroy('The link was stopped')
  }

  /** Orderly: resolves when pending requests are answered and both sides have unbound. */
  stop(): Promise<void> {
    this.#isStopping = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#attempt?.abort()
    if (this.#state === 'waiting' || this.#state === 'stopped') {
      this.#become('stopped')
      return Promise.resolve()
    }
    const stopped = new Promise<void>((resolve) => this.#stopped.push(resolve))
    if (this.#state === 'bound') this.#become('unbinding')
    this.#smpp?.unbind()
    return stopped
  }

  async #connect(): Promise<void> {
    const { host, port, tls, bindTimeoutMs } = this.#settings
    this.#become('connecting')
    const attempt = new AbortController()
    this.#attempt = attempt
    try {
      const socket = await connectSmpp({
        host,
        port,
        tls: tls && {
          minVersion: tls.minVersion,
          ...(tls.ca !== null && { ca: tls.ca }),
          ...(tls.serverName !== null && { servername: tls.serverName }),
          ...(tls.cert !== null && { cert: tls.cert }),
          ...(tls.key !== null && { key: tls.key }),
        },
        timeoutMs: bindTimeoutMs,
        signal: attempt.signal,
      })
      if (this.#isStopping) socket.destroy(new Error('The link is being stopped'))
      this.#bindOver(socket)
    } catch (error) {
      this.#deps.metrics.connection('failed')
      this.#comeAgain((error as Error).message)
    }
  }

  #bindOver(socket: Socket): void {
    const { systemId, password, systemType, addressRange } = this.#settings
    this.#become('binding')
    this.#smpp = new SmppSocket<OutgoingPart>(socket, this.#sessionSettings(), {
      onSessionEvent: (sessionEvent) => this.#happened(sessionEvent),
      onDrain: () => this.#owner.freed(),
    })
    this.retrace()
    this.#smpp.bind(this.#as, { systemId, password, systemType, addressRange })
  }

  #sessionSettings(): SessionSettings {
    const { window, responseTimeoutMs, enquireLinkMs, bindTimeoutMs } = this.#settings
    const times = { responseTimeoutMs, enquireLinkMs, bindTimeoutMs }
    return { side: 'esme', window, ...times, unansweredMax: UNANSWERED_MAX }
  }

  #happened(sessionEvent: SessionEvent<OutgoingPart>): void {
    switch (sessionEvent.kind) {
      case 'bound':
        this.#isBound()
        return
      case 'bind_refused':
        this.#deps.metrics.connection('refused')
        this.#detail = `The bind was refused: ${describeStatus(sessionEvent.status)}`
        return
      case 'closed':
        this.#isClosed(sessionEvent.reason, sessionEvent.detail)
        return
      case 'bind_requested':
        return
      case 'peer_unbinding':
        // Its responses may still arrive. Waiting messages go to another bind, or back.
        this.#detail = 'The carrier unbinds'
        this.#become('unbinding')
        return
      case 'outcome':
        this.#inFlight -= 1
    }
    this.#owner.happened(this, sessionEvent)
  }

  #isBound(): void {
    const { log, metrics } = this.#deps
    this.#connection = randomUUID()
    this.#boundAtMs = elapsedMs()
    this.#detail = null
    this.#logged = null
    metrics.connection('bound')
    log.info({ link: this.#settings.name, bind: this.name }, 'SMPP bind stands')
    this.#become('bound')
    if (this.#isStopping) this.#smpp?.unbind()
  }

  #isClosed(reason: CloseReason, detail: string): void {
    const { metrics } = this.#deps
    this.#smpp = null
    const wasBound = this.#state === 'bound' || this.#state === 'unbinding'
    if (wasBound && elapsedMs(this.#boundAtMs) >= STOOD_MS) this.#failures = 0
    if (wasBound) metrics.connection(reason === 'unbound' ? 'unbound' : 'lost')
    else if (reason !== 'bind_refused') metrics.connection('failed')
    if (wasBound && !this.#isStopping) this.#logOnce(detail, 'SMPP bind lost')
    this.#comeAgain(reason === 'bind_refused' ? (this.#detail ?? detail) : detail)
  }

  #comeAgain(detail: string): void {
    this.#detail = detail
    if (this.#isStopping) {
      this.#become('stopped')
      for (const resolve of this.#stopped.splice(0)) resolve()
      return
    }
    this.#logOnce(detail, 'SMPP bind failed')
    const delayMs = reconnectDelayMs(this.#settings.reconnect, this.#failures, Math.random())
    this.#failures += 1
    this.#become('waiting')
    this.#timer = setTimeout(() => this.start(), delayMs)
  }

  /** During an outage, a carrier causes the same error thousands of times. */
  #logOnce(detail: string, text: string): void {
    if (detail === this.#logged) return
    this.#logged = detail
    this.#deps.log.warn({ link: this.#settings.name, bind: this.name, detail }, text)
  }

  #become(state: BindState): void {
    const wasReady = this.isReady
    this.#state = state
    this.#since = this.#deps.clock.now()
    if (wasReady !== this.isReady) this.#owner.changed(this)
  }
}
