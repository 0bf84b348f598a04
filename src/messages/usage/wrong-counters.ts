// Checks the message counters: recounts the last two days of every account, for doctor. Older hours were checked
// and corrected when they ended.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { countDifferences } from './correct-queries.js'
import { findHorizon, listReachedAccounts } from './sum-queries.js'
import { BUCKET_MS } from './summed-span.js'

const DAYS = 2
const PORTION = 500

export interface WrongCounters {
  /** How many accounts were checked. */
  accounts: number
  counters: number
  /** The first account with wrong ones. */
  first: AccountId | null
}

export async function findWrongCounters(db: Queryable, now: Date): Promise<WrongCounters> {
  const hour = Math.floor(now.getTime() / BUCKET_MS.hour) * BUCKET_MS.hour
  const range = [hour - DAYS * BUCKET_MS.day, hour + BUCKET_MS.hour] as const
  const found: WrongCounters = { accounts: 0, counters: 0, first: null }
  for (let after: AccountId = ''; ; ) {
    const accounts = await listReachedAccounts(db, after, PORTION)
    for (const accountId of accounts) {
      const counters = await countWrong(db, accountId, range)
      if (counters > 0) found.first ??= accountId
      found.counters += counters
    }
    found.accounts += accounts.length
    if (accounts.length === 0) return found
    after = accounts.at(-1)!
  }
}

async function countWrong(
  db: Queryable,
  accountId: AccountId,
  [fromMs, untilMs]: readonly [number, number],
): Promise<number> {
  const { summedUntil, countedFrom, hasTotals } = await findHorizon(db, accountId)
  // After an upgrade, messages that are not counted yet are not an error.
  const first = summedUntil >= countedFrom ? fromMs : Math.max(fromMs, countedFrom.getTime())
  if (first >= untilMs) return 0
  return countDifferences(db, accountId, new Date(first), new Date(untilMs), hasTotals)
}
