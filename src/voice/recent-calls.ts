// Calls answered in the last half minute. A caller repeats an INVITE without an answer, but each call must be counted,
// limited, and charged once.

import { elapsedMs } from '../kit/clock.js'

/** A caller gives up after this (RFC 3261, timer B), and so do its repetitions. */
const REPEATED_MS = 32_000
/** Size of each of the two sets. With more calls, older ones are forgotten sooner. */
const REMEMBERED_MAX = 65_536

/** Two rotating sets: a call in either one was seen recently, and neither grows without bound. */
export class RecentCalls {
  #young = new Set<string>()
  #old = new Set<string>()
  #turnedMs = elapsedMs()

  /** Whether the call was seen before. */
  peek(tag: string): boolean {
    return this.#young.has(tag) || this.#old.has(tag)
  }

  /** Whether the call was seen before; marks it as seen. */
  has(tag: string): boolean {
    if (this.#young.size >= REMEMBERED_MAX || elapsedMs(this.#turnedMs) > REPEATED_MS) this.#turn()
    if (this.peek(tag)) return true
    this.#young.add(tag)
    return false
  }

  #turn(): void {
    const isLong = elapsedMs(this.#turnedMs) > 2 * REPEATED_MS
    this.#old = isLong ? new Set() : this.#young
    this.#young = new Set()
    this.#turnedMs = elapsedMs()
  }
}
