// Every statement on the submits table: messages whose first byte is about to leave or has left.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { acrossAccounts, NOTHING, piece, raw, sql } from '../../kit/postgres/sql.js'
import { ENTRIES_MAX } from '../timeline.js'

export interface SubmitKey {
  accountId: AccountId
  id: string
}

export interface SubmitRow extends SubmitKey {
  link: string
  messages: readonly { id: string; dueAt: Date | null }[]
}

/**
 * Few rows, one for each account and link of a batch. On a cluster, rows of one account are a single command to its
 * worker. Rows of several accounts pass the coordinator, and a two-phase commit.
 */
export async function insertSubmits(
  db: Queryable,
  rows: readonly SubmitRow[],
  leaseUntil: Date,
): Promise<void> {
  const [accountId, ...others] = new Set(rows.map((row) => row.accountId))
  const own = piece`join (select account_id from accounts where account_id = ${accountId}) own on true`
  await db.query(sql`
    insert into submits (account_id, id, link, message_ids, due_ats, lease_until)
    select ${others.length === 0 ? raw('own.account_id') : raw('a.account_id')}, a.id, a.link,
      array_agg(m.id), array_agg(m.due_at), ${leaseUntil}::timestamptz
    from ${rowsOf(rows)} ${others.length === 0 ? own : NOTHING}
    group by 1, a.id, a.link`)
}

/** Each message of each row. */
function rowsOf(rows: readonly SubmitRow[]) {
  const messages = rows.flatMap((row, i) => row.messages.map((message) => ({ ...message, i })))
  return piece`unnest(${rows.map((row) => row.accountId)}::text[], ${rows.map((row) => row.id)}::text[],
        ${rows.map((row) => row.link)}::text[], ${rows.map((_, i) => i)}::int[])
        as a (account_id, id, link, i)
      join unnest(${messages.map((m) => m.i)}::int[], ${messages.map((m) => m.id)}::text[],
        ${messages.map((m) => m.dueAt)}::timestamptz[]) as m (i, id, due_at) on m.i = a.i`
}

/** A statement for one account runs on that account's machine. */
export async function deleteSubmits(db: Queryable, done: readonly SubmitKey[]): Promise<void> {
  const ids = done.map(({ id }) => id)
  const [accountId, ...others] = new Set(done.map((key) => key.accountId))
  await db.query(
    others.length === 0
      ? sql`delete from submits where account_id = ${accountId} and id = any (${ids}::text[])`
      : sql`delete from submits s
        using unnest(${done.map((key) => key.accountId)}::text[], ${ids}::text[])
          as done (account_id, id)
        where s.account_id = done.account_id and s.id = done.id`,
  )
}

export interface AbandonedSubmit extends SubmitKey {
  /** Null if a process of an earlier version wrote it. */
  link: string | null
}

/** Submits of processes that died or hung for too long. A plain read across accounts. */
export async function findAbandonedSubmits(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<AbandonedSubmit[]> {
  const statement = sql`
    select account_id as "accountId", id, link, lease_until as "leaseUntil" from submits
    where lease_until <= ${now} order by lease_until limit ${limit}`
  return db.query<AbandonedSubmit>(acrossAccounts(statement, { order: ['leaseUntil'], limit }))
}

/**
 * Cleans up one abandoned submit: messages that still wait unchanged may have left. Returns their number. In the
 * caller's transaction, so nobody can take them in between.
 */
export async function abandonSubmit(
  tx: Transaction,
  { accountId, id, link }: AbandonedSubmit,
  { settleAt, entry }: { settleAt: Date; entry: string },
): Promise<number> {
  const rows = await tx.query(sql`
    update messages m set settle_at = ${settleAt}, unknown_link = ${link}, due_at = null,
      attempts = m.attempts + 1, counted_day = null,
      timeline = case when cardinality(m.timeline) < ${ENTRIES_MAX}::int
        then m.timeline || ${entry}::text else m.timeline end
    from (select unnest(message_ids) as id, unnest(due_ats) as due_at from submits
      where account_id = ${accountId} and id = ${id}) s
    where m.account_id = ${accountId} and m.id = s.id and m.status = 'QUEUED'
      and m.settle_at is null and m.due_at is not distinct from s.due_at
    returning 1`)
  await deleteSubmits(tx, [{ accountId, id }])
  return rows.length
}
