// Finds the subscribers of one kind that have something due. The usual poll reads only what became due since
// the last one, regardless of the queue's length. A slow sweep over all subscriptions finds the rest:
// deliveries that were due before this process started, or were committed late.

import type { Queryable } from '../../kit/postgres/db.js'
import {
  findDueSubscribers,
  listSubscribersWithDue,
  type SubscriberKey,
  type SubscriberKind,
} from './delivery-claim-queries.js'

/** A statement's `now` is older than its commit, and the clocks of nodes differ slightly. */
const OVERLAP_MS = 2_000
/** After a longer time without a poll (or a jump of the test clock), only the sweep reads back. */
const SPAN_MS_MAX = 10_000
const SCAN_EVERY_MS = 10_000
const SCAN_PAGE = 1_000

const START: SubscriberKey = { accountId: '', subscriberId: '' }

export class DueFinder {
  #polledAt: Date | null = null
  #scannedAtMs = 0
  #scanAfter: SubscriberKey | null = START
  readonly #kind: SubscriberKind

  constructor(kind: SubscriberKind) {
    this.#kind = kind
  }

  async look(db: Queryable, now: Date): Promise<SubscriberKey[]> {
    const nowMs = now.getTime()
    const polledAtMs = this.#polledAt?.getTime() ?? 0
    if (nowMs - polledAtMs > SPAN_MS_MAX || performance.now() - this.#scannedAtMs > SCAN_EVERY_MS) {
      this.#scanAfter ??= START
    }
    const since = new Date(Math.max(polledAtMs - OVERLAP_MS, nowMs - SPAN_MS_MAX))
    const fresh = await findDueSubscribers(db, this.#kind, since, now)
    this.#polledAt = now
    return this.#scanAfter ? [...fresh, ...(await this.#scan(db, this.#scanAfter, now))] : fresh
  }

  /** One page at a time, so no poll takes long. */
  async #scan(db: Queryable, after: SubscriberKey, now: Date): Promise<SubscriberKey[]> {
    const page = await listSubscribersWithDue(db, this.#kind, after, now, SCAN_PAGE)
    const isLast = page.length < SCAN_PAGE
    this.#scanAfter = isLast ? null : page.at(-1)!
    if (isLast) this.#scannedAtMs = performance.now()
    return page.filter((subscriber) => subscriber.isDue)
  }
}
