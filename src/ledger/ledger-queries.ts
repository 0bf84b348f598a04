// Every statement on the ledger tables, but for the charge and refund of messages, which must run in
// one statement with the messages themselves: charge-messages.ts holds those as pieces of SQL.

import type { AccountId } from '../accounts/account.js'
import { brokenConstraint, type Queryable, type Transaction } from '../kit/db.js'
import { newId } from '../kit/ids.js'
import { Refusal } from '../kit/refusal.js'
import { sql } from '../kit/sql.js'
import { LEDGERS, REASONS, type Transfer } from './ledger.js'

export async function openLedgers(tx: Transaction, accountId: AccountId): Promise<void> {
  await tx.query(sql`
    insert into ledger_balances (account_id, ledger)
    select ${accountId}, unnest(${[...LEDGERS]}::text[])`)
}

/**
 * Moves money in the caller's transaction; refuses what the wallet does not cover. The wallet's row is
 * always locked first, so two transfers of one account can wait for each other but never deadlock.
 */
export async function transfer(tx: Transaction, wanted: Transfer): Promise<void> {
  const { accountId, amountMicros } = wanted
  if (amountMicros <= 0n) throw new RangeError(`a transfer must be positive, not ${amountMicros}`)
  const { from, to } = REASONS[wanted.reason]
  await lockWallet(tx, accountId)
  try {
    await tx.query(sql`
      with moved as (
        update ledger_balances
        set balance_micros = balance_micros
          + case ledger when ${from} then -${amountMicros}::bigint else ${amountMicros}::bigint end
        where account_id = ${accountId} and ledger in (${from}, ${to})
      )
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at)
      values (${accountId}, ${newId('trf', wanted.now)}, ${wanted.reason}, ${wanted.reference},
        ${from}, ${to}, ${amountMicros}::bigint, ${wanted.campaignId ?? null}, ${wanted.now})`)
  } catch (error) {
    if (brokenConstraint(error) === 'wallet_covered') throw new Refusal('balance_insufficient')
    throw error
  }
}

/** Until the transaction ends, nobody else moves this account's money. */
export async function lockWallet(tx: Transaction, accountId: AccountId): Promise<void> {
  await tx.query(sql`
    select 1 from ledger_balances where account_id = ${accountId} and ledger = 'wallet' for update`)
}

export async function findBalanceMicros(db: Queryable, accountId: AccountId): Promise<bigint> {
  const [row] = await db.query<{ balance: bigint }>(sql`
    select balance_micros as balance from ledger_balances
    where account_id = ${accountId} and ledger = 'wallet'`)
  return row?.balance ?? 0n
}

export interface Drift {
  accountId: AccountId
  ledger: string
  balanceMicros: bigint
  entriesMicros: bigint
}

/** Ledgers whose balance is not the sum of their entries: always empty, or the program has a fault. */
export async function findDrift(db: Queryable): Promise<Drift[]> {
  return db.query<Drift>(sql`
    with entries as (
      select account_id, to_ledger as ledger, amount_micros as amount from ledger_transfers
      union all
      select account_id, from_ledger, -amount_micros from ledger_transfers
    ), sums as (
      select account_id, ledger, sum(amount)::bigint as total from entries group by 1, 2
    )
    select b.account_id as "accountId", b.ledger, b.balance_micros as "balanceMicros",
      coalesce(s.total, 0)::bigint as "entriesMicros"
    from ledger_balances b left join sums s using (account_id, ledger)
    where b.balance_micros <> coalesce(s.total, 0)`)
}
