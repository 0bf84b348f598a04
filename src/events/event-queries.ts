// Reads of the events table, and its retention.

import type { AccountId } from '../accounts/account.js'
import { idFloor } from '../kit/ids.js'
import type { Queryable } from '../kit/postgres/db.js'
import { plainArray } from '../kit/postgres/pg-array.js'
import { acrossAccounts, raw, sql } from '../kit/postgres/sql.js'
import type { Event } from './event.js'

const COLUMNS = raw(`account_id as "accountId", id, event_type as "eventType",
  campaign_id as "campaignId", number, message_id as "messageId", sequence, status,
  previous_status as "previousStatus", error_code as "errorCode",
  error_message as "errorMessage", data, created_at as "createdAt"`)

/** Oldest first. The ID need not be an event's: an ID floor selects by time. */
export async function listEventsAfter(
  db: Queryable,
  accountId: AccountId,
  afterId: string,
  limit: number,
): Promise<Event[]> {
  return db.query<Event>(sql`
    select ${COLUMNS} from events
    where account_id = ${accountId} and id > ${afterId}
    order by id limit ${limit}`)
}

export async function listEventsById(
  db: Queryable,
  accountId: AccountId,
  ids: readonly string[],
): Promise<Event[]> {
  return db.query<Event>(sql`
    select ${COLUMNS} from events
    where account_id = ${accountId} and id = any (${plainArray(ids)}::text[])`)
}

/**
 * Events of one millisecond, found by the primary key, because the ID contains the time. More than this
 * number have no single cause.
 */
export async function listEventsAt(
  db: Queryable,
  accountId: AccountId,
  { eventType, at }: { eventType: Event['eventType']; at: Date },
  limit: number,
): Promise<Event[]> {
  return db.query<Event>(sql`
    select ${COLUMNS} from events
    where account_id = ${accountId} and id >= ${idFloor('evt', at)}
      and id < ${idFloor('evt', new Date(at.getTime() + 1))} and event_type = ${eventType}
    order by id limit ${limit}`)
}

/** Bounded, and found by the primary key, because the ID contains the time. */
export async function deleteEventsBefore(
  db: Queryable,
  accountId: AccountId,
  beforeId: string,
  limit: number,
): Promise<number> {
  const rows = await db.query(sql`
    delete from events where account_id = ${accountId} and id in (
      select id from events where account_id = ${accountId} and id < ${beforeId}
      order by id limit ${limit})
    returning 1`)
  return rows.length
}

/**
 * The next account, in ID order, that has any event: one lookup in the primary key, and a plain read across
 * accounts.
 */
export async function findNextAccount(db: Queryable, after: AccountId): Promise<AccountId | null> {
  const statement = sql`
    select account_id as "accountId" from events
    where account_id > ${after} order by account_id limit 1`
  const across = acrossAccounts(statement, { order: ['accountId'], limit: 1 })
  const [row] = await db.query<{ accountId: AccountId }>(across)
  return row?.accountId ?? null
}
