// Every statement on alerts, their settings, and the lease of the process that checks accounts.

import type { AccountId } from '../accounts/account.js'
import type { Page } from '../kit/contract/schema.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { acrossAccounts, raw, sql } from '../kit/postgres/sql.js'
import {
  type Alert,
  type AlertFinding,
  type AlertKind,
  type AlertSettings,
  BALANCE_DAYS_DEFAULT,
} from './alert.js'

const COLUMNS =
  raw(`account_id as "accountId", id, kind, subject, campaign_id as "campaignId", since,
  raised_at as "raisedAt", updated_at as "updatedAt", cleared_at as "clearedAt",
  what_happened as "whatHappened", what_to_do as "whatToDo", figures`)

/** More open alerts of one account say nothing new. */
export const OPEN_MAX = 100

export async function listOpenAlerts(db: Queryable, accountId: AccountId): Promise<Alert[]> {
  return db.query<Alert>(sql`
    select ${COLUMNS} from alerts where account_id = ${accountId} and cleared_at is null
    order by id limit ${OPEN_MAX}`)
}

export interface AlertFilter {
  state: 'open' | 'cleared' | null
  kind: AlertKind | null
}

/** Newest first, one more than the page has. */
export async function listAlerts(
  db: Queryable,
  accountId: AccountId,
  { state, kind }: AlertFilter,
  page: Page,
): Promise<Alert[]> {
  return db.query<Alert>(sql`
    select ${COLUMNS} from alerts
    where account_id = ${accountId} and (${page.after}::text is null or id < ${page.after})
      and (${state}::text is null or (cleared_at is null) = (${state}::text = 'open'))
      and (${kind}::text is null or kind = ${kind})
    order by id desc limit ${page.limit + 1} offset ${page.skip}`)
}

/** False if another process raised it at the same time. */
export async function insertAlert(tx: Transaction, alert: Alert): Promise<boolean> {
  const { accountId, id, kind, subject, campaignId, since, raisedAt, updatedAt } = alert
  const rows = await tx.query(sql`
    insert into alerts (account_id, id, kind, subject, campaign_id, since, raised_at, updated_at,
      what_happened, what_to_do, figures)
    values (${accountId}, ${id}, ${kind}, ${subject}, ${campaignId}, ${since}, ${raisedAt}, ${updatedAt},
      ${alert.whatHappened}, ${alert.whatToDo}, ${alert.figures}::jsonb)
    on conflict (account_id, kind, subject) where cleared_at is null do nothing returning 1`)
  return rows.length > 0
}

export async function updateAlert(
  db: Queryable,
  { accountId, id }: Alert,
  { whatHappened, whatToDo, figures }: AlertFinding,
  now: Date,
): Promise<void> {
  await db.query(sql`
    update alerts set what_happened = ${whatHappened}, what_to_do = ${whatToDo},
      figures = ${figures}::jsonb, updated_at = ${now}
    where account_id = ${accountId} and id = ${id} and cleared_at is null`)
}

/** False if another process cleared it at the same time. */
export async function clearAlert(
  tx: Transaction,
  { accountId, id }: Alert,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update alerts set cleared_at = ${now}, updated_at = ${now}
    where account_id = ${accountId} and id = ${id} and cleared_at is null returning 1`)
  return rows.length > 0
}

export async function deleteOldAlerts(
  tx: Transaction,
  accountId: AccountId,
  before: Date,
): Promise<void> {
  await tx.query(sql`
    delete from alerts where account_id = ${accountId} and cleared_at < ${before}`)
}

/** Accounts with open alerts, in order of their IDs. A plain read across accounts. */
export async function listAccountsWithAlerts(
  db: Queryable,
  after: AccountId,
  limit: number,
): Promise<AccountId[]> {
  const statement = sql`
    select distinct account_id as "accountId" from alerts
    where cleared_at is null and account_id > ${after} order by 1 limit ${limit}`
  const across = acrossAccounts(statement, { order: ['accountId'], limit })
  const rows = await db.query<{ accountId: AccountId }>(across)
  return rows.map((row) => row.accountId)
}

export async function findAlertSettings(
  db: Queryable,
  accountId: AccountId,
): Promise<AlertSettings> {
  const [row] = await db.query<{ mutedKinds: AlertKind[]; balanceDays: number | null }>(sql`
    select muted_kinds as "mutedKinds", balance_days as "balanceDays" from alert_settings
    where account_id = ${accountId}`)
  return {
    mutedKinds: row?.mutedKinds ?? [],
    balanceDays: row?.balanceDays ?? BALANCE_DAYS_DEFAULT,
  }
}

export async function saveAlertSettings(
  tx: Transaction,
  accountId: AccountId,
  { mutedKinds, balanceDays }: AlertSettings,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into alert_settings (account_id, muted_kinds, balance_days, updated_at)
    values (${accountId}, ${mutedKinds}, ${balanceDays}, ${now})
    on conflict (account_id) do update set muted_kinds = excluded.muted_kinds,
      balance_days = excluded.balance_days, updated_at = excluded.updated_at`)
}

/** Renews the lease of this process, or takes over one that has expired. False if another process has it. */
export async function takeLease(
  db: Queryable,
  holder: string,
  machineNow: Date,
  expiresAt: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into alert_lease (holder, expires_at) values (${holder}, ${expiresAt})
    on conflict (only_row) do update set holder = excluded.holder, expires_at = excluded.expires_at
    where alert_lease.holder = excluded.holder or alert_lease.expires_at < ${machineNow}
    returning 1`)
  return rows.length > 0
}
