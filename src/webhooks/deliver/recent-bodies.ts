// The bodies of events that were made a moment ago. The webhooks of a campaign get the same events at
// about the same time, one a little ahead of the other: event and message are read, and serialised,
// once for all of them. Pure: times come from the caller.

import type { BodyFor } from '../event-body.js'

const KEPT_MAX = 2_000
const KEPT_MS = 5_000

export class RecentBodies {
  readonly #kept = new Map<string, { body: BodyFor; atMs: number }>()

  find(eventId: string, nowMs: number): BodyFor | undefined {
    const kept = this.#kept.get(eventId)
    return kept && nowMs - kept.atMs < KEPT_MS ? kept.body : undefined
  }

  keep(eventId: string, body: BodyFor, nowMs: number): void {
    this.#kept.set(eventId, { body, atMs: nowMs })
  }

  /** To be called now and then, also when nothing happens: payloads are not to stay. */
  forgetOld(nowMs: number): void {
    for (const [eventId, { atMs }] of this.#kept) {
      // The oldest come first in a Map.
      if (nowMs - atMs < KEPT_MS && this.#kept.size <= KEPT_MAX) return
      this.#kept.delete(eventId)
    }
  }
}
