// The statements that renew campaigns. They share the campaigns table with campaign-queries.ts and touch only
// the columns of the paid period.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { acrossAccounts, raw, sql } from '../../kit/postgres/sql.js'
import { WALLETS } from '../../ledger/ledger-queries.js'
import type { Campaign } from '../campaign.js'

/** The columns that a renewal reads and writes. Only an approved campaign has a period. */
export interface Renewing
  extends Pick<Campaign, 'accountId' | 'id' | 'status' | 'suspendedFor' | 'graceUntil'> {
  displayName: string
  monthlyFeeMicros: bigint
  renewalDay: number
  periodStart: Date
  renewsAt: Date
}

const COLUMNS = raw(`c.account_id as "accountId", c.id, c.status, c.display_name as "displayName",
  c.suspended_for as "suspendedFor", c.grace_until as "graceUntil",
  c.monthly_fee_micros as "monthlyFeeMicros", c.renewal_day as "renewalDay",
  c.period_start as "periodStart", c.renews_at as "renewsAt"`)

export interface RenewalKey {
  accountId: AccountId
  id: string
}

/** Due and not tried yet. Crosses accounts, so it only reads. */
export async function listDueRenewals(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<RenewalKey[]> {
  const statement = sql`
    select account_id as "accountId", id, renews_at as "renewsAt" from campaigns
    where renews_at <= ${now} and grace_until is null
    order by renews_at limit ${limit}`
  return db.query<RenewalKey>(acrossAccounts(statement, { order: ['renewsAt'], limit }))
}

export interface UnpaidRenewal extends RenewalKey {
  isGraceOver: boolean
}

/** Tried before and unpaid, and the wallet now covers the fee, or the grace period is over. */
export async function listUnpaidRenewals(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<UnpaidRenewal[]> {
  const statement = sql`
    select "accountId", id, "isGraceOver" from (
      select c.account_id as "accountId", c.id,
        c.status = 'ACTIVE' and c.grace_until <= ${now} as "isGraceOver",
        w.balance_micros >= c.monthly_fee_micros as "holdsFee"
      from campaigns c join ${WALLETS} w on w.account_id = c.account_id
      where c.grace_until is not null
    ) unpaid
    where "isGraceOver" or "holdsFee"
    order by "accountId", id limit ${limit}`
  return db.query<UnpaidRenewal>(acrossAccounts(statement, { order: ['accountId', 'id'], limit }))
}

/** The wallet's balance at this check, and the fee. */
export async function findFeeAndBalance(
  db: Queryable,
  { accountId, id }: RenewalKey,
): Promise<{ monthlyFeeMicros: bigint; balanceMicros: bigint } | null> {
  const [row] = await db.query<{ monthlyFeeMicros: bigint; balanceMicros: bigint }>(sql`
    select c.monthly_fee_micros as "monthlyFeeMicros", w.balance_micros as "balanceMicros"
    from campaigns c join ${WALLETS} w on w.account_id = c.account_id
    where c.account_id = ${accountId} and c.id = ${id}`)
  return row ?? null
}

/** Null if it is no longer due, or another node is working on it. */
export async function claimRenewal(
  tx: Transaction,
  { accountId, id }: RenewalKey,
  now: Date,
): Promise<Renewing | null> {
  const [row] = await tx.query<Renewing>(sql`
    select ${COLUMNS} from campaigns c
    where account_id = ${accountId} and id = ${id} and renews_at <= ${now}
    for update skip locked`)
  return row ?? null
}

/** The caller holds the lock of the row. */
export async function updateRenewal(tx: Transaction, c: Renewing, now: Date): Promise<void> {
  await tx.query(sql`
    update campaigns set status = ${c.status}, suspended_for = ${c.suspendedFor},
      period_start = ${c.periodStart}, renews_at = ${c.renewsAt}, grace_until = ${c.graceUntil},
      updated_at = ${now}
    where account_id = ${c.accountId} and id = ${c.id}`)
}

/** The account's campaigns with an unpaid renewal, most urgent first. */
export async function listOwing(
  db: Queryable,
  accountId: AccountId,
  limit: number,
): Promise<Renewing[]> {
  return db.query<Renewing>(sql`
    select ${COLUMNS} from campaigns c
    where account_id = ${accountId} and grace_until is not null
    order by grace_until, id limit ${limit}`)
}
