// Every statement on message_exports and message_export_parts. The row is the work: any process that finds it due
// continues it.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { acrossAccounts, raw, sql } from '../../kit/postgres/sql.js'
import { EXPORTS_MAX, type MessageExport } from './message-export.js'

const COLUMNS =
  raw(`account_id as "accountId", id, created_by as "createdBy", name, filter, status, row_count as "rowCount",
  byte_count::float8 as "byteCount", part_count as "partCount", position,
  is_truncated as "isTruncated", due_at as "dueAt", created_at as "createdAt",
  finished_at as "finishedAt", expires_at as "expiresAt"`)

export interface ExportKey {
  accountId: AccountId
  id: string
}

/** False if the account already has one that runs. */
export async function insertExport(tx: Transaction, e: MessageExport): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into message_exports (account_id, id, created_by, name, filter, status, row_count, byte_count, part_count,
      is_truncated, due_at, created_at, expires_at)
    values (${e.accountId}, ${e.id}, ${e.createdBy}, ${e.name}, ${JSON.stringify(e.filter)}, ${e.status}, ${e.rowCount},
      ${e.byteCount}, ${e.partCount}, ${e.isTruncated}, ${e.dueAt}, ${e.createdAt}, ${e.expiresAt})
    on conflict (account_id) where status = 'RUNNING' do nothing
    returning 1`)
  return rows.length > 0
}

/** Newest first. */
export async function listExports(
  db: Queryable,
  accountId: AccountId,
  now: Date,
): Promise<MessageExport[]> {
  return db.query<MessageExport>(sql`
    select ${COLUMNS} from message_exports
    where account_id = ${accountId} and expires_at > ${now}
    order by id desc limit ${EXPORTS_MAX}`)
}

/** Null if the account has none with this ID, or it has expired. */
export async function findExport(
  db: Queryable,
  { accountId, id }: ExportKey,
  now: Date,
): Promise<MessageExport | null> {
  const [row] = await db.query<MessageExport>(sql`
    select ${COLUMNS} from message_exports
    where account_id = ${accountId} and id = ${id} and expires_at > ${now}`)
  return row ?? null
}

/** Null if it was deleted in the meantime. */
export async function findPart(
  db: Queryable,
  { accountId, id }: ExportKey,
  part: number,
): Promise<Buffer | null> {
  const [row] = await db.query<{ content: Buffer }>(sql`
    select content from message_export_parts
    where account_id = ${accountId} and export_id = ${id} and part = ${part}`)
  return row?.content ?? null
}

/** Those that wait for their next part, longest first. A plain read across accounts. */
export async function listDueExports(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<ExportKey[]> {
  const statement = sql`
    select account_id as "accountId", id, due_at as "dueAt" from message_exports
    where status = 'RUNNING' and due_at <= ${now} order by due_at limit ${limit}`
  return db.query<ExportKey>(
    acrossAccounts(statement, { order: ['dueAt'], limit, times: ['dueAt'] }),
  )
}

/** Null if another process has claimed it, or it is over. */
export async function claimExport(
  db: Queryable,
  { accountId, id }: ExportKey,
  now: Date,
  leaseUntil: Date,
): Promise<MessageExport | null> {
  const [row] = await db.query<MessageExport>(sql`
    update message_exports set due_at = ${leaseUntil}
    where account_id = ${accountId} and id = ${id} and status = 'RUNNING' and due_at <= ${now}
    returning ${COLUMNS}`)
  return row ?? null
}

/** Writes its progress. False, and nothing changes, if the lease is not ours anymore. */
export async function updateExport(
  tx: Transaction,
  e: MessageExport,
  leaseUntil: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update message_exports set status = ${e.status}, row_count = ${e.rowCount},
      byte_count = ${e.byteCount}, part_count = ${e.partCount}, position = ${e.position},
      is_truncated = ${e.isTruncated}, due_at = ${e.dueAt}, finished_at = ${e.finishedAt},
      expires_at = ${e.expiresAt}
    where account_id = ${e.accountId} and id = ${e.id} and status = 'RUNNING' and due_at = ${leaseUntil}
    returning 1`)
  return rows.length > 0
}

export async function insertPart(
  tx: Transaction,
  { accountId, id }: ExportKey,
  part: number,
  content: Buffer,
): Promise<void> {
  await tx.query(sql`
    insert into message_export_parts (account_id, export_id, part, content)
    values (${accountId}, ${id}, ${part}, ${content})`)
}

export async function listExpiredExports(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<ExportKey[]> {
  const statement = sql`
    select account_id as "accountId", id from message_exports where expires_at <= ${now} limit ${limit}`
  return db.query<ExportKey>(acrossAccounts(statement, { limit }))
}

/** With its content. Whether there was one. A part that is just being written fails to be recorded. */
export async function deleteExport(
  tx: Transaction,
  { accountId, id }: ExportKey,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from message_exports where account_id = ${accountId} and id = ${id} returning 1`)
  await tx.query(sql`
    delete from message_export_parts where account_id = ${accountId} and export_id = ${id}`)
  return rows.length > 0
}

/** The IDs of all exports that were requested before this time. */
export async function listExportsBefore(
  db: Queryable,
  accountId: AccountId,
  before: Date,
): Promise<ExportKey[]> {
  return db.query<ExportKey>(sql`
    select account_id as "accountId", id from message_exports
    where account_id = ${accountId} and created_at < ${before} limit ${EXPORTS_MAX}`)
}
