// Every statement on saved_replies.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { raw, sql } from '../kit/postgres/sql.js'

/** A text for the composer, with fields such as {{name}}. */
export interface SavedReply {
  id: string
  name: string
  body: string
  updatedAt: Date
}

/** A list has all of them. */
export const SAVED_REPLIES_MAX = 200

const COLUMNS = raw('id, name, body, updated_at as "updatedAt"')

export async function listSavedReplies(db: Queryable, accountId: AccountId): Promise<SavedReply[]> {
  return db.query<SavedReply>(sql`
    select ${COLUMNS} from saved_replies where account_id = ${accountId}
    order by lower(name), id limit ${SAVED_REPLIES_MAX}`)
}

/** Two that are added at once must not exceed the limit together. */
export async function lockSavedReplies(tx: Transaction, accountId: AccountId): Promise<number> {
  await tx.query(sql`select 1 from accounts where account_id = ${accountId} for update`)
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from saved_replies where account_id = ${accountId}`)
  return row!.count
}

export async function insertSavedReply(
  tx: Transaction,
  accountId: AccountId,
  { id, name, body, updatedAt }: SavedReply,
): Promise<void> {
  await tx.query(sql`
    insert into saved_replies (account_id, id, name, body, updated_at)
    values (${accountId}, ${id}, ${name}, ${body}, ${updatedAt})`)
}

/** Null if there is none. Fields that are null stay. */
export async function updateSavedReply(
  tx: Transaction,
  accountId: AccountId,
  {
    id,
    name,
    body,
    updatedAt,
  }: { id: string; name: string | null; body: string | null; updatedAt: Date },
): Promise<SavedReply | null> {
  const [row] = await tx.query<SavedReply>(sql`
    update saved_replies set name = coalesce(${name}::text, name), body = coalesce(${body}::text, body),
      updated_at = ${updatedAt}
    where account_id = ${accountId} and id = ${id}
    returning ${COLUMNS}`)
  return row ?? null
}

/** Whether there was one. */
export async function deleteSavedReply(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from saved_replies where account_id = ${accountId} and id = ${id} returning 1`)
  return rows.length > 0
}
