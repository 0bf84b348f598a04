// The send queue of an SMPP link. Messages wait in one queue for a free slot of a bind and for their turn by the
// rate, and every one is settled in time. All parts of a message use the same bind. A message requests its permit
// when it has a slot, right before its first part is sent.

import { type Clock, elapsedMs } from '../../kit/clock.js'
import {
  type LateAnswer,
  permitFor,
  type Submission,
  type SubmitAnswer,
} from '../../messages/carrier-port.js'
import type { ResponsePdu } from '../../smpp/pdu/pdu.js'
import type { RequestOutcome } from '../../smpp/session/session-event.js'
import { LinkRate } from '../link-rate.js'
import { createComposer, type SubmitComposer } from './compose-submits.js'
import { answerPlace, type BatchPlace, HandedMessages, openBatch } from './handed-messages.js'
import type { LinkBind } from './link-bind.js'
import type { LinkMetrics } from './link-metrics.js'
import {
  answeredOutcome,
  isThrottle,
  nackedOutcome,
  OutgoingMessage,
  type OutgoingPart,
  type PartOutcome,
  type Ruling,
  unknownOutcome,
} from './outgoing-message.js'
import type { SenderLimits, SmppLinkSettings } from './smpp-settings.js'
import { WaitingMessages } from './waiting-messages.js'

const WAITING_MAX = 20_000
const RETRY_AFTER_MS = 1_000
const RETRY_MAX_MS = 60_000
const UNWRITABLE = 1375
/** How long other binds are preferred to one that the carrier throttled. */
const AVOIDED_MS = 5_000
const AVOIDED_BY = 1_000_000
/** The share of a second's messages that may have a permit without being sent. */
const BEGIN_AHEAD = 0.25

const OVERDUE = 'The carrier did not respond for all parts in time'
const LOST_BETWEEN_PARTS = 'The link was lost when some parts had left'

const DOWN = { kind: 'down' } as const
const MISSED = { kind: 'window_missed' } as const
const SLOW_DOWN = { kind: 'slow_down', retryAfterMs: RETRY_AFTER_MS } as const

export interface SenderDeps {
  clock: Clock
  metrics: LinkMetrics
  limits: SenderLimits
  onLate: (late: LateAnswer) => void
}

export class MessageSender {
  readonly rate: LinkRate
  readonly #settings: SmppLinkSettings
  readonly #deps: SenderDeps
  readonly #binds: readonly LinkBind[]
  readonly #compose: SubmitComposer
  readonly #waiting = new WaitingMessages<OutgoingMessage>()
  readonly #handed = new HandedMessages()
  /** Messages whose permit is pending. */
  #beginning = 0
  #isPumpPlanned = false
  #isRateAwaited = false
  #pollTimer: NodeJS.Timeout | null = null
  #isStopping = false

  constructor(settings: SmppLinkSettings, binds: readonly LinkBind[], deps: SenderDeps) {
    this.#settings = settings
    this.#binds = binds
    this.#deps = deps
    this.#compose = createComposer(settings)
    this.rate = new LinkRate(settings.perSecond, elapsedMs(), settings.shared)
  }

  get isUp(): boolean {
    return !this.#isStopping && this.#binds.some((bind) => bind.isReady)
  }

