// One SMPP connection as a state machine without sockets or clocks: bytes and time go in, bytes and session events
// come out. It serves both sides: links to carriers, our own SMSC, and the server for customers. Every request that
// was sent has exactly one outcome. When the session closes, unanswered requests are unknown. After that, its
// methods do nothing.

import { decodePdu, type PduProblem } from '../pdu/decode.js'
import { FrameSplitter } from '../pdu/frame-splitter.js'
import {
  type BodyOf,
  isResponse,
  makeFailure,
  makePdu,
  NO_TLVS,
  type Pdu,
  type PduOf,
  type RequestPdu,
  type ResponsePdu,
} from '../pdu/pdu.js'
import { describeStatus, STATUS } from '../pdu/status.js'
import { makeStandardTlv, type Tlv } from '../pdu/tlv.js'
import { Exchange } from './exchange.js'
import type { PendingRequest } from './pending-requests.js'
import type {
  BindName,
  BindPdu,
  CloseReason,
  PeerAnswer,
  SessionEvent,
  SessionSettings,
  SessionState,
  WorkName,
  WorkPdu,
} from './session-event.js'
import { GOODBYE, OWED_MAX_MS, type Unbinding } from './unbinding.js'
import { carriesFrom, maySend, refusalOf } from './validate-request.js'

const OK = STATUS.ESME_ROK.code
const VERSION = 0x34
/** In a row, without a valid PDU in between. */
const PROBLEMS_MAX = 10
const NEVER = Number.POSITIVE_INFINITY

export class SmppSession<T> {
  onFrame: ((frame: Buffer) => void) | null = null // for a trace: each as it came
  #settings: SessionSettings
  readonly #splitter: FrameSplitter
  readonly #exchange: Exchange<T>
  readonly #unanswered = new Set<Pdu>()
  readonly #bindUntil: number
  #state: SessionState = 'open'
  #bind: BindName | null = null
  #now: number
  #lastReceivedAt: number
  #enquiredAt: number
  #unbinding: Unbinding | null = null
  #problems = 0

  constructor(settings: SessionSettings, now: number, lastSequence = 0) {
    this.#settings = settings
    this.#exchange = new Exchange(lastSequence)
    this.#splitter = new FrameSplitter((frame) => this.#takeFrame(frame), settings.frameMax)
    this.#now = now
    this.#lastReceivedAt = now
    this.#enquiredAt = now
    this.#bindUntil = now + settings.bindTimeoutMs
  }

  get state(): SessionState {
    return this.#state
  }

