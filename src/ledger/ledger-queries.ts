// Every statement on the ledger tables, except charges and refunds of messages. Those must run in one
// statement with the messages, so charge-messages.ts has them as pieces of SQL.

import type { AccountId } from '../accounts/account.js'
import { Refusal } from '../kit/contract/refusal.js'
import { newId } from '../kit/ids.js'
import { brokenConstraint, type Queryable, type Transaction } from '../kit/postgres/db.js'
import { plainArray, textArray } from '../kit/postgres/pg-array.js'
import { acrossAccounts, raw, sql } from '../kit/postgres/sql.js'
import { type Ledger, REASONS, type Transfer } from './ledger.js'

/** Each account's wallet, for joins by account. */
export const WALLETS = raw(
  '(select account_id, wallet_micros as balance_micros from account_ledgers)',
)

export async function openLedgers(tx: Transaction, accountId: AccountId): Promise<void> {
  await tx.query(sql`insert into account_ledgers (account_id) values (${accountId})`)
}

/**
 * Moves money in the caller's transaction. Refuses if the wallet does not cover it. Two transfers of one
 * account can wait for each other but never deadlock, because there is one row to wait for. Returns the ID of
 * the new transfer.
 */
export async function transfer(tx: Transaction, input: Transfer): Promise<string> {
  const { accountId, now, ...rest } = input
  const [id] = await transferAll(tx, accountId, [rest], now)
  return id!
}

/** Several transfers of one account, all or none. */
export async function transferAll(
  tx: Transaction,
  accountId: AccountId,
  transfers: readonly Omit<Transfer, 'accountId' | 'now'>[],
  now: Date,
): Promise<string[]> {
  const wrong = transfers.find(({ amountMicros }) => amountMicros <= 0n)
  if (wrong) throw new RangeError(`a transfer must be positive, not ${wrong.amountMicros}`)
  await lockWallet(tx, accountId)
  const ids = transfers.map(() => newId('trf', now))
  const changes = sumChanges(transfers)
  try {
    await tx.query(sql`
      with input as (
        select * from unnest(${plainArray(ids)}::text[],
          ${plainArray(transfers.map(({ reason }) => reason))}::text[],
          ${textArray(transfers.map(({ reference }) => reference))}::text[],
          ${plainArray(transfers.map(({ reason }) => REASONS[reason].from))}::text[],
          ${plainArray(transfers.map(({ reason }) => REASONS[reason].to))}::text[],
          ${plainArray(transfers.map(({ amountMicros }) => amountMicros))}::bigint[],
          ${plainArray(transfers.map(({ campaignId }) => campaignId ?? null))}::text[])
          as t (id, reason, reference, from_ledger, to_ledger, amount, campaign_id)
      ), moved as (
        update account_ledgers set wallet_micros = wallet_micros + ${changes.wallet},
          funding_micros = funding_micros + ${changes.funding},
          fees_micros = fees_micros + ${changes.fees},
          numbers_micros = numbers_micros + ${changes.numbers},
          messages_micros = messages_micros + ${changes.messages}
        where account_id = ${accountId}
      ), written as (
        insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
          amount_micros, campaign_id, created_at)
        select own.account_id, id, reason, reference, from_ledger, to_ledger, amount, campaign_id, ${now}
        from input cross join (select account_id from accounts where account_id = ${accountId}) own
      ) select 1`)
  } catch (error) {
    if (brokenConstraint(error) === 'wallet_covered') throw new Refusal('balance_insufficient')
    throw error
  }
  return ids
}

function sumChanges(
  transfers: readonly Pick<Transfer, 'reason' | 'amountMicros'>[],
): Record<Ledger, bigint> {
  const changes = { wallet: 0n, funding: 0n, fees: 0n, numbers: 0n, messages: 0n }
  for (const { reason, amountMicros } of transfers) {
    changes[REASONS[reason].from] -= amountMicros
    changes[REASONS[reason].to] += amountMicros
  }
  return changes
}

/**
 * Locks the account's money until the transaction ends. Returns the wallet's balance. Refuses an account
 * without a wallet.
 */
export async function lockWallet(tx: Transaction, accountId: AccountId): Promise<bigint> {
  const [row] = await tx.query<{ balance: bigint }>(sql`
    select wallet_micros as balance from account_ledgers
    where account_id = ${accountId} for update`)
  if (!row) throw new Refusal('account_missing')
  return row.balance
}

/** The operator's reason for this transfer. */
export async function insertNote(
  tx: Transaction,
  accountId: AccountId,
  transferId: string,
  note: string,
): Promise<void> {
  await tx.query(sql`
    insert into ledger_notes (account_id, transfer_id, note)
    values (${accountId}, ${transferId}, ${note})`)
}

export async function findBalanceMicros(db: Queryable, accountId: AccountId): Promise<bigint> {
  const [row] = await db.query<{ balance: bigint }>(sql`
    select wallet_micros as balance from account_ledgers where account_id = ${accountId}`)
  return row?.balance ?? 0n
}

export interface Drift {
  accountId: AccountId
  ledger: string
  balanceMicros: bigint
  entriesMicros: bigint
}

/**
 * Ledgers whose balance is not the sum of their entries, and message transfers that are not the sum of what
 * they list. Always empty, unless the program has a bug. A plain read across accounts, limited to those that
 * can be reached. Balance and entries are joined in one select without a `union`, so both are read
 * at one point in time, even during writes (tenant-queries.ts).
 */
export async function findDrift(db: Queryable): Promise<Drift[]> {
  const statement = sql`
    select b.account_id as "accountId", b.ledger, b.balance as "balanceMicros",
      coalesce(s.total, 0)::bigint as "entriesMicros"
    from (
      select account_id, ledger, balance from account_ledgers cross join lateral (values
        ('wallet', wallet_micros), ('funding', funding_micros), ('fees', fees_micros),
        ('numbers', numbers_micros), ('messages', messages_micros)) as l (ledger, balance)
    ) b left join (
      select account_id, ledger, sum(amount)::bigint as total
      from ledger_transfers cross join lateral (values
        (to_ledger, amount_micros), (from_ledger, -amount_micros)) as e (ledger, amount)
      group by 1, 2
    ) s on s.account_id = b.account_id and s.ledger = b.ledger
    where b.balance <> coalesce(s.total, 0)
    union all
    select t.account_id, t.to_ledger || ' in ' || t.id, t.amount_micros, listed.total
    from ledger_transfers t cross join lateral (
      select coalesce(sum(micros), 0)::bigint as total, count(id) as count
      from unnest(t.message_ids, t.message_micros) as m (id, micros)) listed
    where (t.message_ids is not null or t.entries <> 1)
      and (listed.total <> t.amount_micros or listed.count <> t.entries)`
  return db.query<Drift>(acrossAccounts(statement, { bigints: ['balanceMicros', 'entriesMicros'] }))
}

/** Closings that are not the sum of the entries below them. Always empty, as above. */
export async function findClosingDrift(
  db: Queryable,
): Promise<{ accountId: AccountId; floorId: string }[]> {
  return db.query(sql`
    select c.account_id as "accountId", c.floor_id as "floorId" from ledger_closings c
    where c.wallet_micros <> (
      select coalesce(sum(case when t.to_ledger = 'wallet' then t.amount_micros
        else -t.amount_micros end), 0)
      from ledger_transfers t where t.account_id = c.account_id and t.id < c.floor_id)`)
}
