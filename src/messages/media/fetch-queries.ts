// Every statement on media_fetches: files of inbound messages that are still with the carrier.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'

export interface MediaFetch {
  id: string
  accountId: AccountId
  messageId: string
  link: string
  url: string
  /** Including this one. */
  attempts: number
}

export async function insertFetches(
  db: Queryable,
  fetches: readonly Omit<MediaFetch, 'attempts'>[],
  now: Date,
): Promise<void> {
  if (fetches.length === 0) return
  await db.query(sql`
    insert into media_fetches (id, account_id, message_id, link, url, due_at)
    select id, account_id, message_id, link, url, ${now}
    from unnest(${fetches.map((f) => f.id)}::text[], ${fetches.map((f) => f.accountId)}::text[],
      ${fetches.map((f) => f.messageId)}::text[], ${fetches.map((f) => f.link)}::text[],
      ${fetches.map((f) => f.url)}::text[]) as f (id, account_id, message_id, link, url)`)
}

/** Nobody else takes them until the lease ends. */
export async function claimFetches(
  db: Queryable,
  { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number },
): Promise<MediaFetch[]> {
  return db.query<MediaFetch>(sql`
    update media_fetches f set due_at = ${leaseUntil}, attempts = f.attempts + 1
    where f.id = any (array(
      select id from media_fetches where due_at <= ${now} order by due_at limit ${limit}
      for update skip locked))
    returning f.id, f.account_id as "accountId", f.message_id as "messageId", f.link, f.url, f.attempts`)
}

/** Only by the process whose attempt it was: after its lease, another may be fetching the file. */
export async function retryFetch(
  db: Queryable,
  { id, attempts }: Pick<MediaFetch, 'id' | 'attempts'>,
  dueAt: Date,
): Promise<void> {
  await db.query(sql`
    update media_fetches set due_at = ${dueAt} where id = ${id} and attempts = ${attempts}`)
}

/** After the file was stored, also by a process whose lease has ended. False if another process finished it, or it was deleted with its message. */
export async function deleteFetch(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from media_fetches where id = ${id} returning 1`)
  return rows.length > 0
}

/** Gives up, under the same condition as `retryFetch`. False if another process has it. */
export async function abandonFetch(
  tx: Transaction,
  { id, attempts }: Pick<MediaFetch, 'id' | 'attempts'>,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from media_fetches where id = ${id} and attempts = ${attempts} returning 1`)
  return rows.length > 0
}

/** Those of these messages that wait for a file. */
export async function listFetching(
  db: Queryable,
  accountId: AccountId,
  messageIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ messageId: string }>(sql`
    select distinct message_id as "messageId" from media_fetches
    where account_id = ${accountId} and message_id = any (${messageIds}::text[])`)
  return new Set(rows.map(({ messageId }) => messageId))
}

export async function isFetching(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`select 1 from media_fetches where id = ${id}`)
  return rows.length > 0
}
