// Messages that a carrier was told to redeliver because we could not confirm that they are stored. One may be
// stored anyway if only the commit's response was lost. Then the redelivery by the same connection is not a second
// message from the phone.

import type { Inbound } from '../carrier-port.js'
import { keyOf } from './repeat-queries.js'

/** More than carriers have in flight with us. The oldest is dropped first. */
const KEPT_MAX = 10_000

export class RedeliveryTracker {
  readonly #since = new Map<string, Date>()

  /** When the first failed attempt started. Null if none failed. */
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
