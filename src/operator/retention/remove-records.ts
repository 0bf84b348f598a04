// Deletes whole messages past their retention: in batches per account or, if no account keeps them longer, by dropping a
// partition of all accounts. Only messages already counted in the usage statistics are deleted, so usage stays correct.

import type { AccountId } from '../../accounts/account.js'
import { DAY_MS } from '../../kit/clock.js'
import { idFloor, timeOfId } from '../../kit/ids.js'
import { type Family, findFirstBound, isCut } from '../../kit/partitions/partitions.js'
import type { Queryable } from '../../kit/postgres/db.js'
import {
  deleteMediaBefore,
  hasOpenBefore,
  listWithMediaBefore,
  removeMessages,
} from '../../messages/remove-queries.js'
import { deleteStoredBefore, listStoredBefore } from '../../messages/stored-queries.js'
import {
  findSummedUntil,
  isToBeSummed,
  listLivingAccounts,
  listReachedAccounts,
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
export const SETTLED_DAYS = 70

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
  /** For accounts without their own retention. */
  defaultDays: number | null
}

export async function findRemovalPlan(
  db: Queryable,
  defaultDays: number | null,
): Promise<RemovalPlan> {
  const isPartitioned = await isCut(db, 'messages')
  const wholeDays = isPartitioned ? await findLongestRecordDays(db, defaultDays) : null
  const isLong = wholeDays !== null && wholeDays >= SETTLED_DAYS
  const firstBound = await findFirstBound(db, 'messages')
  return { wholeDays: isLong ? wholeDays : null, firstBound, defaultDays }
}

/** Messages with lower IDs are past the default, and not deleted with their partition. Empty: none. */
export function findDefaultBefore({ wholeDays, defaultDays }: RemovalPlan, now: Date): string {
  if (defaultDays === null || defaultDays === wholeDays) return ''
  return idFloor('msg', new Date(Math.max(0, now.getTime() - defaultDays * DAY_MS)))
}

/**
 * Deletes media and counts of messages that were deleted with their partition: a portion of each account's media. Returns
 * their number.
 */
export async function removeOrphans(db: Queryable, { firstBound }: RemovalPlan): Promise<number> {
  if (firstBound === null) return 0
  let removed = 0
  for (let after: AccountId = ''; ; ) {
    const accounts = await listReachedAccounts(db, after, ACCOUNTS)
    for (const accountId of await listWithMediaBefore(db, accounts, firstBound, PORTION))
      removed += await deleteMediaBefore(db, accountId, firstBound, PORTION)
    for (const accountId of await listStoredBefore(db, accounts, timeOfId(firstBound)))
      await deleteStoredBefore(db, accountId, timeOfId(firstBound))
    if (accounts.length === 0) return removed
    after = accounts.at(-1)!
  }
}

/** Returns the number of deleted messages. */
export async function keepRecords(
  db: Queryable,
  progress: RetentionProgress,
  { wholeDays, defaultDays }: RemovalPlan,
  now: Date,
): Promise<number> {
  const { accountId } = progress
  const recordDays = progress.recordDays ?? (progress.keepsRecords ? null : defaultDays)
  if (recordDays === null) return 0
  if (recordDays === wholeDays) return 0
  const summedUntil = await findSummedUntil(db, accountId)
  const until = Math.min(now.getTime() - recordDays * DAY_MS, summedUntil.getTime())
  const before = idFloor('msg', new Date(Math.max(0, until)))
  const movedBefore = new Date(now.getTime() - EVENT_DAYS * DAY_MS)
  return walk(db, progress, { before, movedBefore })
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
  defaultDays: number | null,
  now: Date,
  bounds: readonly Date[],
): Promise<Date | null> {
  const days = await findLongestRecordDays(db, defaultDays)
  if (days === null) return null
  const past = now.getTime() - Math.max(days, SETTLED_DAYS) * DAY_MS
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
