// How much is sent to one endpoint at a time. An endpoint that responds gets more slots. A failing one is tried
// with a single event and rests in between. Failing and slow endpoints share separate slots, so they never take
// those of the others. Pure: times come from the caller. A delivery is held in the buffer, submitted into a slot,
// and finished or canceled there, or it is released from the buffer. Each step asserts that the previous one
// happened.

import assert from 'node:assert/strict'

const SLOTS_FIRST = 2
const SLOTS_MAX = 64
const SLOTS_SLOW = 4
/** What is claimed for a busy endpoint before it has a slot, so claims are few and large and no slot waits. */
const BUFFER_PER_SLOT = 2
/** New deliveries that need no claim: at most a few seconds' worth of responses. */
const DIRECT_PER_SLOT = 8
/** A response that takes longer than this makes an endpoint slow. */
const SLOW_MS = 500
const REST_MS_FIRST = 250
const REST_MS_MAX = 10_000
/** Retry-After can extend the rest of the whole endpoint up to this. */
const REST_MS_REQUESTED_MAX = 60_000

/** Slots for all healthy endpoints, and for all others. */
export const HEALTHY_SLOTS = 256
export const UNHEALTHY_SLOTS = 128

export type AttemptOutcome = 'success' | 'failure'

export class Endpoint {
  #isReady = false
  /** Claimed deliveries that wait for a slot. Each response lets one in. */
  readonly #buffer: string[] = []
  /** Deliveries that may be leased for it by statements that are running. */
  #promised = 0
  #allotted = 0
  #slots = SLOTS_FIRST
  #failures = 0
  #failedAtMs = 0
  #isSlow = false
  #hasAnswered = false
  #restsUntilMs = 0
  #answeredAtMs = 0
  readonly #startedAtMs = new Map<string, number>()

  constructor(
    readonly accountId: string,
    readonly webhookId: string,
  ) {}

  /** Something may be due. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Requests without a response yet. */
  get underWay(): number {
    return this.#startedAtMs.size
  }

  get buffered(): number {
    return this.#buffer.length
  }

  /** The delivery that is submitted next. */
  get next(): string | undefined {
    return this.#buffer[0]
  }

  isUnhealthy(nowMs: number): boolean {
    return this.#failures > 0 || this.#isSlow || this.#isKeptWaiting(nowMs)
  }

