// The deliveries that this process has leased: in progress, in a buffer, or behind an earlier event of their message. A webhook
// gets the events of a message in order, so a later one follows once the earlier one is recorded.

import { InFlight } from '../../kit/in-flight.js'
import type { LeasedDelivery } from './claim-account.js'

/** How long it is known that an event is finished. A later one may have been created just before that. */
const FINISHED_KEPT_MS = 2_000
const FINISHED_KEPT_MAX = 5_000

export class HeldDeliveries {
  readonly #inFlight = new InFlight<LeasedDelivery>()
  /** The latest event of each message that is held, by webhook. */
  readonly #latest = new Map<string, LeasedDelivery>()
  readonly #followers = new Map<LeasedDelivery, LeasedDelivery>()
  readonly #nowMs: () => number
  /** The last event of a message that is finished, in two generations, so nothing is deleted one by one. */
  #finished = new Map<string, number>()
  #finishedBefore = new Map<string, number>()
  #changedAtMs = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  get size(): number {
    return this.#inFlight.size
  }

  get(id: string): LeasedDelivery | undefined {
    return this.#inFlight.get(id)
  }

  values(): MapIterator<LeasedDelivery> {
    return this.#inFlight.values()
  }

  /** False if it follows another one. */
  hold(delivery: LeasedDelivery): boolean {
    this.#inFlight.hold(delivery.deliveryId, delivery)
    const key = orderOf(delivery)
    if (key === null) return true
    const before = this.#latest.get(key)
    this.#latest.set(key, delivery)
    if (before === undefined) return true
    this.#followers.set(before, delivery)
    return false
  }

  /** Whether the event just before it is held, or was finished a moment ago. */
  knowsEarlier(delivery: LeasedDelivery): boolean {
    const key = orderOf(delivery)
    if (key === null) return true
    const earlier = delivery.sequence! - 1
    const known = [
      this.#latest.get(key)?.sequence,
      this.#finished.get(key),
      this.#finishedBefore.get(key),
    ]
    return known.includes(earlier)
  }

  isFollowed(delivery: LeasedDelivery): boolean {
    return this.#followers.has(delivery)
  }

  /** There will be no other attempt. Returns the one that follows, which may be sent now. */
  finish(delivery: LeasedDelivery): LeasedDelivery | null {
    this.#noteFinished(delivery)
    return this.#drop(delivery)
  }

  /** It was recorded for a later attempt, or goes back to the queue. Returns all that followed, which are no longer held either. */
  release(delivery: LeasedDelivery): LeasedDelivery[] {
    const released: LeasedDelivery[] = []
    for (let next = this.#drop(delivery); next !== null; next = this.#drop(next))
      released.push(next)
    return released
  }

  drain(): Promise<void> {
    return this.#inFlight.drain()
  }

  #drop(delivery: LeasedDelivery): LeasedDelivery | null {
    const next = this.#followers.get(delivery) ?? null
    this.#followers.delete(delivery)
    const key = orderOf(delivery)
    if (key !== null && next === null) this.#latest.delete(key)
    this.#inFlight.release(delivery.deliveryId)
    return next
  }

  #noteFinished(delivery: LeasedDelivery): void {
    const key = orderOf(delivery)
    if (key === null) return
    const nowMs = this.#nowMs()
    const isOver = Math.abs(nowMs - this.#changedAtMs) > FINISHED_KEPT_MS
    if (isOver || this.#finished.size >= FINISHED_KEPT_MAX) {
      this.#finishedBefore = this.#finished
      this.#finished = new Map()
      this.#changedAtMs = nowMs
    }
    this.#finished.set(key, delivery.sequence!)
  }
}

/** Null if its order does not matter. */
function orderOf({ webhook, messageId, sequence }: LeasedDelivery): string | null {
  return messageId === null || sequence === null ? null : `${webhook.id} ${messageId}`
}
