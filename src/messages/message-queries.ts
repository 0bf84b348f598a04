// Reads of the messages table. Writers: accept-queries.ts, move-queries.ts, lane-queries.ts, and
// inbound-queries.ts.

import type { AccountId } from '../accounts/account.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Page } from '../kit/contract/schema.js'
import { spanOf } from '../kit/id-queries.js'
import { idFloor, isId } from '../kit/ids.js'
import type { Queryable, Store } from '../kit/postgres/db.js'
import { plainArray } from '../kit/postgres/pg-array.js'
import {
  acrossAccounts,
  NOTHING,
  piece,
  raw,
  type Statement,
  sql,
  unprepared,
} from '../kit/postgres/sql.js'
import { AT_EXECUTION } from '../kit/tenant-queries.js'
import type { Route } from './lane.js'
import type { Direction, Message } from './message.js'

export const MESSAGE_COLUMNS =
  raw(`account_id as "accountId", id, campaign_id as "campaignId", type, direction, automatic,
  number, peer, body, media_urls as "mediaUrls", metadata, num_segments as "numSegments",
  price_micros as "priceMicros", is_refunded as "isRefunded", status, error_code as "errorCode",
  error_message as "errorMessage", scheduled_at as "scheduledAt",
  validity_seconds as "validitySeconds", sent_at as "sentAt",
  created_at as "createdAt", updated_at as "updatedAt"`)

export async function findMessage(
  db: Queryable,
  accountId: AccountId,
  id: string,
): Promise<Message | null> {
  if (!isId('msg', id)) return null
  const [row] = await db.query<Message>(sql`
    select ${MESSAGE_COLUMNS} from messages
    where account_id = ${accountId} and id = ${raw(AT_EXECUTION)}(${id}::text)`)
  return row ?? null
}

export async function getMessage(
  db: Queryable,
  accountId: AccountId,
  id: string,
): Promise<Message> {
  const message = await findMessage(db, accountId, id)
  if (!message) throw new Refusal('message_missing')
  return message
}

/** The last message between a campaign and a recipient. */
export async function findLastMessage(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
  recipient: string,
): Promise<Pick<Message, 'id' | 'createdAt'> | null> {
  const [row] = await db.query<Pick<Message, 'id' | 'createdAt'>>(sql`
    select id, created_at as "createdAt" from messages
    where account_id = ${accountId} and campaign_id = ${campaignId} and peer = ${recipient}
    order by id desc limit 1`)
  return row ?? null
}

export async function listMessagesById(
  db: Queryable,
  accountId: AccountId,
  ids: readonly string[],
): Promise<Message[]> {
  const { first, last } = spanOf(ids)
  return db.query<Message>(sql`
    select ${MESSAGE_COLUMNS} from messages
    where account_id = ${accountId} and id = any (${plainArray(ids)}::text::text[])
      and id >= ${raw(AT_EXECUTION)}(${first}::text) and id <= ${raw(AT_EXECUTION)}(${last}::text)`)
}

/** How many messages a search reads: as many as PostgreSQL reads in tens of milliseconds. */
export const SEARCH_REACH = 10_000

export interface MessageFilter {
  campaignId: string
  direction: Direction | null
  /** Ours or the other party's. */
  phone: string | null
  since: Date | null
  until: Date | null
}

// Not as parameters: inbound messages have their own indexes, which are used only if the statement names the value.
const OF_DIRECTION = {
  INBOUND: raw(`and direction = 'INBOUND'`),
  OUTBOUND: raw(`and direction = 'OUTBOUND'`),
} as const satisfies Record<Direction, unknown>

/**
 * Newest first. A filter by status is a search (reads/search-queries.ts). The time is part of the ID, so every
 * bound is a bound of the same index. Our numbers and the other party's have their own indexes.
 */
export async function listMessages(
  db: Store,
  accountId: AccountId,
  filter: MessageFilter,
  page: Page,
): Promise<Message[]> {
  const { limit, skip } = page
  const { phone } = filter
  // The statement contains only the requested filters, so one plan serves all requests with the same filters.
  const matching = piece`account_id = ${accountId} and campaign_id = ${filter.campaignId}
    ${rangeOf(filter, page.after)}
    ${filter.direction === null ? NOTHING : OF_DIRECTION[filter.direction]}`
  if (phone === null) {
    const statement = sql`
      select ${MESSAGE_COLUMNS} from messages where ${matching}
      order by id desc limit ${limit + 1} offset ${skip}`
    return queryInOrder<Message>(db, accountId, statement)
  }
  // Each of the two has its own index, and skipping comes after the merge. Written as ranges, so no other index
  // gives their order, and planned for this number: by its statistics, PostgreSQL would assume that one of our
  // numbers is everywhere, and search all messages for a silent one.
  const reach = skip + limit + 1
  return db.query<Message>(
    unprepared(sql`
      select * from (
        (select ${MESSAGE_COLUMNS} from messages where ${matching} and peer >= ${phone} and peer <= ${phone}
          order by peer desc, id desc limit ${reach})
        union all
        (select ${MESSAGE_COLUMNS} from messages where ${matching} and number >= ${phone}
          and number <= ${phone} and peer <> ${phone} order by number desc, id desc limit ${reach})
      ) as merged order by id desc limit ${limit + 1} offset ${skip}`),
  )
}

/**
 * By an index that gives the order, and no further than needed. If most accounts are quiet, PostgreSQL assumes that
 * a busy one is, too, and would collect all its messages by bitmap to sort them.
 */