  /** How many requests may be sent now. */
  get freeSlots(): number {
    const { side, window } = this.#settings
    const isReady = this.#state === 'bound' && carriesFrom(side, this.#bind!)
    return isReady ? Math.max(0, window - this.#exchange.workCount) : 0
  }

  /** Applies to later requests of the peer. */
  set unansweredMax(unansweredMax: number) {
    this.#settings = { ...this.#settings, unansweredMax }
  }

  /** The bytes to write, in order. */
  takeOutput(): Buffer[] {
    return this.#exchange.takeOutput()
  }

  takeSessionEvents(): SessionEvent<T>[] {
    return this.#exchange.takeSessionEvents()
  }

  receive(chunk: Buffer, now: number): void {
    if (!this.#advance(now)) return
    if (chunk.length > 0) this.#lastReceivedAt = now
    const problem = this.#splitter.push(chunk)
    if (problem === null || this.#isClosed()) return
    this.#exchange.send(makeFailure('generic_nack', 0, STATUS.ESME_RINVCMDLEN.code))
    this.#close('garbage', problem)
  }

  /** ESME: call this first. */
  bind(as: BindName, fields: Partial<BodyOf<BindName>>, now: number): void {
    if (!this.#advance(now) || this.#state !== 'open') return
    const body = { interfaceVersion: VERSION, ...fields }
    this.#exchange.ask(as, body, NO_TLVS, { sentAt: now, work: null })
    this.#state = 'binding'
    this.#bind = as
  }

  /** SMSC: the response to a bind request. A refusal ends the session. */
  answerBind(pdu: BindPdu, status: number, systemId: string, now: number): void {
    if (!this.#advance(now) || !this.#unanswered.delete(pdu)) return
    if (status !== OK) {
      this.#exchange.refuse(pdu.command, pdu.sequence, status)
      this.#close('bind_refused', describeStatus(status))
      return
    }
    const response = `${pdu.command}_resp` as const
    const version = makeStandardTlv('scInterfaceVersion', VERSION)
    this.#exchange.send(makePdu(response, pdu.sequence, { systemId }, [version]))
    this.#becomeBound(pdu.command)
  }

  /** False: not sent, because there is no bind or no free slot. Throws if a value cannot be encoded. */
  request<C extends WorkName>(
    command: C,
    fields: Partial<BodyOf<C>>,
    tlvs: readonly Tlv[],
    token: T,
    now: number,
  ): boolean {
    if (!this.#advance(now) || this.freeSlots === 0) return false
    if (!maySend(this.#settings.side, command)) return false
    this.#exchange.ask(command, fields, tlvs, { sentAt: now, work: { token } })
    return true
  }

  /** Responds to the peer's work. A second response, or one after the end, is ignored. */
  respond<C extends WorkName>(pdu: PduOf<C>, answer: PeerAnswer<C>, now: number): void {
    if (!this.#advance(now) || !this.#unanswered.has(pdu)) return
    this.#exchange.answer(pdu, answer)
    this.#unanswered.delete(pdu)
    this.#continueUnbind()
  }

  /** This work will not be answered. Do not wait for it any longer. */
  discard(pdu: PduOf<WorkName>, now: number): void {
    if (this.#advance(now) && this.#unanswered.delete(pdu)) this.#continueUnbind()
  }

  /** Orderly: nothing new is sent, pending requests are awaited, and then both sides unbind. */
  unbind(now: number): void {
    if (!this.#advance(now) || this.#state === 'unbinding') return
    if (this.#state !== 'bound') {
      this.#close('unbound', 'There was no bind')
      return
    }
    this.#startUnbind('drain', now + this.#settings.responseTimeoutMs)
  }

  /** The socket has ended or is about to. */
  disconnect(detail: string, now: number): void {
    if (!this.#advance(now)) return
    if (this.#unbinding?.phase === 'owed') this.#close('unbound', GOODBYE)
    else this.#close('disconnected', detail)
  }

  /** Call this at `nextTickAt`. Extra calls are harmless. */
  tick(now: number): void {
    if (!this.#advance(now)) return
    const isTooLate = this.#awaitsBind() && now >= this.#bindUntil
    if (isTooLate) this.#close('bind_timeout', 'Nobody was bound in time')
    if (isTooLate) return
    for (const own of this.#exchange.timeOut(now - this.#settings.responseTimeoutMs)) {
      this.#ownTimedOut(own)
    }
    // A peer that is alive but responds to no message would make every message unknown.
    const isDeaf = this.#exchange.timeoutsInRow >= this.#settings.window
    if (isDeaf) this.#close('peer_silent', 'As many messages as the window holds had no answer')
    this.#continueUnbind()
    if (now < this.#enquiryAt()) return
    this.#enquiredAt = now
    this.#exchange.ask('enquire_link', {}, NO_TLVS, { sentAt: now, work: null })
  }

  /** Null: never again. */
  nextTickAt(): number | null {
    if (this.#isClosed()) return null
    const oldest = this.#exchange.oldestSentAt
    return Math.min(
      this.#awaitsBind() ? this.#bindUntil : NEVER,
      oldest === null ? NEVER : oldest + this.#settings.responseTimeoutMs,
      this.#unbinding?.until ?? NEVER,
      this.#enquiryAt(),
    )
  }

  #isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** The peer's deadline. A peer that asked in time is not dropped because we are slow. */
  #awaitsBind(): boolean {
    return this.#state === 'open' || (this.#state === 'binding' && this.#settings.side === 'esme')
  }

  #advance(now: number): boolean {
    this.#now = now
    return !this.#isClosed()
  }

  #enquiryAt(): number {
    if (this.#state !== 'bound') return NEVER
    return Math.max(this.#lastReceivedAt, this.#enquiredAt) + this.#settings.enquireLinkMs
  }

  #becomeBound(as: BindName): void {
    this.#state = 'bound'
    this.#bind = as
    this.#exchange.tell({ kind: 'bound', as })
  }

  #close(reason: CloseReason, detail: string): void {
    if (this.#isClosed()) return
    this.#state = 'closed'
    this.#unbinding = null
    this.#unanswered.clear()
    this.#exchange.settleAll()
    this.#exchange.tell({ kind: 'closed', reason, detail })
  }

  #startUnbind(phase: Unbinding['phase'], until: number, sequence = 0): void {
    this.#state = 'unbinding'
    this.#unbinding = { phase, until, sequence }
    this.#continueUnbind()
  }

  /** Unbinds when nothing is pending on either side, or after the timeout. */
  #continueUnbind(): void {
    const unbinding = this.#unbinding
    if (unbinding === null || unbinding.phase === 'asked') return
    const { workCount } = this.#exchange
    const takesMore = unbinding.phase === 'drain' && this.#settings.side === 'esme'
    if (takesMore && workCount === 0) {
      unbinding.until = Math.min(unbinding.until, this.#now + OWED_MAX_MS)
    }
    const isIdle = workCount === 0 && this.#unanswered.size === 0
    if (!isIdle && this.#now < unbinding.until) return
    if (unbinding.phase === 'owed') this.#close('unbound', GOODBYE)
    else if (unbinding.phase === 'requested') {
      this.#exchange.send(makePdu('unbind_resp', unbinding.sequence, {}))
      this.#close('peer_unbound', 'The peer said goodbye')
    } else {
      this.#unbinding = { phase: 'asked', until: NEVER, sequence: 0 }
      this.#exchange.ask('unbind', {}, NO_TLVS, { sentAt: this.#now, work: null })
    }
  }

  /** The peer unbinds. It may still respond to pending requests, and closing now would leave them unknown. */
  #peerUnbinds(sequence: number): void {
    const wasBound = this.#state === 'bound'
    const { peerUnbindMs, responseTimeoutMs } = this.#settings
    const mayWait = wasBound || this.#unbinding?.phase === 'drain'
    const waitMs = mayWait ? (peerUnbindMs ?? responseTimeoutMs) : 0
    if (wasBound) this.#exchange.tell({ kind: 'peer_unbinding' })
    this.#startUnbind('requested', this.#now + waitMs, sequence)
  }

  #takeFrame(frame: Buffer): void {
    if (this.#isClosed()) return
    this.onFrame?.(frame)
    const { pdu, problem } = decodePdu(frame)
    this.#problems = problem ? this.#problems + 1 : 0
    if (problem) this.#takeProblem(problem)
    else if (isResponse(pdu)) {
      const own = this.#exchange.takeAnswer(pdu)
      if (own) this.#takeOwnAnswer(own, pdu)
    } else this.#takeRequest(pdu)
    this.#continueUnbind()
  }

  #takeProblem(problem: PduProblem): void {
    this.#exchange.tell({ kind: 'problem', problem })
    if (problem.isResponse) {
      const own = this.#exchange.takeBrokenAnswer(problem)
      if (own?.command === 'unbind') this.#close('unbound', problem.detail)
    } else this.#exchange.refuse(problem.command, problem.sequence, problem.status)
    if (this.#problems === PROBLEMS_MAX) this.#close('garbage', problem.detail)
  }

  #takeRequest(pdu: RequestPdu): void {
    const { command, sequence } = pdu
    const isFull = this.#unanswered.size >= this.#settings.unansweredMax
    const isOver = this.#unbinding?.phase === 'owed'
    const moment = {
      side: this.#settings.side,
      state: this.#state,
      bind: this.#bind,
      isFull,
      isOver,
    }
    const refusal = refusalOf(command, moment)
    if (refusal !== null) {
      this.#exchange.refuse(command, sequence, refusal)
    } else if (command === 'enquire_link') {
      this.#exchange.send(makePdu('enquire_link_resp', sequence, {}))
    } else if (command === 'unbind') {
      this.#peerUnbinds(sequence)
    } else if (pdu.command === 'outbind' || pdu.command === 'alert_notification') {
      this.#exchange.tell({ kind: 'notice', pdu })
    } else {
      this.#unanswered.add(pdu)
      if (this.#state === 'bound' || this.#state === 'unbinding') {
        this.#exchange.tell({ kind: 'request', pdu: pdu as WorkPdu })
        return
      }
      this.#state = 'binding'
      this.#exchange.tell({ kind: 'bind_requested', pdu: pdu as BindPdu })
    }
  }

  #takeOwnAnswer({ command }: PendingRequest<T>, pdu: ResponsePdu): void {
    const isYes = pdu.status === OK && pdu.command !== 'generic_nack'
    if (command === 'enquire_link') return
    if (command === 'unbind') this.#startUnbind('owed', this.#now + OWED_MAX_MS)
    else if (isYes) this.#becomeBound(command as BindName)
    else {
      this.#exchange.tell({ kind: 'bind_refused', status: pdu.status })
      this.#close('bind_refused', describeStatus(pdu.status))
    }
  }

  /** Any traffic shows that a peer is alive, even one that does not respond to enquire_link. */
  #ownTimedOut({ command, sentAt }: PendingRequest<T>): void {
    if (command === 'unbind') this.#close('unbound', 'The peer did not respond to the unbind')
    else if (command !== 'enquire_link') this.#close('bind_timeout', 'The bind was not answered')
    else if (this.#lastReceivedAt <= sentAt) this.#close('peer_silent', 'No answer to enquire_link')
  }
}
