// Every statement on the account_retention table: how long an account's messages, texts, and media are kept, and how far
// the deletion has progressed.

import type { AccountId } from '../../accounts/account.js'
import { LIVING_ACCOUNTS } from '../../accounts/account-queries.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { acrossAccounts, piece, sql } from '../../kit/postgres/sql.js'

/** Days; null: kept for as long as the account exists. */
export interface Retention {
  /** Texts. */
  messageDays: number | null
  mediaDays: number | null
  /** Whole messages. */
  recordDays: number | null
}

/** What an operator sets. Undefined: as before, or the default of the installation. */
export type RetentionChoice = Omit<Retention, 'recordDays'> & { recordDays?: number | null }

export interface DefaultRetention {
  /** Null: kept. */
  days: number | null
  /** An upgrade leaves time to choose. */
  appliesFrom: Date
}

/** Background work needs messages for this long: events are kept for thirty days. */
export const RECORD_DAYS_MIN = 30
export const RECORD_DAYS_MAX = 3_650

export interface RetentionProgress extends Retention {
  accountId: AccountId
  /** Null record days: by choice, or because the default applies. */
  keepsRecords: boolean
  /** Everything with a lower id is done. */
  messagesDone: string
  mediaDone: string
  recordsDone: string
  /** Not null: the account is deleted, and its remaining rows are being removed. */
  deletingSince: Date | null
}

/** Texts and media are kept by default. */
export const KEPT = { messageDays: null, mediaDays: null }

export async function findDefaultRetention(db: Queryable): Promise<DefaultRetention> {
  const [row] = await db.query<DefaultRetention>(
    sql`select days, applies_from as "appliesFrom" from record_retention where only_row`,
  )
  return row!
}

export async function recordDefaultDays(db: Queryable, days: number | null): Promise<void> {
  await db.query(sql`update record_retention set days = ${days} where only_row`)
}

/** What applies to each account. A plain read across accounts. */
export async function findRetentions(
  db: Queryable,
  accountIds: readonly AccountId[],
): Promise<Map<AccountId, Retention>> {
  const statement = sql`
    select account_id as "accountId", message_days as "messageDays", media_days as "mediaDays",
      record_days as "recordDays", keeps_records as "keepsRecords"
    from account_retention where account_id = any (${accountIds}::text[])`
  type Row = Retention & { accountId: AccountId; keepsRecords: boolean }
  const rows = await db.query<Row>(acrossAccounts(statement))
  const { days } = await findDefaultRetention(db)
  const retentions = new Map<AccountId, Retention>(
    accountIds.map((accountId) => [accountId, { ...KEPT, recordDays: days }]),
  )
  for (const { accountId, keepsRecords, ...own } of rows) {
    const recordDays = own.recordDays ?? (keepsRecords ? null : days)
    retentions.set(accountId, { ...own, recordDays })
  }
  return retentions
}

export async function getRetention(db: Queryable, accountId: AccountId): Promise<Retention> {
  return (await findRetentions(db, [accountId])).get(accountId)!
}

export async function upsertRetention(
  tx: Transaction,
  accountId: AccountId,
  { messageDays, mediaDays, recordDays }: RetentionChoice,
): Promise<void> {
  const isChosen = recordDays !== undefined
  await tx.query(sql`
    insert into account_retention as r (account_id, message_days, media_days, record_days, keeps_records)
    values (${accountId}, ${messageDays}, ${mediaDays}, ${recordDays ?? null}, ${recordDays === null})
    on conflict (account_id) do update
    set message_days = excluded.message_days, media_days = excluded.media_days,
      record_days = case when ${isChosen}::boolean then excluded.record_days else r.record_days end,
      keeps_records = case when ${isChosen}::boolean then excluded.keeps_records else r.keeps_records end`)
}

/**
 * The next account, by id, with work to do; null after the last. An account that follows the default has some if it has
 * messages with IDs before `defaultBefore`. A plain read across accounts.
 */
export async function findNextRetention(
  db: Queryable,
  after: AccountId,
  defaultBefore: string,
): Promise<RetentionProgress | null> {
  const statement = sql`
    select a.account_id as "accountId", r.message_days as "messageDays", r.media_days as "mediaDays",
      r.record_days as "recordDays", coalesce(r.keeps_records, false) as "keepsRecords",
      coalesce(r.messages_done, '') as "messagesDone", coalesce(r.media_done, '') as "mediaDone",
      coalesce(r.records_done, '') as "recordsDone", r.deleting_since as "deletingSince"
    from accounts a left join account_retention r on r.account_id = a.account_id
    where a.account_id > ${after} and (r.message_days is not null or r.media_days is not null
      or r.record_days is not null or r.deleting_since is not null
      or (a.status <> 'DELETED' and not coalesce(r.keeps_records, false)
        and exists (select 1 from messages m where m.account_id = a.account_id
          and m.id > coalesce(r.records_done, '') and m.id < ${defaultBefore})))
    order by a.account_id limit 1`
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
    insert into account_retention (account_id, records_done) values (${accountId}, ${recordsDone})
    on conflict (account_id) do update set records_done = excluded.records_done`)
}

/** Over all accounts; null if one of them keeps its messages forever. */
export async function findLongestRecordDays(
  db: Queryable,
  defaultDays: number | null,
): Promise<number | null> {
  const days = piece`coalesce(r.record_days, case when r.keeps_records then null else ${defaultDays}::int end)`
  const [row] = await db.query<{ days: number | null }>(sql`
    select case when bool_and(${days} is not null) then max(${days}) end as days
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
