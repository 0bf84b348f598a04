// Every statement on the table of traces. Rows exist only for sampled records.

import type { Queryable } from '../postgres/db.js'
import { acrossAccounts, raw, sql } from '../postgres/sql.js'
import { isJoined } from '../tenant-queries.js'

export interface TraceRow {
  subjectId: string
  traceparent: string
  createdAt: Date
}

export async function insertTraces(
  db: Queryable,
  accountId: string,
  rows: readonly TraceRow[],
): Promise<void> {
  await db.query(sql`
    insert into traces (account_id, subject_id, traceparent, created_at)
    select own.account_id, t.subject_id, t.traceparent, t.created_at
    from (select account_id from accounts where account_id = ${accountId}) own
    left join unnest(
      ${rows.map((row) => row.subjectId)}::text[],
      ${rows.map((row) => row.traceparent)}::text[],
      ${rows.map((row) => row.createdAt)}::timestamptz[]
    ) as t (subject_id, traceparent, created_at) on true
    where ${raw(isJoined('t.subject_id'))}
    on conflict do nothing`)
}

export async function findTraceparent(
  db: Queryable,
  accountId: string,
  subjectId: string,
): Promise<string | null> {
  const [row] = await db.query<{ traceparent: string }>(sql`
    select traceparent from traces where account_id = ${accountId} and subject_id = ${subjectId}`)
  return row?.traceparent ?? null
}

export interface OldTrace {
  accountId: string
  subjectId: string
  createdAt: Date
}

export async function listOldTraces(
  db: Queryable,
  before: Date,
  limit: number,
): Promise<OldTrace[]> {
  const statement = sql`
    select account_id as "accountId", subject_id as "subjectId", created_at as "createdAt"
    from traces where created_at < ${before} order by created_at limit ${limit}`
  return db.query<OldTrace>(acrossAccounts(statement, { order: ['createdAt'], limit }))
}

/** One account per statement: on a cluster, it runs on that account's worker. */
export async function deleteTraces(
  db: Queryable,
  accountId: string,
  subjectIds: readonly string[],
): Promise<void> {
  await db.query(sql`
    delete from traces where account_id = ${accountId} and subject_id = any (${subjectIds}::text[])`)
}
