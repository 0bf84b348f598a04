// The carrier's ids of what this process has just sent, in memory: receipts often come before the answer is
// written down, and nearly always to the process that sent. What is not here is asked of the database.

import type { CarrierId } from './carrier-id-queries.js'

const IDS_MAX = 100_000

export class RecentIds {
  readonly #ids = new Map<string, CarrierId>()

  add(ids: readonly CarrierId[]): void {
    for (const id of ids) {
      const key = keyOf(id.link, id.carrierId)
      this.#ids.delete(key) // so that it is the newest
      this.#ids.set(key, id)
    }
    for (const oldest of this.#ids.keys()) {
      if (this.#ids.size <= IDS_MAX) break
      this.#ids.delete(oldest)
    }
  }

  /** The first of these spellings that is known. */
  find(link: string, carrierIds: readonly string[]): CarrierId | null {
    for (const id of carrierIds) {
      const found = this.#ids.get(keyOf(link, id))
      if (found) return found
    }
    return null
  }
}

function keyOf(link: string, carrierId: string): string {
  return `${link} ${carrierId}`
}
