// Deletes whole messages past their retention: in batches per account or, if no account keeps them longer, by dropping a
// partition of all accounts. Only messages already counted in the usage statistics are deleted, so usage stays correct.

import type { AccountId } from '../../accounts/account.js'
import { DAY_MS } from '../../kit/clock.js'
import { idFloor, timeOfId } from '../../kit/ids.js'
import { type Family, findFirstBound, isCut } from '../../kit/partitions/partitions.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { deleteMediaBefore, hasOpenBefore, removeMessages } from '../../messages/remove-queries.js'
import { deleteStoredBefore } from '../../messages/stored-queries.js'
import {
  findSummedUntil,
  isToBeSummed,
  listLivingAccounts,
} from '../../messages/usage/sum-queries.js'
import {
  findLongestRecordDays,
  type RetentionProgress,
  recordRemoval,
} from '../accounts/retention-queries.js'

const PORTION = 1_000
/** Per step of the loop, so a stop of the service does not wait for millions of messages. */
const PORTIONS_PER_STEP = 20
const ACCOUNTS = 500
/** How long events are kept. A message that changed since then has some. */
const EVENT_DAYS = 30
/**
 * After this many days, every message of a partition had its last event at least EVENT_DAYS ago: it was scheduled at
 * most 35 days ahead and then sent within hours, or is still open. Until then, rows are checked one by one.
 */
const DROPPED_DAYS_MIN = 70

export const MESSAGES: Family = {
  tables: [{ name: 'messages', prefix: 'msg' }],
  longest: 'month',
}

/** How messages are deleted now, the same for all accounts. */
export interface RemovalPlan {
  /** The longest retention. Messages of accounts with the same number of days are deleted with their partition. */
  wholeDays: number | null
  /** No message has a lower id. */
  firstBound: string | null
}

export async function findRemovalPlan(db: Queryable): Promise<RemovalPlan> {
  const wholeDays = (await isCut(db, 'messages')) ? await findLongestRecordDays(db) : null
  const isLong = wholeDays !== null && wholeDays >= DROPPED_DAYS_MIN
  return { wholeDays: isLong ? wholeDays : null, firstBound: await findFirstBound(db, 'messages') }
}

/** Returns the number of deleted messages, or of media whose messages were deleted with a partition. */
export async function keepRecords(
  db: Queryable,
  progress: RetentionProgress,
  { wholeDays, firstBound }: RemovalPlan,
  now: Date,
): Promise<number> {
  const { accountId, recordDays } = progress
  if (recordDays === null) return 0
  const orphans =
    firstBound === null ? 0 : await deleteMediaBefore(db, accountId, firstBound, PORTION)
  if (firstBound !== null) await deleteStoredBefore(db, accountId, timeOfId(firstBound))
  if (recordDays === wholeDays) return orphans
  const summedUntil = await findSummedUntil(db, accountId)
  const until = Math.min(now.getTime() - recordDays * DAY_MS, summedUntil.getTime())
  const before = idFloor('msg', new Date(Math.max(0, until)))
  const movedBefore = new Date(now.getTime() - EVENT_DAYS * DAY_MS)
  return orphans + (await walk(db, progress, { before, movedBefore }))
}

async function walk(
  db: Queryable,
  { accountId, recordsDone }: RetentionProgress,
  range: { before: string; movedBefore: Date },
): Promise<number> {
  let after = recordsDone
  let removed = 0
  let firstLeft: string | null = null
  for (let portions = 0; portions < PORTIONS_PER_STEP; portions += 1) {
    const portion = await removeMessages(db, accountId, { ...range, after, limit: PORTION })
    removed += portion.removed
    firstLeft ??= portion.firstLeft
    if (portion.last === null) break
    after = portion.last
  }
  // Skipped messages must be checked again, so the next walk starts right before them.
  const done = firstLeft === null ? after : firstLeft.slice(0, -1)
  if (done !== recordsDone) await recordRemoval(db, accountId, done)
  return removed
}

/** The time before which all messages are expired, counted, and not open; null if unknown. */
export async function findPastUntil(
  db: Queryable,
  now: Date,
  bounds: readonly Date[],
): Promise<Date | null> {
  const days = await findLongestRecordDays(db)
  if (days === null) return null
  const past = now.getTime() - Math.max(days, DROPPED_DAYS_MIN) * DAY_MS
  for (const bound of bounds.filter((one) => one.getTime() <= past).reverse()) {
    if (await isSettled(db, bound)) return bound
  }
  return null
}

async function isSettled(db: Queryable, bound: Date): Promise<boolean> {
  if (await hasOpenBefore(db, idFloor('msg', bound))) return false
  for (let after: AccountId = ''; ; ) {
    const accounts = await listLivingAccounts(db, after, ACCOUNTS)
    for (const accountId of accounts) if (await isToBeSummed(db, accountId, bound)) return false
    if (accounts.length === 0) return true
    after = accounts.at(-1)!
  }
}
