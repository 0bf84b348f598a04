// Which calls were answered within the last half minute. A caller that hears nothing repeats its INVITE, and one call
// must be counted, limited and charged once.

import { elapsedMs } from '../kit/clock.js'

/** A caller gives up after this (RFC 3261, timer B), and so do its repetitions. */
const REPEATED_MS = 32_000
/** Calls that are remembered twice over: what comes faster is forgotten sooner. */
const REMEMBERED_MAX = 65_536

/** Two sets that take turns: what is in either was here within the time, and neither grows forever. */
export class RecentCalls {
  #young = new Set<string>()
  #old = new Set<string>()
  #turnedMs = elapsedMs()

  /** Whether it was here before. */
  peek(tag: string): boolean {
    return this.#young.has(tag) || this.#old.has(tag)
  }

  /** Whether it was here before; it is from now on. */
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
