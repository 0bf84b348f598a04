// Refuses sends above the quotas of queued and stored messages. The number of messages is read from counters, at most a few times a second
// and only for accounts with a limit. What this process accepts in the meantime is added in memory, so it never exceeds a limit. Processes
// that accept at the same time can exceed it together, by what they accept within a second.

import type { AccountId } from '../../accounts/account.js'
import { type QuotaName, type Quotas, quotaRefusal } from '../../accounts/quota.js'
import type { QuotaBook } from '../../accounts/quota-book.js'
import { Cache } from '../../kit/cache.js'
import { elapsedMs } from '../../kit/clock.js'
import type { Refusal } from '../../kit/contract/refusal.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { findMessageTotals, type MessageTotals } from '../stored-queries.js'

/** An older count is read again in the background. */
const REFRESH_MS = 1_000
/** An even older one is read again first. */
const STALE_MS = 5_000
/** After a count that leaves no room, sends are refused for this long without another one. */
const FULL_MS = 250
const ACCOUNTS_MAX = 10_000

/** How many of the requested messages may be accepted, and why not the others. */
export interface Admission {
  count: number
  refusal: Refusal | null
  /** Afterwards: how many of them were written. */
  settle: (written: number) => void
}

export class SendQuota {
  readonly #db: Queryable
  readonly #book: QuotaBook
  readonly #meters = new Cache<AccountId, Meter>({ max: ACCOUNTS_MAX })

  constructor(db: Queryable, book: QuotaBook) {
    this.#db = db
    this.#book = book
  }

  /** Null: the account has no limit. A promise only if something must be read. */
  admit(accountId: AccountId, count: number): Admission | null | Promise<Admission | null> {
    const limits = this.#book.peek(accountId)
    if (limits === undefined) return this.#lookUp(accountId, count)
    return isLimited(limits) ? this.#meterOf(accountId).admit(limits, count) : null
  }

  async #lookUp(accountId: AccountId, count: number): Promise<Admission | null> {
    const limits = await this.#book.get(accountId)
    return isLimited(limits) ? this.#meterOf(accountId).admit(limits, count) : null
  }

  #meterOf(accountId: AccountId): Meter {
    const known = this.#meters.peek(accountId)
    if (known) return known
    const meter = new Meter(() => findMessageTotals(this.#db, accountId))
    this.#meters.set(accountId, meter)
    return meter
  }
}

function isLimited({ queuedMessages, storedMessages }: Quotas): boolean {
  return queuedMessages > 0 || storedMessages > 0
}

/** What one account uses, as far as this process knows. */
class Meter {
  readonly #read: () => Promise<MessageTotals>
  #totals: MessageTotals = { queued: 0, stored: null }
  #readAtMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null
  /** Accepted since the last count began. */
  #added = 0
  /** Being accepted. The count may or may not have them. */
  #inFlight = 0

  constructor(read: () => Promise<MessageTotals>) {
    this.#read = read
  }

  admit(limits: Quotas, count: number): Admission | Promise<Admission> {
    const ageMs = elapsedMs() - this.#readAtMs
    if (ageMs < STALE_MS && (this.#room(limits) >= count || this.#wasFull(limits, count, ageMs))) {
      // A failure shows when the count is too old.
      if (ageMs > REFRESH_MS) void this.#refresh().catch(() => {})
      return this.#reserve(limits, count)
    }
    return this.#refresh().then(() => this.#reserve(limits, count))
  }

  /** Whether there was no room when it was last read, a moment ago. */
  #wasFull(limits: Quotas, count: number, ageMs: number): boolean {
    return ageMs < FULL_MS && roomIn(limits, this.#totals, 0) < count
  }

  #room(limits: Quotas): number {
    return roomIn(limits, this.#totals, this.#added + this.#inFlight)
  }

  #reserve(limits: Quotas, wanted: number): Admission {
    const count = Math.max(0, Math.min(wanted, this.#room(limits)))
    this.#inFlight += count
    return {
      count,
      refusal: count < wanted ? this.#refusal(limits) : null,
      settle: (written) => {
        this.#inFlight -= count
        this.#added += written
      },
    }
  }

  #refusal(limits: Quotas): Refusal {
    const more = this.#added + this.#inFlight
    const { queued, stored } = this.#totals
    const name: QuotaName =
      limits.queuedMessages > 0 && queued + more >= limits.queuedMessages
        ? 'queuedMessages'
        : 'storedMessages'
    const used = name === 'queuedMessages' ? queued : (stored ?? 0)
    return quotaRefusal(name, used + more, limits[name])
  }

  /** Concurrent sends share one. */
  #refresh(): Promise<void> {
    this.#reading ??= this.#readTotals().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #readTotals(): Promise<void> {
    const startedMs = elapsedMs()
    const before = this.#added
    this.#totals = await this.#read()
    this.#readAtMs = startedMs
    // Accepted before it began, so counted.
    this.#added -= before
  }
}

/** Infinite if nothing is limited. */
function roomIn(limits: Quotas, { queued, stored }: MessageTotals, more: number): number {
  const { queuedMessages, storedMessages } = limits
  const inQueue = queuedMessages > 0 ? queuedMessages - queued : Number.POSITIVE_INFINITY
  const inStore =
    storedMessages > 0 && stored !== null ? storedMessages - stored : Number.POSITIVE_INFINITY
  return Math.min(inQueue, inStore) - more
}
