// Removes whole messages that are past their days: the rows and the media that came with them. Time is part of the id, so
// an age is a range of the primary key. What is still to be sent is left alone, and so is what was moved lately: its
// events are still kept, and they name it.

import type { AccountId } from '../accounts/account.js'
import { timeOfId } from '../kit/ids.js'
import type { Queryable } from '../kit/postgres/db.js'
import { raw, sql } from '../kit/postgres/sql.js'
import { deleteMediaOf, hashesOf, releaseFiles } from './media-queries.js'

/** To be sent, or to be tried again, or in flight: what a dispatcher holds has no due_at. */
const IS_OPEN = raw(`(m.due_at is not null or m.settle_at is not null or m.status = 'QUEUED')`)

export interface RemovalRange {
  /** Messages with an id above. */
  after: string
  /** And below. */
  before: string
  /** That were not moved since. */
  movedBefore: Date
  limit: number
}

export interface Removal {
  removed: number
  /** The last id that was looked at; null where there was none. */
  last: string | null
  /** The first message that was left alone. */
  firstLeft: string | null
}

/** A portion of one account. Media go first: where it ends in between, the next one finds the message again. */
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
    delete from messages m where account_id = ${accountId} and id = any (${ids}::text[])
      and id >= ${ids[0]} and id <= ${ids.at(-1)} and not ${IS_OPEN}
    returning 1`)
  return rows.length
}

/** Media of messages with an id below, whose partition was dropped. A portion; says how many. */
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
 * Whether something with an id below is still to be sent or settled: looked up in indexes that hold nothing else. What
 * has neither time is in flight, under the lease of a handoff or a submit, for a minute at the most. Across accounts.
 */
export async function hasOpenBefore(db: Queryable, before: string): Promise<boolean> {
  const rows = await db.query(sql`
    (select 1 from messages where due_at is not null and id < ${before} limit 1)
    union all (select 1 from messages where settle_at is not null and id < ${before} limit 1)
    union all (select 1 from handoffs where first_id < ${before} limit 1)
    limit 1`)
  return rows.length > 0
}
