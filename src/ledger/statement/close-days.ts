// Closes the books of each day: stores the sum of an account's entries up to then, and the cost of its
// messages on each day. Balances, statements, and monthly spend then need not read the whole history.

import type { AccountId } from '../../accounts/account.js'
import { elapsedMs } from '../../kit/clock.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { isWorkerAway } from '../../kit/postgres/db-failure.js'
import { settledTime } from '../../kit/settled-time.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { entryFloor, insertClosing, listAccountsAfter } from '../entry-queries.js'
import { sumDays } from './day-queries.js'

const PORTION = 100
const IDLE_MS = 60_000

/**
 * Goes through the accounts once for each finished day, and again when accounts that could not be reached are
 * back.
 */
export function closingLoop(world: World, nowMs: () => number = elapsedMs): Loop {
  const { db, log } = world
  const findSettled = settledTime(world.clock, nowMs)
  let closedMs = 0
  let isPartial = false
  let after: AccountId = ''
  return {
    name: 'closing of days',
    idleMs: IDLE_MS,
    onError: (error) => log.error({ err: error }, 'could not close a day'),
    step: async () => {
      const day = startOfDay(findSettled() ?? new Date(0))
      const isDone = day.getTime() <= closedMs && !(isPartial && !db.workers.isOutage)
      if (isDone) return 0
      if (after === '') isPartial = false
      const accounts = await listAccountsAfter(db, after, PORTION)
      for (const accountId of accounts) {
        await close(db.patient, accountId, day).catch((error: unknown) => {
          if (!isWorkerAway(error)) throw error
          log.warn({ err: error, accountId }, 'closing a day is postponed to a later round')
          isPartial = true
        })
      }
      isPartial ||= db.workers.isOutage
      after = accounts.at(-1) ?? ''
      if (accounts.length === 0) closedMs = day.getTime()
      return accounts.length
    },
  }
}

/** All days before this one. */
async function close(db: Queryable, accountId: AccountId, day: Date): Promise<void> {
  await insertClosing(db, accountId, entryFloor(day))
  await sumDays(db, accountId, day)
}

function startOfDay(moment: Date): Date {
  return new Date(new Date(moment).setUTCHours(0, 0, 0, 0))
}
