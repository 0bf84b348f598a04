// Tells once when a balance has fallen below what its owner wants to be warned at, and again only
// after it was above. A look every few seconds, so that no send pays for it.

import type { AccountId } from '../accounts/account.js'
import { THRESHOLDS } from '../accounts/account-queries.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { WALLETS } from './ledger-queries.js'

const PORTION = 200
const IDLE_MS = 5_000

interface LowBalance {
  accountId: AccountId
  balanceMicros: bigint
  thresholdMicros: bigint
}

/** Writes the event; handed in, for events stand above the ledger. */
export type TellLowBalance = (tx: Transaction, low: LowBalance, now: Date) => Promise<void>

export function lowBalanceLoop(world: World, tell: TellLowBalance): Loop {
  return {
    name: 'low balances',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => world.log.error({ err: error }, 'watching balances failed'),
    step: () => watchBalances(world, tell),
  }
}

/** Any number of nodes may look: who writes the alert's row is the one who tells. */
export async function watchBalances({ db, clock }: World, tell: TellLowBalance): Promise<number> {
  await deleteOverAlerts(db)
  const fallen = await listFallen(db)
  for (const low of fallen) {
    const now = clock.now()
    await db.transaction(async (tx) => {
      if (await insertAlert(tx, low.accountId, now)) await tell(tx, low, now)
    })
  }
  return fallen.length
}

async function listFallen(db: Queryable): Promise<LowBalance[]> {
  return db.query<LowBalance>(sql`
    select t.account_id as "accountId", w.balance_micros as "balanceMicros",
      t.low_balance_micros as "thresholdMicros"
    from ${THRESHOLDS} t join ${WALLETS} w on w.account_id = t.account_id
    where w.balance_micros < t.low_balance_micros and not exists (
      select 1 from low_balance_alerts a where a.account_id = t.account_id)
    limit ${PORTION}`)
}

async function insertAlert(tx: Transaction, accountId: AccountId, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into low_balance_alerts (account_id, raised_at) values (${accountId}, ${now})
    on conflict (account_id) do nothing returning 1`)
  return rows.length > 0
}

// Two steps, since a delete that crosses accounts may only be fed a list of them.
async function deleteOverAlerts(db: Queryable): Promise<void> {
  const over = await db.query<{ accountId: AccountId }>(sql`
    select a.account_id as "accountId" from low_balance_alerts a where not exists (
      select 1 from ${THRESHOLDS} t join ${WALLETS} w on w.account_id = t.account_id
      where t.account_id = a.account_id and w.balance_micros < t.low_balance_micros)
    limit ${PORTION}`)
  if (over.length === 0) return
  const accountIds = over.map(({ accountId }) => accountId)
  await db.query(sql`
    delete from low_balance_alerts where account_id = any (${accountIds}::text[])`)
}