  submit(submissions: readonly Submission[]): Promise<SubmitAnswer[]> {
    return new Promise((resolve) => {
      const batch = openBatch(submissions.length, resolve)
      const [now, nowMs, isUp] = [elapsedMs(), this.#deps.clock.nowMs(), this.isUp]
      for (const [index, submission] of submissions.entries()) {
        const answer = isUp ? this.#queue(submission, { batch, index }, now, nowMs) : DOWN
        if (answer) answerPlace({ batch, index }, answer)
      }
      this.planPump()
      this.#planLook()
    })
  }

  /** Null: it waits for its turn. A message that would wait in vain is returned at once, for a later retry. */
  #queue(submission: Submission, at: BatchPlace, now: number, nowMs: number): SubmitAnswer | null {
    const backlogMs = (this.#waiting.length * 1_000) / this.rate.perSecond
    if (backlogMs > this.#deps.limits.waitMaxMs || this.#waiting.length >= WAITING_MAX) {
      const retryAfterMs = Math.round(Math.min(Math.max(backlogMs, RETRY_AFTER_MS), RETRY_MAX_MS))
      return { kind: 'slow_down', retryAfterMs }
    }
    const { parts, failed } = this.#compose(submission, nowMs)
    if (failed) return failed
    const message = new OutgoingMessage(this.#settings.name, submission, parts, now)
    this.#handed.add(message, at)
    this.#waiting.push(message)
    return null
  }

  /** The outcome of a part that was sent. */
  settle(bind: LinkBind, part: OutgoingPart, outcome: RequestOutcome): void {
    this.rate.ended(part, outcome.kind !== 'unknown', elapsedMs())
    switch (outcome.kind) {
      case 'answered':
        this.#answered(bind, part, outcome.pdu)
        break
      case 'nacked':
        this.#noteStatus(bind, outcome.status)
        this.#ruled(bind, part, nackedOutcome(outcome.status, this.#settings))
        break
      case 'unknown':
        this.#deps.metrics.unknown(outcome.reason)
        this.#ruled(bind, part, unknownOutcome(outcome.reason))
    }
    this.planPump()
  }

  settleLate(bind: LinkBind, part: OutgoingPart, pdu: ResponsePdu): void {
    this.#deps.metrics.lateAnswer()
    this.#answered(bind, part, pdu)
  }

  /** A bind was established or lost: waiting messages use another, or go back if there is none. */
  bindChanged(bind: LinkBind): void {
    if (!bind.isReady) {
      for (const message of bind.continuing.splice(0)) this.#goOn(bind, message)
    }
    if (!this.isUp) this.#putBack()
    this.planPump()
  }

  /** Accepts nothing new. Resolves when nothing is in progress, or after a timeout. */
  async stop(maxMs: number): Promise<void> {
    this.#isStopping = true
    this.#putBack()
    await this.#handed.drain(maxMs)
  }

  planPump(): void {
    if (this.#isPumpPlanned) return
    this.#isPumpPlanned = true
    queueMicrotask(() => this.#pump())
  }

  #pump(): void {
    this.#isPumpPlanned = false
    const now = elapsedMs()
    for (const bind of this.#binds) {
      if (bind.continuing.length > 0 && !this.#continue(bind, now)) return
    }
    const nowMs = this.#deps.clock.nowMs()
    while (this.#waiting.length > 0) {
      const message = this.#waiting.peek()!
      if (message.isTooLate(nowMs)) this.#giveUp(message, MISSED)
      const part = message.next()
      const bind = part && this.#freest(now)
      if (part && !bind) return
      if (bind && !this.#mayBegin(now)) return
      this.#waiting.shift()
      if (bind) void this.#begin(bind, message) // never rejects
    }
  }

  /** Requests permits only for messages that can leave soon. */
  #mayBegin(now: number): boolean {
    const isFull = this.#beginning >= Math.max(1, this.rate.perSecond * BEGIN_AHEAD)
    return !isFull && this.#awaitRate(this.rate.waitMs(now))
  }

  /** It keeps its slot while its permit is pending. */
  async #begin(bind: LinkBind, message: OutgoingMessage): Promise<void> {
    bind.reserved += 1
    this.#beginning += 1
    const permit = await permitFor(message.submission, this.#settings.name).catch(() => null)
    bind.reserved -= 1
    this.#beginning -= 1
    const isInTime = permit !== null && this.#deps.clock.nowMs() <= permit.untilMs
    const part = message.next()
    if (!part) return this.planPump() // given up meanwhile
    if (!isInTime) this.#giveUp(message, MISSED)
    else if (this.#isStopping) this.#giveUp(message, DOWN)
    else this.#sendFirst(bind, message, part)
    this.planPump()
  }

  #sendFirst(bind: LinkBind, message: OutgoingMessage, part: OutgoingPart): void {
    const other = bind.freeSlots > 0 ? bind : this.#freest(elapsedMs())
    const mayLeave = other !== null && this.#mayLeave(elapsedMs())
    if (!mayLeave || !this.#send(other, part)) this.#goOn(other ?? bind, message)
    else if (message.isWaiting) {
      other.continuing.push(message)
      this.#continue(other, elapsedMs())
    }
  }

  #continue(bind: LinkBind, now: number): boolean {
    const isFast = bind.continuing.every((message) => this.#sendRest(bind, message, now))
    bind.continuing = bind.continuing.filter((message) => message.isWaiting)
    return isFast
  }

  #sendRest(bind: LinkBind, message: OutgoingMessage, now: number): boolean {
    for (let part = message.next(); part && bind.freeSlots > 0; part = message.next()) {
      if (!this.#mayLeave(now)) return false
      if (!this.#send(bind, part)) return true
    }
    return true
  }

  /** The bind with the most free slots. A throttled bind only if there is no other. */
  #freest(now: number): LinkBind | null {
    let freest: LinkBind | null = null
    let most = Number.NEGATIVE_INFINITY
    for (const bind of this.#binds) {
      const { freeSlots } = bind
      if (freeSlots === 0) continue
      const score = now - bind.throttledAtMs < AVOIDED_MS ? freeSlots - AVOIDED_BY : freeSlots
      if (score <= most) continue
      freest = bind
      most = score
    }
    return freest
  }

  #mayLeave(now: number): boolean {
    return this.#awaitRate(this.rate.take(now))
  }

  /** False: one may leave after this time, and then they are tried again. */
  #awaitRate(waitMs: number): boolean {
    if (waitMs === 0) return true
    if (!this.#isRateAwaited) setTimeout(() => this.#rateHasCome(), waitMs)
    this.#isRateAwaited = true
    return false
  }

  #rateHasCome(): void {
    this.#isRateAwaited = false
    this.#pump()
  }

  /** False: the bind accepts nothing, although it seemed to. */
  #send(bind: LinkBind, part: OutgoingPart): boolean {
    try {
      const hasLeft = bind.send(part)
      if (hasLeft) {
        part.message.left(part)
        this.rate.left(part, bind, elapsedMs())
      } else this.rate.unused()
      return hasLeft
    } catch (error) {
      this.rate.unused()
      // A value that does not fit in any PDU. If parts of the message were sent, it cannot be completed.
      part.message.left(part)
      const carrierCode = `It cannot be written: ${(error as Error).message}`
      this.#ruled(bind, part, { kind: 'failed', errorCode: UNWRITABLE, carrierCode })
      return true
    }
  }

  #answered(bind: LinkBind, part: OutgoingPart, pdu: ResponsePdu): void {
    this.#noteStatus(bind, pdu.status)
    this.#ruled(bind, part, answeredOutcome(pdu, this.#settings))
  }

  #noteStatus(bind: LinkBind, status: number): void {
    this.#deps.metrics.answered(status)
    if (!isThrottle(status, this.#settings)) return
    this.#deps.metrics.throttled()
    bind.throttledAtMs = elapsedMs()
    this.rate.throttled(bind.throttledAtMs)
  }

  #ruled(bind: LinkBind, part: OutgoingPart, outcome: PartOutcome): void {
    const { message } = part
    const ruling = message.settle(part, outcome)
    if (ruling) this.#rule(message, ruling)
    else if (message.isWaiting && !bind.continuing.includes(message)) this.#goOn(bind, message)
    const isUnfit = outcome.kind === 'not_taken' && outcome.answer.kind === 'down'
    if (isUnfit) bind.renew('The carrier reports that the bind cannot send')
  }

  #rule(message: OutgoingMessage, ruling: NonNullable<Ruling>): void {
    if (ruling.kind === 'late') {
      const { accountId, id } = message.submission
      this.#deps.onLate({ accountId, id, answer: ruling.answer })
      return
    }
    this.#handed.answer(message, ruling.answer)
  }

