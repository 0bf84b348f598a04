// Deletes whole messages past their retention: rows and inbound media. The time is part of the ID, so an age is a
// range of the primary key. Messages still to be sent are left alone, and so are messages that moved recently,
// because stored events name them.

import type { AccountId } from '../accounts/account.js'
import { timeOfId } from '../kit/ids.js'
import type { Queryable } from '../kit/postgres/db.js'
import { raw, sql } from '../kit/postgres/sql.js'
import { deleteMediaOf, hashesOf, releaseFiles } from './media-queries.js'
import { removedPiece } from './stored-queries.js'

/** To be sent, retried, or in flight. A message held by a dispatcher has no due_at. */
const IS_OPEN = raw(`(m.due_at is not null or m.settle_at is not null or m.status = 'QUEUED')`)

export interface RemovalRange {
  /** Messages with an id above. */
  after: string
  /** And below. */
  before: string
  /** That have not moved since. */
  movedBefore: Date
  limit: number
}

export interface Removal {
  removed: number
  /** The last ID read. Null if there was none. */
  last: string | null
  /** The first message that was left alone. */
  firstLeft: string | null
}

/**
 * A portion of one account. Media goes first: if the process stops in between, the next one finds the message
 * again.
 */
export async function removeMessages(
  db: Queryable,
  accountId: AccountId,
  { after, before, movedBefore, limit }: RemovalRange,
): Promise<Removal> {
  const portion = await db.query<{ id: string; isLeft: boolean }>(sql`
    select id, ${IS_OPEN} or coalesce(updated_at, created_at) >= ${movedBefore} as "isLeft"
    from messages m where account_id = ${accountId} and id > ${after} and id < ${before}
    order by id limit ${limit}`)
  const ids = portion.filter(({ isLeft }) => !isLeft).map(({ id }) => id)
  const removed = ids.length === 0 ? 0 : await deleteMessages(db, accountId, ids, timeOfId(before))
  const firstLeft = portion.find(({ isLeft }) => isLeft)?.id ?? null
  return { removed, last: portion.at(-1)?.id ?? null, firstLeft }
}

async function deleteMessages(
  db: Queryable,
  accountId: AccountId,
  ids: readonly string[],
  usedBefore: Date,
): Promise<number> {
  await deleteMediaOf(db, accountId, ids, usedBefore)
  const rows = await db.query(sql`
    with gone as (
      delete from messages m where account_id = ${accountId} and id = any (${ids}::text[])
        and id >= ${ids[0]} and id <= ${ids.at(-1)} and not ${IS_OPEN}
      returning (created_at at time zone 'UTC')::date as day
    ), ${removedPiece(accountId)}
    select 1 from gone`)
  return rows.length
}

/** Those of the accounts that have media of messages with a lower ID, by a portion of it: others follow in later rounds. */
export async function listWithMediaBefore(
  db: Queryable,
  accounts: readonly AccountId[],
  before: string,
  limit: number,
): Promise<AccountId[]> {
  const rows = await db.query<{ accountId: AccountId }>(sql`
    select account_id as "accountId" from media
    where account_id = any (${accounts}::text[]) and message_id < ${before} limit ${limit}`)
  return [...new Set(rows.map(({ accountId }) => accountId))]
}

/** Media of messages with a lower ID, whose partition was dropped. A portion. Returns the number. */
export async function deleteMediaBefore(
  db: Queryable,
  accountId: AccountId,
  before: string,
  limit: number,
): Promise<number> {
  const rows = await db.query<{ hash: string | null }>(sql`
    delete from media where account_id = ${accountId} and id = any (array(
      select id from media where account_id = ${accountId} and message_id < ${before}
      order by message_id limit ${limit}))
    returning hash`)
  await releaseFiles(db, accountId, hashesOf(rows), timeOfId(before))
  return rows.length
}

/**
 * Whether a message with a lower ID is still to be sent or settled, by indexes that contain nothing else. A message
 * with neither time is in flight, under the lease of a handoff or a submit, for at most a minute. Across accounts.
 */
export async function hasOpenBefore(db: Queryable, before: string): Promise<boolean> {
  const rows = await db.query(sql`
    (select 1 from messages where due_at is not null and id < ${before} limit 1)
    union all (select 1 from messages where settle_at is not null and id < ${before} limit 1)
    union all (select 1 from handoffs where first_id < ${before} limit 1)
    limit 1`)
  return rows.length > 0
}
