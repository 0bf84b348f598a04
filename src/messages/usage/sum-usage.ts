// Goes round the accounts and sums their messages, hour by hour, as far as time is settled. Where it falls behind
// or stands still nothing is wrong: what is not summed is read from the messages.

import type { AccountId } from '../../accounts/account.js'
import { elapsedMs } from '../../kit/clock.js'
import { BRIEFLY, type Store } from '../../kit/postgres/db.js'
import { settledTime } from '../../kit/settled-time.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import {
  addChanges,
  findFirstCreated,
  isToBeSummed,
  listReachedAccounts,
  lockProgress,
  sumMessages,
} from './sum-queries.js'
import { BUCKET_MS, type Bucket } from './summed-span.js'

const PORTION = 100
const CHANGES_PORTION = 5_000
const IDLE_MS = 60_000
/**
 * After the first process that sums, another may still run for a while that moves messages and says nothing of
 * what it changes: an older one, while the service is upgraded node by node.
 */
const UPGRADE_MS = BUCKET_MS.day

/** Goes round once for each hour that is over. Until a change is added to the sums it is read beside them. */
export function sumLoop(world: World, nowMs: () => number = elapsedMs): Loop {
  const { db, clock, log } = world
  const findSettled = settledTime(clock, nowMs)
  let after: AccountId = ''
  let doneMs = 0
  return {
    name: 'sums of usage',
    idleMs: IDLE_MS,
    onError: (error) => log.error({ err: error }, 'finding accounts to sum failed'),
    step: async () => {
      const until = floorOf('hour', findSettled() ?? new Date(0))
      if (until.getTime() <= doneMs) return 0
      const accounts = await listReachedAccounts(db, after, PORTION)
      for (const accountId of accounts) {
        // One that cannot be summed now is left to the next hour: its messages are read until then.
        await sumDue(world, accountId, until).catch((error: unknown) =>
          log.error({ err: error, accountId }, 'summing of messages failed'),
        )
      }
      after = accounts.at(-1) ?? ''
      if (accounts.length === 0) doneMs = until.getTime()
      return accounts.length
    },
  }
}

async function sumDue({ db, clock }: World, accountId: AccountId, until: Date): Promise<void> {
  if (!(await isToBeSummed(db, accountId, until))) return
  await sumAccount(db.patient, accountId, until, clock.now())
}

/** Everything before `until`, the beginning of an hour before which nothing is written any more. */
export async function sumAccount(
  db: Store,
  accountId: AccountId,
  until: Date,
  now: Date,
): Promise<void> {
  for (let isMore = true; isMore; ) isMore = await sumDay(db, accountId, until, now)
}

/** No more than a day in a transaction. Says whether there may be more. */
function sumDay(db: Store, accountId: AccountId, until: Date, now: Date): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { begunAt, summedUntil } = await lockProgress(tx, accountId, now)
    if (now.getTime() - begunAt.getTime() < UPGRADE_MS) return false
    const added = await addChanges(tx, accountId, summedUntil, CHANGES_PORTION)
    const first = await findFirstCreated(tx, accountId, summedUntil, until)
    if (first !== null) {
      const endOfDayMs = floorOf('day', first).getTime() + BUCKET_MS.day
      const end = new Date(Math.min(endOfDayMs, until.getTime()))
      await sumMessages(tx, accountId, summedUntil, end)
    }
    return first !== null || added === CHANGES_PORTION
  }, BRIEFLY)
}

function floorOf(bucket: Bucket, moment: Date): Date {
  const sizeMs = BUCKET_MS[bucket]
  return new Date(Math.floor(moment.getTime() / sizeMs) * sizeMs)
}
