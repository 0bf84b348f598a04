// The carrier IDs of messages that this process just sent, in memory. Receipts often arrive before the response is
// stored, and nearly always at the process that sent. All others are looked up in the database.

import { Cache } from '../../kit/cache.js'
import type { CarrierId } from './carrier-id-queries.js'

const IDS_MAX = 100_000

export class RecentIds {
  readonly #ids = new Cache<string, CarrierId>({ max: IDS_MAX })

  add(ids: readonly CarrierId[]): void {
    for (const id of ids) this.#ids.set(keyOf(id.link, id.carrierId), id)
  }

  /** The first known of these spellings. */
  find(link: string, carrierIds: readonly string[]): CarrierId | null {
    for (const id of carrierIds) {
      const found = this.#ids.peek(keyOf(link, id))
      if (found) return found
    }
    return null
  }
}

function keyOf(link: string, carrierId: string): string {
  return `${link} ${carrierId}`
}
