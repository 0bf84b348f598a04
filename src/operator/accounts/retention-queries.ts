// Every statement on the account_retention table: how long an account's messages, texts, and media are kept, and how far
// the deletion has progressed.

import type { AccountId } from '../../accounts/account.js'
import { LIVING_ACCOUNTS } from '../../accounts/account-queries.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { acrossAccounts, sql } from '../../kit/postgres/sql.js'

/** Days; null: kept for as long as the account exists. */
export interface Retention {
  /** Texts. */
  messageDays: number | null
  mediaDays: number | null
  /** Whole messages. */
  recordDays: number | null
}

/** Background work needs messages for this long: events are kept for thirty days. */
export const RECORD_DAYS_MIN = 30
export const RECORD_DAYS_MAX = 3_650

export interface RetentionProgress extends Retention {
  accountId: AccountId
  /** Everything with a lower id is done. */
  messagesDone: string
  mediaDone: string
  recordsDone: string
  /** Not null: the account is deleted, and its remaining rows are being removed. */
  deletingSince: Date | null
}

export const KEPT: Retention = { messageDays: null, mediaDays: null, recordDays: null }

/** A plain read across accounts. */
export async function findRetentions(
  db: Queryable,
  accountIds: readonly AccountId[],
): Promise<Map<AccountId, Retention>> {
  const statement = sql`
    select account_id as "accountId", message_days as "messageDays", media_days as "mediaDays",
      record_days as "recordDays"
    from account_retention where account_id = any (${accountIds}::text[])`
  const rows = await db.query<Retention & { accountId: AccountId }>(acrossAccounts(statement))
  return new Map(rows.map(({ accountId, ...retention }) => [accountId, retention]))
}

export async function upsertRetention(
  tx: Transaction,
  accountId: AccountId,
  { messageDays, mediaDays, recordDays }: Retention,
): Promise<void> {
  await tx.query(sql`
    insert into account_retention (account_id, message_days, media_days, record_days)
    values (${accountId}, ${messageDays}, ${mediaDays}, ${recordDays})
    on conflict (account_id) do update
    set message_days = excluded.message_days, media_days = excluded.media_days,
      record_days = excluded.record_days`)
}

/** The next account, by id, with work to do; null after the last. A plain read across accounts. */
export async function findNextRetention(
  db: Queryable,
  after: AccountId,
): Promise<RetentionProgress | null> {
  const statement = sql`
    select account_id as "accountId", message_days as "messageDays", media_days as "mediaDays",
      record_days as "recordDays", messages_done as "messagesDone", media_done as "mediaDone",
      records_done as "recordsDone",
      deleting_since as "deletingSince"
    from account_retention where account_id > ${after} order by account_id limit 1`
  const across = { order: ['accountId'], limit: 1, times: ['deletingSince'] }
  const [row] = await db.query<RetentionProgress>(acrossAccounts(statement, across))
  return row ?? null
}

export async function recordRetention(
  db: Queryable,
  accountId: AccountId,
  { messagesDone, mediaDone }: Pick<RetentionProgress, 'messagesDone' | 'mediaDone'>,
): Promise<void> {
  await db.query(sql`
    update account_retention set messages_done = ${messagesDone}, media_done = ${mediaDone}
    where account_id = ${accountId}`)
}

export async function recordRemoval(
  db: Queryable,
  accountId: AccountId,
  recordsDone: string,
): Promise<void> {
  await db.query(sql`
    update account_retention set records_done = ${recordsDone} where account_id = ${accountId}`)
}

/** Over all accounts; null if one of them keeps its messages forever. */
export async function findLongestRecordDays(db: Queryable): Promise<number | null> {
  const [row] = await db.query<{ days: number | null }>(sql`
    select case when bool_and(r.record_days is not null) then max(r.record_days) end as days
    from ${LIVING_ACCOUNTS} a left join account_retention r on r.account_id = a.account_id`)
  return row!.days
}

export async function recordDeleting(
  tx: Transaction,
  accountId: AccountId,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into account_retention (account_id, deleting_since) values (${accountId}, ${now})
    on conflict (account_id) do update set deleting_since = excluded.deleting_since`)
}

export async function deleteRetention(db: Queryable, accountId: AccountId): Promise<void> {
  await db.query(sql`delete from account_retention where account_id = ${accountId}`)
}
