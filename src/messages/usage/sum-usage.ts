// Maintains the message counters. One loop adds changes to them every few seconds. The other checks each hour once
// against the messages and corrects what a process of an older version left out. If they fall behind or stop,
// reports stay right, because they read pending changes next to the counters.

import type { AccountId } from '../../accounts/account.js'
import { elapsedMs } from '../../kit/clock.js'
import { BRIEFLY, type Store, type Transaction } from '../../kit/postgres/db.js'
import { settledTime } from '../../kit/settled-time.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { fillStored } from '../stored-queries.js'
import { correctCounts, countOpen, fillTotals } from './correct-queries.js'
import {
  addChanges,
  findFirstCreated,
  isToBeSummed,
  listChangedAccounts,
  listReachedAccounts,
  lockProgress,
  type UsageProgress,
} from './sum-queries.js'
import { BUCKET_MS, type UsageBucket } from './summed-span.js'

const PORTION = 100
const CHANGES_PORTION = 5_000
const IDLE_MS = 60_000
/** How often changes are added. A report reads the changes of this interval. */
const FOLD_MS = 5_000
const FOLD_ROWS = 20_000
/** During a rolling upgrade, older processes may still move messages without recording the change. */
const UPGRADE_MS = BUCKET_MS.day

/** Runs once for each finished hour. */
export function sumLoop(world: World, nowMs: () => number = elapsedMs): Loop {
  const { db, clock, log } = world
  const findSettled = settledTime(clock, nowMs)
  let after: AccountId = ''
  let doneMs = 0
  return {
    name: 'check of counters',
    idleMs: IDLE_MS,
    onError: (error) => log.error({ err: error }, 'finding accounts to check failed'),
    step: async () => {
      const until = floorOf('hour', findSettled() ?? new Date(0))
      if (until.getTime() <= doneMs) return 0
      const accounts = await listReachedAccounts(db, after, PORTION)
      for (const accountId of accounts) {
        // An account that cannot be checked now is left to the next hour.
        await checkDue(world, accountId, until).catch((error: unknown) =>
          log.error({ err: error, accountId }, 'checking counters failed'),
        )
      }
      after = accounts.at(-1) ?? ''
      if (accounts.length === 0) doneMs = until.getTime()
      return accounts.length
    },
  }
}

/** Goes through the accounts with changes, then rests. */
export function foldLoop({ db, clock, log, hints }: World): Loop {
  let after: AccountId = ''
  return {
    name: 'counters',
    idleMs: () => hints.pollMs(FOLD_MS, 'schedule'),
    onError: (error) => log.error({ err: error }, 'finding counter changes failed'),
    step: async () => {
      const accounts = await listChangedAccounts(db, after, FOLD_ROWS)
      for (const accountId of accounts) {
        // An account that cannot be reached now is left to the next round.
        await foldAccount(db, accountId, clock.now()).catch((error: unknown) =>
          log.warn({ err: error, accountId }, 'adding to counters failed'),
        )
      }
      const isOver = accounts.length === 0
      after = accounts.at(-1) ?? ''
      return isOver ? 0 : accounts.length
    },
  }
}

/** Adds all changes. */
export async function foldAccount(db: Store, accountId: AccountId, now: Date): Promise<void> {
  for (let isMore = true; isMore; ) {
    isMore = await db.transaction(async (tx) => {
      const progress = await lockProgress(tx, accountId, now)
      return (await addChanges(tx, accountId, progress, CHANGES_PORTION)) === CHANGES_PORTION
    }, BRIEFLY)
  }
}

async function checkDue(
  { db, clock, log }: World,
  accountId: AccountId,
  until: Date,
): Promise<void> {
  if (!(await isToBeSummed(db, accountId, until))) return
  const corrected = await sumAccount(db.patient, accountId, until, clock.now())
  if (corrected > 0) log.warn({ accountId, corrected }, 'message counters were corrected')
}

/**
 * Everything before `until`, the start of an hour before which nothing is written anymore. Returns how many
 * counters were wrong that the statements had counted.
 */
export async function sumAccount(
  db: Store,
  accountId: AccountId,
  until: Date,
  now: Date,
): Promise<number> {
  let sum = 0
  for (let isMore = true; isMore; ) {
    const day = await db.transaction((tx) => sumDay(tx, accountId, until, now), BRIEFLY)
    sum += day.corrected
    isMore = day.isMore
  }
  return sum
}

/** At most a day per transaction. */
async function sumDay(
  tx: Transaction,
  accountId: AccountId,
  until: Date,
  now: Date,
): Promise<{ isMore: boolean; corrected: number }> {
  const progress = await lockProgress(tx, accountId, now)
  const { begunAt, summedUntil, countedFrom } = progress
  const isCounted = summedUntil >= countedFrom
  if (!isCounted && now.getTime() - begunAt.getTime() < UPGRADE_MS)
    return { isMore: false, corrected: 0 }
  await fillOnce(tx, accountId, progress, now)
  const added = await addChanges(tx, accountId, progress, CHANGES_PORTION)
  const first = await findFirstCreated(tx, accountId, summedUntil, until)
  if (first === null) return { isMore: added === CHANGES_PORTION, corrected: 0 }
  const endOfDayMs = floorOf('day', first).getTime() + BUCKET_MS.day
  // Up to the mark, everything is new. After it, everything should be there.
  const markMs = isCounted ? Number.POSITIVE_INFINITY : countedFrom.getTime()
  const end = new Date(Math.min(endOfDayMs, until.getTime(), markMs))
  const corrected = await correctCounts(tx, accountId, summedUntil, end, progress.hasTotals)
  return { isMore: true, corrected: isCounted ? corrected : 0 }
}

/** For an account with messages from before the upgrade. */
async function fillOnce(
  tx: Transaction,
  accountId: AccountId,
  progress: UsageProgress,
  now: Date,
): Promise<void> {
  if (!progress.isOpenCounted && now >= progress.countedFrom) {
    await countOpen(tx, accountId)
    progress.isOpenCounted = true
  }
  if (!progress.hasTotals && now >= progress.totalsFrom) {
    await fillTotals(tx, accountId)
    progress.hasTotals = true
  }
  if (!progress.hasStored && now >= progress.storedFrom) {
    await fillStored(tx, accountId)
    progress.hasStored = true
  }
}

function floorOf(bucket: UsageBucket, moment: Date): Date {
  const sizeMs = BUCKET_MS[bucket]
  return new Date(Math.floor(moment.getTime() / sizeMs) * sizeMs)
}
