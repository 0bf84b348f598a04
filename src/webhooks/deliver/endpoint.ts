// How much is sent to one endpoint at a time. An endpoint that answers gets more places, one that
// fails is tried with a single event and rests in between, and those that fail or are slow share
// places of their own, so that they never take the others'. Pure: times come from the caller.

const PLACES_FIRST = 2
const PLACES_MAX = 64
const PLACES_SLOW = 4
/** What is claimed for a busy endpoint before it has a place: claims are few and large, no place waits. */
const LINE_PER_PLACE = 2
/** An answer that takes longer than this, or is awaited for longer, makes an endpoint slow. */
const SLOW_MS = 500
const REST_MS_FIRST = 250
const REST_MS_MAX = 10_000
/** Retry-After can lengthen the rest of the endpoint as a whole up to this. */
const REST_MS_ASKED_MAX = 60_000

/** Places for all endpoints that are well, and for all that are not. */
export const WELL_PLACES = 256
export const UNWELL_PLACES = 128

export type Answer = 'success' | 'failure'

export class Endpoint {
  /** Something may be due. */
  isReady = false
  /** Deliveries that are claimed and wait for a place. Each that is answered makes room for one. */
  readonly line: string[] = []
  #granted = 0
  #places = PLACES_FIRST
  #failures = 0
  #failedAtMs = 0
  #isSlow = false
  #hasAnswered = false
  #restsUntilMs = 0
  readonly #startedAtMs = new Map<string, number>()

  constructor(
    readonly accountId: string,
    readonly webhookId: string,
  ) {}

  get underWay(): number {
    return this.#startedAtMs.size
  }

  isUnwell(nowMs: number): boolean {
    return this.#failures > 0 || this.#isSlow || this.#isKeptWaiting(nowMs)
  }

  /**
   * How many more events may be sent now. A busy endpoint's places are filled a quarter at a time,
   * so that a claim is worth its statements; as long as something is under way, the next answer asks
   * again.
   */
  freePlaces(nowMs: number): number {
    if (nowMs < this.#restsUntilMs) return 0
    const places = this.#placesNow(nowMs)
    const free = places - this.underWay
    return free >= places / 4 || this.underWay === 0 ? Math.max(0, free) : 0
  }

  /**
   * How many may be claimed beyond its places: only of an endpoint that has proved quick, and two for
   * each place that it was granted, so that nobody stands in line for long.
   */
  wantedInLine(nowMs: number): number {
    if (this.#places < PLACES_MAX || this.isUnwell(nowMs)) return 0
    const max = LINE_PER_PLACE * this.#granted
    return this.line.length < max / 2 ? max - this.line.length : 0
  }

  /** Whether a claim would bring it something to send. */
  wantsTurn(nowMs: number): boolean {
    return this.isReady && (this.freePlaces(nowMs) > 0 || this.wantedInLine(nowMs) > 0)
  }

  /** So many more may be under way, from the line or from the next claim. */
  grant(places: number): void {
    this.#granted = this.underWay + places
  }

  mayStart(nowMs: number): boolean {
    const places = Math.min(this.#granted, this.#placesNow(nowMs))
    return this.underWay < places && nowMs >= this.#restsUntilMs
  }

  /** Nothing to remember about it. */
  isForgettable(nowMs: number): boolean {
    return !this.isReady && this.underWay === 0 && nowMs >= this.#restsUntilMs + REST_MS_MAX
  }

  /** It was failing before this process knew it: places are not to be wasted on finding that out. */
  expectFailure(): void {
    if (this.#hasAnswered) return
    this.#hasAnswered = true
    this.#failures = 1
  }

  start(deliveryId: string, nowMs: number): void {
    this.#startedAtMs.set(deliveryId, nowMs)
  }

  /** The try was given up before it had an answer: it says nothing about the endpoint. */
  cancel(deliveryId: string): void {
    this.#startedAtMs.delete(deliveryId)
  }

  finish(
    deliveryId: string,
    answer: Answer,
    timing: { nowMs: number; durationMs: number; retryAfterMs: number | null },
  ): void {
    const startedAtMs = this.#startedAtMs.get(deliveryId) ?? timing.nowMs
    this.#startedAtMs.delete(deliveryId)
    this.#isSlow = timing.durationMs > SLOW_MS
    this.#hasAnswered = true
    if (answer === 'success') {
      this.#places = this.#failures > 0 ? PLACES_FIRST : Math.min(this.#places * 2, PLACES_MAX)
      this.#failures = 0
      this.#restsUntilMs = 0
      return
    }
    // Tries that were under way together fail together: they count as one.
    if (this.#failures === 0 || startedAtMs > this.#failedAtMs) this.#failures += 1
    this.#failedAtMs = timing.nowMs
    const grownMs = Math.min(REST_MS_FIRST * 2 ** (this.#failures - 1), REST_MS_MAX)
    const askedMs = Math.min(timing.retryAfterMs ?? 0, REST_MS_ASKED_MAX)
    this.#restsUntilMs = timing.nowMs + Math.max(grownMs, askedMs)
  }

  #placesNow(nowMs: number): number {
    if (this.#failures > 0) return 1
    return this.isUnwell(nowMs) ? Math.min(this.#places, PLACES_SLOW) : this.#places
  }

  // The oldest one under way comes first in a Map.
  #isKeptWaiting(nowMs: number): boolean {
    const oldest = this.#startedAtMs.values().next().value
    return oldest !== undefined && nowMs - oldest > SLOW_MS
  }
}
