// Redacts messages: removes texts, metadata, and media of messages below an ID, and keeps the rows. The time is
// part of the ID, so an age is a range of the primary key. Messages still to be sent are left alone, because they
// need their text.

import type { AccountId } from '../accounts/account.js'
import { timeOfId } from '../kit/ids.js'
import type { Queryable } from '../kit/postgres/db.js'
import { raw, sql } from '../kit/postgres/sql.js'
import { deleteFetchesOf, deleteMediaOf, releaseFiles } from './media-queries.js'

export interface RedactRange {
  /** Messages with an id above. */
  after: string
  /** And below. */
  before: string
  limit: number
}

export interface Redaction {
  redacted: number
  /** The last ID read. Null if there was none. */
  last: string | null
  /** The first message that was left alone because it is still to be sent. */
  firstLeft: string | null
}

/** To be sent or retried. A message held by a dispatcher has no due_at. */
const IS_OPEN = raw(`(m.due_at is not null or m.status = 'QUEUED')`)

export async function redactTexts(
  db: Queryable,
  accountId: AccountId,
  range: RedactRange,
): Promise<Redaction> {
  const [row] = await db.query<Redaction>(sql`
    with portion as (
      select id, ${IS_OPEN} as is_open from messages m
      where account_id = ${accountId} and id > ${range.after} and id < ${range.before}
      order by id limit ${range.limit}
    ), done as (
      update messages m set body = '', metadata = '{}'
      from portion p
      where m.account_id = ${accountId} and m.id = p.id and not ${IS_OPEN}
        and (m.body <> '' or m.metadata <> '{}')
      returning 1
    )
    select (select count(*)::int from done) as redacted, max(id) as last,
      min(id) filter (where is_open) as "firstLeft"
    from portion`)
  return row!
}

/** Also deletes inbound files and their pending fetches. */
export async function redactMedia(
  db: Queryable,
  accountId: AccountId,
  range: RedactRange,
): Promise<Redaction> {
  const [row] = await db.query<Redaction & { hashes: string[] }>(sql`
    with portion as (
      select id, ${IS_OPEN} as is_open, media_urls from messages m
      where account_id = ${accountId} and id > ${range.after} and id < ${range.before}
      order by id limit ${range.limit}
    ), files as (
      delete from media f using portion p
      where f.account_id = ${accountId} and f.message_id = p.id
      returning f.hash
    ), done as (
      update messages m set media_urls = '[]', media_files = null
      from portion p
      where m.account_id = ${accountId} and m.id = p.id and not ${IS_OPEN}
        and m.media_urls <> '[]'
      returning 1
    )
    select (select count(*)::int from done) as redacted, max(id) as last,
      min(id) filter (where is_open and media_urls <> '[]') as "firstLeft",
      array(select distinct hash from files where hash is not null) as hashes
    from portion`)
  const { hashes, ...redaction } = row!
  await releaseFiles(db, accountId, hashes, timeOfId(range.before))
  if (redaction.last !== null) {
    await deleteFetchesOf(db, accountId, { after: range.after, last: redaction.last })
  }
  return redaction
}

/** Of one message. False if it is still to be sent. */
export async function redactText(
  db: Queryable,
  accountId: AccountId,
  id: string,
): Promise<boolean> {
  const rows = await db.query(sql`
    update messages m set body = ''
    where account_id = ${accountId} and id = ${id} and not ${IS_OPEN} returning 1`)
  return rows.length > 0
}

/** Removes text, metadata, and media of one message, and leaves a mark. False if it is still to be sent. */
export async function eraseMessage(
  db: Queryable,
  accountId: AccountId,
  id: string,
  mark: Readonly<Record<string, string>>,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update messages m set body = '', metadata = ${JSON.stringify(mark)}::jsonb, media_urls = '[]',
      media_files = null
    where account_id = ${accountId} and id = ${id} and not ${IS_OPEN} returning 1`)
  if (rows.length === 0) return false
  await deleteMediaOf(db, accountId, [id], now)
  return true
}

/** How many messages the range has, for a progress bar. */
export async function countMessages(
  db: Queryable,
  accountId: AccountId,
  before: string,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from messages
    where account_id = ${accountId} and id < ${before}`)
  return row!.count
}
