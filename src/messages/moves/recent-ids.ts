// The carrier's ids of what this process has just sent, in memory: receipts often come before the answer is
// written down, and nearly always to the process that sent. What is not here is asked of the database.

import { Cache } from '../../kit/cache.js'
import type { CarrierId } from './carrier-id-queries.js'

const IDS_MAX = 100_000

export class RecentIds {
  readonly #ids = new Cache<string, CarrierId>({ max: IDS_MAX })

  add(ids: readonly CarrierId[]): void {
    for (const id of ids) this.#ids.set(keyOf(id.link, id.carrierId), id)
  }

  /** The first of these spellings that is known. */
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
