// Raises an alert once when a balance has fallen below what its owner wants to be warned at, and again
// only after it was above. A look every few seconds, so that no send pays for it.

import type { Transaction } from '../kit/postgres/db.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import {
  deleteOverAlerts,
  insertAlert,
  type LowBalance,
  listFallen,
} from './low-balance-queries.js'

const IDLE_MS = 5_000

/** Writes the event; handed in, for events stand above the ledger. */
export type AppendLowBalance = (tx: Transaction, low: LowBalance, now: Date) => Promise<void>

export function lowBalanceLoop(world: World, append: AppendLowBalance): Loop {
  return {
    name: 'low balances',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => world.log.error({ err: error }, 'watching balances failed'),
    step: () => watchBalances(world, append),
  }
}

/** Any number of nodes may look: who writes the alert's row is the one who appends the event. */
export async function watchBalances(
  { db, clock }: World,
  append: AppendLowBalance,
): Promise<number> {
  await deleteOverAlerts(db)
  const fallen = await listFallen(db)
  for (const low of fallen) {
    const now = clock.now()
    await db.transaction(async (tx) => {
      if (await insertAlert(tx, low.accountId, now)) await append(tx, low, now)
    })
  }
  return fallen.length
}
