// Every statement on the lanes table, and the claim of the messages that a lane may send now. The lane's row is
// locked while its use is computed, so limits are exact across any number of dispatchers.

import type { AccountId } from '../accounts/account.js'
import type { HintedAccounts } from '../kit/hints.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import type { Relation } from '../kit/postgres/pieces.js'
import { acrossAccounts, piece, raw, sql } from '../kit/postgres/sql.js'
import { ofAccounts } from '../kit/postgres/workers/account-queries.js'
import { fromTenantRow, laterBy } from '../kit/tenant-queries.js'
import type { LaneSlots, Route } from './lane.js'
import type { MessageKey, OutboundMessage } from './message.js'
import type { Status } from './message-state.js'
import { type Span, VALIDITY_SECONDS } from './validity.js'

/**
 * The lanes of these messages are checked when the earliest of them is due. A lane with an earlier check keeps it.
 * Lanes are locked in order, so two statements may wait for each other but never deadlock.
 */
export function scheduleLanes({ name }: Relation<'campaign_id' | 'route' | 'due_at'>): string {
  return `
    insert into lanes as l (account_id, campaign_id, route, next_due_at)
    select own.account_id, campaign_id, route, min(due_at)
    from ${fromTenantRow(name, 'due_at is not null', 'campaign_id')}
    group by own.account_id, campaign_id, route order by campaign_id, route
    on conflict (account_id, campaign_id, route) do update set next_due_at = excluded.next_due_at
    where l.next_due_at is null or l.next_due_at > excluded.next_due_at`
}

export interface LaneKey {
  accountId: AccountId
  campaignId: string
  route: Route
}

/** A lane, and when its next message may be sent. */
export interface DueLane extends LaneKey {
  dueAt: Date
}

/** An accepted message that waits for its next attempt. */
export interface QueuedMessage extends OutboundMessage, MessageKey {
  route: Route
  /** The files that are sent instead, if the link fetches them from us (media/sealed-address.ts). */
  mediaFiles?: readonly string[] | null
  numSegments: number
  /** An automatic keyword reply. Sent to opted-out recipients, too. */
  isReply: boolean
  attempts: number
  /** Null: the default. */
  validitySeconds: number | null
  /** When to give up. Null: at the end of the validity, counted from acceptance. */
  expiresAt: Date | null
  /** The Pacific day of its share of T-Mobile's cap. Null if it has none or may have used it. */
  countedDay: string | null
  isMediaChecked: boolean
  createdAt: Date
  /** Since when the message could have been attempted. */
  dueAt: Date
  status: Status
}

/**
 * The columns of `messages` that are its place in the queue; the others are the message itself. Their comments in the
 * database start with "queue:". They keep names without a prefix, because no rename of a distributed table works while
 * the previous version runs (docs/decisions/0107).
 */
export const QUEUE_COLUMNS = [
  'due_at',
  'route',
  'attempts',
  'expires_at',
  'media_checked',
  'media_files',
  'counted_day',
  // Submits whose outcome is unknown.
  'settle_at',
  'unknown_link',
  'unproven_at',
  'delivered_parts',
] as const

/**
 * When a message expires, according to its row. Holds of its lane extend it.
 */
const EXPIRES_AT = `coalesce(expires_at, ${laterBy('coalesce(scheduled_at, created_at)', VALIDITY_SECONDS)})`

const WAITING = `status, attempts, validity_seconds as "validitySeconds",
  ${EXPIRES_AT} as "expiresAt", counted_day as "countedDay", created_at as "createdAt",
  due_at as "dueAt"`
export const WAITING_COLUMNS = raw(WAITING)

export const QUEUED_MESSAGE_COLUMNS =
  raw(`account_id as "accountId", id, campaign_id as "campaignId", type,
  number as "from", peer as "to", route, body, media_urls as "mediaUrls",
  num_segments as "numSegments", is_reply as "isReply", ${WAITING},
  media_checked as "isMediaChecked", media_files as "mediaFiles"`)

/** Lanes with work to do until then, longest due first. A plain read across accounts. */
export async function findDueLanes(
  db: Queryable,
  until: Date,
  limit: number,
  accountIds: HintedAccounts = null,
): Promise<DueLane[]> {
  const statement = sql`
    select account_id as "accountId", campaign_id as "campaignId", route, next_due_at as "dueAt"
    from lanes where next_due_at <= ${until} ${ofAccounts(accountIds)} order by next_due_at limit ${limit}`
  const merge = { order: ['dueAt'], times: ['dueAt'], limit }
  return db.query<DueLane>(acrossAccounts(statement, merge))
}

/** Messages that a process submitted or died with. Nobody takes them until that is cleaned up. */
export function submitting(accountId: AccountId) {
  return piece`select unnest(message_ids) from submits where account_id = ${accountId}`
}

export interface LaneState {
  slots: LaneSlots
  /** Since when the limit keeps messages waiting. */
  waitingSince: Date | null
  /** Earlier holds at the daily cap, as long as a message from that time still waits. */
  holds: readonly Span[]
}

/** Null if another dispatcher has the lane right now. */
export async function lockLane(tx: Transaction, lane: LaneKey): Promise<LaneState | null> {
  const [row] = await tx.query<LaneState>(sql`
    select window_slots as slots, held_from as "waitingSince", holds from lanes
    where account_id = ${lane.accountId} and campaign_id = ${lane.campaignId}
      and route = ${lane.route}
    for update skip locked`)
  return row ?? null
}

