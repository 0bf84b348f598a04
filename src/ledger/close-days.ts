// Closes the books of each day: what an account's entries up to then come to, written down once, so
// that running balances, statements and the spend of a month need not read its whole history.

import type { AccountId } from '../accounts/account.js'
import { type Clock, elapsedMs } from '../kit/clock.js'
import { settledTime } from '../kit/settled-time.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { entryFloor, insertClosing, listAccountsAfter } from './entry-queries.js'

const PORTION = 100
const IDLE_MS = 60_000

/** Goes round the accounts once for each day that is over. */
export function closingLoop(world: World, nowMs: () => number = elapsedMs): Loop {
  const findFloor = createFloor(world.clock, nowMs)
  let closed = ''
  let after: AccountId = ''
  return {
    name: 'closing of days',
    idleMs: IDLE_MS,
    onError: (error) => world.log.error({ err: error }, 'closing a day failed'),
    step: async () => {
      const floor = findFloor()
      if (floor <= closed) return 0
      const accounts = await listAccountsAfter(world.db, after, PORTION)
      for (const accountId of accounts) await insertClosing(world.db.patient, accountId, floor)
      after = accounts.at(-1) ?? ''
      if (accounts.length === 0) closed = floor
      return accounts.length
    },
  }
}

/** The id below which nothing will be written any more, at the beginning of a day; or ''. */
function createFloor(clock: Clock, nowMs: () => number): () => string {
  const findSettled = settledTime(clock, nowMs)
  return () => {
    const settled = findSettled()
    return settled === null ? '' : entryFloor(new Date(new Date(settled).setUTCHours(0, 0, 0, 0)))
  }
}