  /**
   * How many more events may be sent now. A busy endpoint's slots are filled a quarter at a time, to make a claim
   * worth its statements. While something is in progress, the next response checks again.
   */
  freeSlots(nowMs: number): number {
    if (nowMs < this.#restsUntilMs) return 0
    const slots = this.#slotsNow(nowMs)
    const free = slots - this.underWay
    return free >= slots / 4 || this.underWay === 0 ? Math.max(0, free) : 0
  }

  /**
   * How many may be claimed beyond its slots: only for an endpoint that has proved fast, and two for each slot, so
   * nothing waits in the buffer for long.
   */
  roomInBuffer(nowMs: number): number {
    if (this.#slots < SLOTS_MAX || this.isUnhealthy(nowMs)) return 0
    const max = BUFFER_PER_SLOT * this.#allotted
    return this.#buffer.length < max / 2 ? max - this.#buffer.length : 0
  }

  /** Whether a claim would bring it something to send. */
  wantsClaim(nowMs: number): boolean {
    return this.#isReady && (this.freeSlots(nowMs) > 0 || this.roomInBuffer(nowMs) > 0)
  }

  /** How many more may be in progress, from the buffer or from the next claim. */
  allot(slots: number): void {
    this.#allotted = this.underWay + slots
  }

  /** Others need slots: no more than this may be in progress. */
  shrinkTo(slots: number): void {
    this.#allotted = Math.min(this.#allotted, slots)
  }

  maySubmit(nowMs: number): boolean {
    const slots = Math.min(this.#allotted, this.#slotsNow(nowMs))
    return this.underWay < slots && nowMs >= this.#restsUntilMs
  }

  /** Whether it takes new deliveries without a claim: it has answered lately, and nothing older waits in the queue. */
  takesDirectly(count: number, nowMs: number): boolean {
    if (this.#isReady || !this.#hasAnswered || this.isUnhealthy(nowMs)) return false
    return count + this.#promised + this.#buffer.length <= DIRECT_PER_SLOT * this.#slots
  }

  /** This many more deliveries may come for it. Negative: no longer. */
  promise(count: number): void {
    this.#promised += count
    assert.ok(this.#promised >= 0, 'more was not promised')
  }

  /** Nothing to remember about it. */
  isEvictable(nowMs: number): boolean {
    const held = this.underWay + this.#buffer.length + this.#promised
    const knownUntilMs = Math.max(this.#restsUntilMs, this.#answeredAtMs) + REST_MS_MAX
    return !this.#isReady && held === 0 && nowMs >= knownUntilMs
  }

  /** It was failing before this process knew it, so no slots are wasted on finding that out. */
  expectFailure(): void {
    if (this.#hasAnswered) return
    this.#hasAnswered = true
    this.#failures = 1
  }

  markReady(): void {
    this.#isReady = true
  }

  /** Everything that was due is claimed. */
  markExhausted(): void {
    this.#isReady = false
  }

  /** Claimed, and waiting in the buffer for a slot. */
  hold(deliveryId: string): void {
    assert.ok(!this.#startedAtMs.has(deliveryId), 'the delivery is in progress')
    this.#buffer.push(deliveryId)
  }

  /** The next one from the buffer is in progress. */
  submitNext(nowMs: number): void {
    assert.ok(this.maySubmit(nowMs), 'no slot is free')
    const deliveryId = this.#buffer.shift()
    assert.ok(deliveryId !== undefined, 'the buffer is empty')
    this.start(deliveryId, nowMs)
  }

  /** Empties the buffer. These are no longer held. */
  releaseBuffer(): string[] {
    return this.#buffer.splice(0)
  }

  start(deliveryId: string, nowMs: number): void {
    assert.ok(!this.#startedAtMs.has(deliveryId), 'the delivery is in progress')
    this.#startedAtMs.set(deliveryId, nowMs)
  }

  /** The attempt was aborted before a response, so it proves nothing about the endpoint. */
  cancel(deliveryId: string): void {
    assert.ok(this.#startedAtMs.delete(deliveryId), 'the delivery is not in progress')
  }

  finish(
    deliveryId: string,
    answer: AttemptOutcome,
    timing: { nowMs: number; durationMs: number; retryAfterMs: number | null },
  ): void {
    const startedAtMs = this.#startedAtMs.get(deliveryId)
    assert.ok(startedAtMs !== undefined, 'the delivery is not in progress')
    this.#startedAtMs.delete(deliveryId)
    this.#isSlow = timing.durationMs > SLOW_MS
    this.#hasAnswered = true
    this.#answeredAtMs = timing.nowMs
    if (answer === 'success') {
      this.#slots = this.#failures > 0 ? SLOTS_FIRST : Math.min(this.#slots * 2, SLOTS_MAX)
      this.#failures = 0
      this.#restsUntilMs = 0
      return
    }
    // Parallel attempts fail together and count as one.
    if (this.#failures === 0 || startedAtMs > this.#failedAtMs) this.#failures += 1
    this.#failedAtMs = timing.nowMs
    const grownMs = Math.min(REST_MS_FIRST * 2 ** (this.#failures - 1), REST_MS_MAX)
    const requestedMs = Math.min(timing.retryAfterMs ?? 0, REST_MS_REQUESTED_MAX)
    this.#restsUntilMs = timing.nowMs + Math.max(grownMs, requestedMs)
  }

  #slotsNow(nowMs: number): number {
    if (this.#failures > 0) return 1
    return this.isUnhealthy(nowMs) ? Math.min(this.#slots, SLOTS_SLOW) : this.#slots
  }

  // The oldest one in progress comes first in a Map.
  #isKeptWaiting(nowMs: number): boolean {
    const oldest = this.#startedAtMs.values().next().value
    return oldest !== undefined && nowMs - oldest > SLOW_MS
  }
}