  /** `detail`: what is known if parts of it have left. */
  #giveUp(
    message: OutgoingMessage,
    answer: typeof DOWN | typeof SLOW_DOWN | typeof MISSED,
    detail = OVERDUE,
  ): void {
    const ruling = message.giveUp(detail, answer)
    if (ruling) this.#rule(message, ruling)
  }

  /** The rest of a message with some accepted parts. */
  #goOn(bind: LinkBind, message: OutgoingMessage): void {
    const other = bind.isReady ? bind : this.#binds.find(({ isReady }) => isReady)
    if (other) other.continuing.push(message)
    else this.#giveUp(message, DOWN, LOST_BETWEEN_PARTS)
  }

  /** Nothing of them was sent. */
  #putBack(): void {
    for (const message of this.#waiting.takeAll()) this.#giveUp(message, DOWN)
  }

  #planLook(): void {
    if (this.#handed.size === 0 || this.#pollTimer) return
    this.#pollTimer = setTimeout(() => {
      this.#pollTimer = null
      this.#look(elapsedMs())
      this.#planLook()
    }, this.#deps.limits.pollEveryMs)
  }

  /** The dispatcher has waited long enough for these. */
  #look(now: number): void {
    const { waitMaxMs, takeMaxMs } = this.#deps.limits
    for (const message of this.#handed.messages()) {
      const ageMs = now - message.queuedAtMs
      if (ageMs < waitMaxMs) return
      if (message.hasLeft && ageMs < takeMaxMs) continue
      this.#giveUp(message, SLOW_DOWN)
    }
  }
}
