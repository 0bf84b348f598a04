// Raises an alert once when a balance falls below its owner's threshold, and again only after it was above.
// It checks every few seconds, so no send pays for it.

import type { AccountId } from '../accounts/account.js'
import { KeyedBackoff } from '../kit/keyed-backoff.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import {
  deleteAlert,
  findLowBalance,
  insertAlert,
  type LowBalance,
  listFallen,
  listOverAlerts,
} from './low-balance-queries.js'

const IDLE_MS = 5_000

/** Writes the event. Passed in, because the events module is above the ledger. */
export type AppendLowBalance = (tx: Transaction, low: LowBalance, now: Date) => Promise<void>

export function lowBalanceLoop(world: World, append: AppendLowBalance): Loop {
  const onError = (error: unknown) => world.log.error({ err: error }, 'could not check balances')
  const aside = new KeyedBackoff(onError)
  return {
    name: 'low balances',
    hints: ['clock'],
    idleMs: () => world.hints.pollMs(IDLE_MS, 'schedule'),
    onError,
    step: () => watchBalances(world, append, aside),
  }
}

/** With a single check, the caller gets the errors. */
const NOBODY_WAITS = new KeyedBackoff((error) => {
  throw error
})

/** Any number of nodes may check. The one that inserts the alert's row appends the event. */
export async function watchBalances(
  { db, clock }: World,
  append: AppendLowBalance,
  aside: KeyedBackoff = NOBODY_WAITS,
): Promise<number> {
  for (const accountId of await listOverAlerts(db)) {
    await aside.attempt(accountId, () => deleteAlert(db, accountId))
  }
  const raise = (accountId: AccountId) =>
    db.transaction(
      async (tx) => {
        const now = clock.now()
        const low = await findLowBalance(tx, accountId)
        if (!low || !(await insertAlert(tx, accountId, now))) return 0
        await append(tx, low, now)
        return 1
      },
      { accountId },
    )
  let raised = 0
  for (const accountId of await listFallen(db)) {
    const count = await aside.attempt(accountId, () => raise(accountId))
    raised += count ?? 0
  }
  return raised
}