/** The lane's recent use, locked. Waits for the process that has the lane now. */
export async function lockLaneUse(tx: Transaction, lane: LaneKey): Promise<LaneSlots | null> {
  const [row] = await tx.query<{ slots: LaneSlots }>(sql`
    select window_slots as slots from lanes
    where account_id = ${lane.accountId} and campaign_id = ${lane.campaignId}
      and route = ${lane.route}
    for update`)
  return row?.slots ?? null
}

export async function setLaneUse(tx: Transaction, lane: LaneKey, slots: LaneSlots): Promise<void> {
  await tx.query(sql`
    update lanes set window_slots = ${slots}
    where account_id = ${lane.accountId} and campaign_id = ${lane.campaignId}
      and route = ${lane.route}`)
}

/** Parts that were counted in a slot and did not leave no longer count, and a waiting lane is checked now. */
export async function returnLaneUse(
  db: Queryable,
  lane: LaneKey,
  { slot, parts, now }: { slot: string; parts: number; now: Date },
): Promise<void> {
  // Not to_jsonb: a cluster refuses functions that are not immutable in an update.
  await db.query(sql`
    update lanes set window_slots = jsonb_set(window_slots, array[${slot}::text],
        greatest(0, (window_slots ->> ${slot}::text)::int - ${parts}::int)::text::jsonb),
      next_due_at = case when held_from is null then next_due_at
        else least(next_due_at, ${now}::timestamptz) end
    where account_id = ${lane.accountId} and campaign_id = ${lane.campaignId}
      and route = ${lane.route} and window_slots ? ${slot}::text`)
}

/**
 * The head of a lane's queue, in order. Under the lane's lock, so nobody else takes them. Keyword replies come
 * first, because a STOP must be confirmed within minutes regardless of the backlog.
 */
export async function findDueMessages(
  tx: Transaction,
  lane: LaneKey,
  now: Date,
  limit: number,
): Promise<QueuedMessage[]> {
  const isDue = piece`account_id = ${lane.accountId} and campaign_id = ${lane.campaignId}
    and route = ${lane.route} and due_at is not null and due_at <= ${now}
    and id not in (${submitting(lane.accountId)})`
  return tx.query<QueuedMessage>(sql`
    select ${QUEUED_MESSAGE_COLUMNS}
    from (
      (select * from messages where ${isDue} and is_reply order by due_at, id limit ${limit})
      union all
      (select * from messages where ${isDue} and not is_reply order by due_at, id limit ${limit})
    ) as due
    order by is_reply desc, due_at, id limit ${limit}`)
}

export interface Lease {
  leaseUntil: Date
  /** As of now. Absent: unchanged. */
  countedDay?: string | null
}

/**
 * Extends the lease of the claimed messages, so those of a dead dispatcher come back. Returns those that still
 * wait: one may have been canceled, or its late receipt may have arrived.
 */
export async function leaseMessages(
  tx: Transaction,
  lane: LaneKey,
  ids: readonly string[],
  { leaseUntil, countedDay }: Lease,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await tx.query<{ id: string }>(sql`
    update messages set due_at = ${leaseUntil}, counted_day = case
      when ${countedDay === undefined}::boolean then counted_day else ${countedDay ?? null}::text end
    where account_id = ${lane.accountId} and id = any (${ids}::text[]) and due_at is not null
    returning id`)
  return new Set(rows.map((row) => row.id))
}

/** Stores how much a hold extends their validity, because that cannot be computed after an attempt. */
export async function extendMessages(
  tx: Transaction,
  lane: LaneKey,
  messages: readonly QueuedMessage[],
): Promise<void> {
  await tx.query(sql`
    update messages m set expires_at = x.expires_at
    from unnest(${messages.map((m) => m.id)}::text[],
      ${messages.map((m) => m.expiresAt)}::timestamptz[]) as x (id, expires_at)
    where m.account_id = ${lane.accountId} and m.id = x.id`)
}

/**
 * What the lane has used, and when to check it again: not before `checkAt`. That is now if more is due, which puts
 * the lane behind those that have waited longer.
 */
export async function releaseLane(
  tx: Transaction,
  lane: LaneKey,
  { slots, waitingSince, holds }: LaneState,
  checkAt: Date,
): Promise<void> {
  await tx.query(sql`
    update lanes set window_slots = ${slots}, held_from = ${waitingSince},
      holds = ${JSON.stringify(holds)}::jsonb, next_due_at = (
      select greatest(${checkAt}::timestamptz, min(due_at)) from messages
      where account_id = ${lane.accountId} and campaign_id = ${lane.campaignId}
        and route = ${lane.route} and due_at is not null
      having min(due_at) is not null)
    where account_id = ${lane.accountId} and campaign_id = ${lane.campaignId}
      and route = ${lane.route}`)
}

/** Which of these recipients opted out of the campaign. */
export async function findOptedOut(
  db: Queryable,
  lane: LaneKey,
  peers: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ recipient: string }>(sql`
    select recipient from optouts
    where account_id = ${lane.accountId} and campaign_id = ${lane.campaignId}
      and recipient = any (${peers}::text[])`)
  return new Set(rows.map((row) => row.recipient))
}

/** Limits have changed, so lanes that wait for one are checked now. */
export async function wakeLanes(
  tx: Transaction,
  accountId: AccountId,
  campaignIds: readonly string[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update lanes set next_due_at = ${now}
    where account_id = ${accountId} and campaign_id = any (${campaignIds}::text[])
      and held_from is not null and next_due_at > ${now}`)
}
