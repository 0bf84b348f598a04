// What a carrier was asked to bring again because we could not say that it is kept. It may be kept all the same, where
// only the word of the commit was lost: then what comes again by the same connection is no second message of the phone.

import type { Inbound } from '../carrier-port.js'
import { keyOf } from './repeat-queries.js'

/** More than carriers have under way with us. The oldest is forgotten first. */
const KEPT_MAX = 10_000

export class RedeliveryTracker {
  readonly #since = new Map<string, Date>()

  /** When the first of the attempts that failed began; null where none did. */
  since(inbound: Inbound): Date | null {
    return this.#since.get(textOf(inbound)) ?? null
  }

  noteFailure(inbound: Inbound, begunAt: Date): void {
    const text = textOf(inbound)
    if (!this.#since.has(text)) this.#since.set(text, begunAt)
    if (this.#since.size <= KEPT_MAX) return
    const [oldest] = this.#since.keys()
    this.#since.delete(oldest!)
  }

  noteKept(inbound: Inbound): void {
    if (this.#since.size > 0) this.#since.delete(textOf(inbound))
  }
}

function textOf(inbound: Inbound): string {
  return JSON.stringify(keyOf(inbound))
}