export function queryInOrder<Row extends object>(
  db: Store,
  accountId: AccountId,
  statement: Statement,
): Promise<Row[]> {
  return db.transaction((tx) => tx.query<Row>(statement), { isInOrder: true, accountId })
}

/** The time is part of the ID, so since, until, and after are all bounds of one index. */
export function rangeOf(
  filter: Pick<MessageFilter, 'since' | 'until'>,
  after: string | null,
): ReturnType<typeof piece> {
  const floor = filter.since && boundOf(filter.since)
  const until = filter.until && boundOf(filter.until)
  const ceiling = until !== null && (after === null || until < after) ? until : after
  return piece`${floor === null ? NOTHING : piece`and id >= ${floor}`}
    ${ceiling === null ? NOTHING : piece`and id < ${ceiling}`}`
}

// No ID is older than the epoch, so an earlier time bounds nothing.
function boundOf(moment: Date): string {
  return idFloor('msg', new Date(Math.max(0, moment.getTime())))
}

/** For each recipient, our number that they last exchanged messages with in the campaign, or null. */
export async function findLastNumbers(
  db: Queryable,
  accountId: AccountId,
  pairs: readonly { campaignId: string; peer: string }[],
): Promise<(string | null)[]> {
  const rows = await db.query<{ number: string | null }>(sql`
    select last.number
    from unnest(${pairs.map((w) => w.campaignId)}::text[], ${pairs.map((w) => w.peer)}::text[])
      with ordinality as w (campaign_id, peer, ordinal)
    left join lateral (
      select number from messages m
      where m.account_id = ${accountId} and m.campaign_id = w.campaign_id and m.peer = w.peer
      order by id desc limit 1) last on true
    order by ordinal`)
  return rows.map((row) => row.number)
}

export interface LimitWait {
  route: Route
  from: Date
  until: Date
}

export interface StoredTimeline {
  entries: string[]
  /** Since when it could have been sent, if it waits in the queue. */
  dueSince: Date | null
  /** The limit of its lane that keeps the message waiting. Null if none does. */
  limitWait: LimitWait | null
}

export async function findTimeline(
  db: Queryable,
  accountId: AccountId,
  id: string,
  now: Date,
): Promise<StoredTimeline> {
  const [row] = await db.query<{
    entries: string[]
    dueSince: Date | null
    route: Route
    waitingSince: Date
    waitingUntil: Date | null
  }>(sql`
    select m.timeline as entries, m.route,
      case when m.due_at <= ${now} then m.due_at end as "dueSince", greatest(l.held_from, m.due_at) as "waitingSince",
      l.next_due_at as "waitingUntil"
    from messages m
    left join lanes l on l.account_id = m.account_id and l.campaign_id = m.campaign_id
      and l.route = m.route and l.held_from is not null and l.next_due_at > ${now}
      and m.due_at <= ${now}
    where m.account_id = ${accountId} and m.id = ${id}`)
  if (!row) return { entries: [], dueSince: null, limitWait: null }
  const { entries, dueSince, route, waitingSince, waitingUntil } = row
  return {
    entries,
    dueSince,
    limitWait: waitingUntil && { route, from: waitingSince, until: waitingUntil },
  }
}

/**
 * Messages that a carrier accepted without a final status. Reads all of each account from that time on: for the
 * sandbox.
 */
export async function findAwaitingReceipt(
  db: Queryable,
  since: Date,
  limit: number,
): Promise<{ accountId: AccountId; id: string; to: string }[]> {
  const statement = sql`
    select a.account_id as "accountId", m.id, m.peer as "to"
    from accounts a
    cross join lateral (
      select id, peer from messages
      where account_id = a.account_id and id >= ${idFloor('msg', since)} and status = 'SENT'
      limit ${limit}) m
    limit ${limit}`
  return db.query(acrossAccounts(statement, { limit }))
}

/** Both directions of one phone, in all campaigns, newest first: an index lookup for each campaign. */
export async function listPhoneMessages(
  db: Queryable,
  accountId: AccountId,
  peer: string,
  limit: number,
): Promise<Message[]> {
  return db.query<Message>(sql`
    select ${MESSAGE_COLUMNS} from messages
    where account_id = ${accountId} and id = any (array(
      select m.id from campaigns c cross join lateral (
        select id from messages
        where account_id = c.account_id and campaign_id = c.id and peer = ${peer}
        order by id desc limit ${limit}) m
      where c.account_id = ${accountId} order by m.id desc limit ${limit}))
    order by id desc limit ${limit}`)
}

/** How many of the newest messages are searched for phones. */
const PHONES_REACH = 10_000

/** Phones with recent messages, latest first, each with its last message. */
export async function listPhones(
  db: Queryable,
  accountId: AccountId,
  limit: number,
): Promise<Message[]> {
  return db.query<Message>(sql`
    select ${MESSAGE_COLUMNS} from messages
    where account_id = ${accountId} and id in (
      select max(id) from (
        select id, peer from messages where account_id = ${accountId}
        order by id desc limit ${PHONES_REACH}) recent
      group by peer)
    order by id desc limit ${limit}`)
}

/** All messages of an account in order of their IDs, a portion at a time: for exports. */
export async function listMessagesAfter(
  db: Queryable,
  accountId: AccountId,
  after: string,
  limit: number,
): Promise<Message[]> {
  return db.query<Message>(sql`
    select ${MESSAGE_COLUMNS} from messages where account_id = ${accountId} and id > ${after}
    order by id limit ${limit}`)
}
