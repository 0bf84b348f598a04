// Carries out for how long whole messages are kept: in portions, account by account, or, where nobody keeps them for
// longer, by dropping a partition of all accounts at once. Only what is summed goes, so that usage stays as it was.

import type { AccountId } from '../../accounts/account.js'
import { idFloor } from '../../kit/ids.js'
import { type Family, findFirstBound, isCut } from '../../kit/partitions/partitions.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { deleteMediaBefore, hasOpenBefore, removeMessages } from '../../messages/remove-queries.js'
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
/** In one step of the loop, so that a stop of the service need not wait for millions of messages. */
const PORTIONS_PER_STEP = 20
const ACCOUNTS = 500
const DAY_MS = 24 * 60 * 60 * 1000
/** How long events are kept. A message that moved since has some. */
const EVENT_DAYS = 30
/**
 * From when on every message of a partition has had its last event at least so many days ago: it was scheduled 35 days
 * ahead at most, and was sent within hours then, or is still open. Until then rows are looked at one by one.
 */
const DROPPED_DAYS_MIN = 70

export const MESSAGES: Family = {
  tables: [{ name: 'messages', prefix: 'msg' }],
  longest: 'month',
}

/** How messages leave at present, the same for all accounts. */
export interface RemovalPlan {
  /** Nobody keeps messages for longer: those of accounts with as many days leave with their partition. */
  wholeDays: number | null
  /** No message has a lower id. */
  firstBound: string | null
}

export async function findRemovalPlan(db: Queryable): Promise<RemovalPlan> {
  const wholeDays = (await isCut(db, 'messages')) ? await findLongestRecordDays(db) : null
  const isLong = wholeDays !== null && wholeDays >= DROPPED_DAYS_MIN
  return { wholeDays: isLong ? wholeDays : null, firstBound: await findFirstBound(db, 'messages') }
}

/** Says how many messages were removed, or how many media of those that left with a partition. */
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
  // What was left alone is looked at again: the next walk starts right before it.
  const done = firstLeft === null ? after : firstLeft.slice(0, -1)
  if (done !== recordsDone) await recordRemoval(db, accountId, done)
  return removed
}

/** Until when messages of all accounts are past and summed, and none of them is open; null: nobody knows when. */
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
