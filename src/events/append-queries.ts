// The statements that append to the outbox, and their pieces. The statement that makes a change also writes
// its event and deliveries, so an event exists exactly when its change does.

import type { AccountId } from '../accounts/account.js'
import { idOfPair, idRestOf } from '../kit/id-queries.js'
import { newId } from '../kit/ids.js'
import type { Transaction } from '../kit/postgres/db.js'
import { type Relation, relation } from '../kit/postgres/pieces.js'
import { nameOf } from '../kit/postgres/sql.js'
import { fromTenantRow, isJoined } from '../kit/tenant-queries.js'
import type { AlertType, ChangeType, Event } from './event.js'
import { receiptsOf } from './receipt-metadata.js'

const COLUMNS = [
  'id',
  'event_type',
  'campaign_id',
  'number',
  'message_id',
  'sequence',
  'status',
  'previous_status',
  'error_code',
  'error_message',
  'data',
] as const
const EVENT_COLUMNS = COLUMNS.join(', ')
export type EventColumn = (typeof COLUMNS)[number]

/** A delivery's ID is derived from its event's ID (so it sorts by the event's time) and its subscriber's. */
export function deliveryId(eventId: string, subscriberId: string): string {
  return idOfPair('dlv', eventId, subscriberId)
}

/** Which subscriptions s get an event e of a source. */
interface Matching {
  /** All candidates, looked up once. */
  among: (source: string) => string
  /** The candidates that get this event. */
  each: string
}

/**
 * Subscriptions to the campaign of an event, or to every campaign. The second is '' only if the first is not
 * null.
 */
const HAS_CAMPAIGN = 's.campaign_id = any (array[e.campaign_id, left(e.campaign_id, 0)])'
const amongCampaigns = (source: string) =>
  `s.campaign_id = any (array(select campaign_id from ${source}) || ''::text)`

/** Those that subscribe to the event's number. */
const OF_NUMBER: Matching = {
  among: amongCampaigns,
  each: `${HAS_CAMPAIGN}
        and (s.numbers is null or e.number = any (s.numbers))`,
}

/**
 * The same for status events of messages. An SMPP customer gets only events of messages that it submitted
 * with registered delivery, because a receipt must not wait behind everything else that the account sends.
 * The metadata is read only if such a customer subscribes.
 */
const OF_MESSAGE: Matching = {
  among: amongCampaigns,
  each: `${OF_NUMBER.each}
        and (s.receipts_of is null or s.receipts_of = ${receiptsOf('e.metadata')})`,
}

const appendedPiece = (source: string) => `
    appended as (
      insert into events (account_id, ${EVENT_COLUMNS}, created_at)
      select own.account_id, ${EVENT_COLUMNS}, $2 from ${fromTenantRow(source)}
    )`

/**
 * Each event with each matching subscription. Without a subscription, it costs one index lookup. An event without a campaign goes
 * to no subscription. The outer join fixes the join order, as in `fromTenantRow`: subscriptions are looked up for all events
 * together, not for each one.
 */
const matchesOf = (source: string, matching: Matching) => `
      from event_subscriptions s left join ${source} e on e.event_type = any (s.event_types)
        and ${matching.each}
      where s.account_id = $1 and ${matching.among(source)} and ${isJoined('e.id')}`

const INSERT_DELIVERIES = `
      insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, message_id,
        sequence, state, due_at, created_at)`
const STATE_AND_TIMES = `case when is_enabled then 'pending' else 'held' end,
        case when is_enabled then $2::timestamptz end, $2`

/** Events, and one delivery in the queue for each matching subscription. */
export function appendPieces(
  { name: source }: Relation<EventColumn>,
  matching = OF_NUMBER,
): string {
  return `${appendedPiece(source)}, fanned_out as (${INSERT_DELIVERIES}
      select s.account_id, ${deliveryId('e.id', 's.subscriber_id')}, s.subscriber_id, e.id, e.event_type, e.message_id, e.sequence,
        ${STATE_AND_TIMES}${matchesOf(source, matching)}
      returning 1
    )`
}

/** Parameters of the statement: the subscribers that get their deliveries directly, the IDs of their batches, and the lease. */
export interface LeaseParameters {
  subscriberIds: string
  batchIds: string
  leaseUntil: string
}

/**
 * Status events of messages, with the message's metadata in an extra column. Their deliveries skip the queue if their subscriber
 * is among the parameters (direct-deliveries.ts). `in_flight` has those that did before, also where its parts run one after the other.
 */
export function appendStatusPieces(
  { name: source }: Relation<EventColumn | 'metadata'>,
  { subscriberIds, batchIds, leaseUntil }: LeaseParameters,
): string {
  return `${appendedPiece(source)}, fanned as (
      select s.subscriber_id, s.is_enabled, e.id as event_id, e.event_type, e.message_id, e.sequence,
        s.is_enabled and s.subscriber_id = any (${subscriberIds}) as is_direct${matchesOf(source, OF_MESSAGE)}
    ), fanned_out as (${INSERT_DELIVERIES}
      select own.account_id, ${deliveryId('event_id', 'subscriber_id')}, subscriber_id, event_id, event_type, message_id, sequence,
        ${STATE_AND_TIMES}
      from ${fromTenantRow('fanned', 'not is_direct', 'event_id')}
      returning 1
    ), batched as (
      insert into delivery_batches (account_id, id, subscriber_id, event_ids, lease_until, created_at)
      select own.account_id, (${batchIds})[array_position(${subscriberIds}, subscriber_id)], subscriber_id,
        array_agg(event_id), ${leaseUntil}, $2
      from ${fromTenantRow('fanned', 'is_direct', 'event_id')}
      group by own.account_id, subscriber_id
    ), in_flight as (
      select b.subscriber_id, ${idRestOf('one.event_id')} as rest
      from delivery_batches b cross join unnest(b.event_ids) as one (event_id)
      where b.account_id = $1 and b.subscriber_id = any (${subscriberIds}) and b.id <> all (${batchIds})
    )`
}

/** How many deliveries of `appendStatusPieces` wait in the queue. */
export const QUEUED_COUNT = '(select count(*)::int from fanned_out)'

/** Also true for an earlier event that was recorded a moment ago: its batch may still be there. */
const IS_BEHIND = `f.sequence > 1 and ((f.subscriber_id, ${idRestOf('f.message_id')}) in (select subscriber_id, rest from in_flight)
      or exists (
        select 1 from event_deliveries p
        where p.account_id = $1 and p.subscriber_id = f.subscriber_id and p.message_id = f.message_id
          and p.sequence < f.sequence and p.state = 'pending'))`

/**
 * Those that skip the queue: a text that `readLeased` in direct-deliveries.ts reads, or null. The snapshot of the statement has
 * every earlier event.
 */
export const LEASED_DELIVERIES = `
  select string_agg(${deliveryId('f.event_id', 'f.subscriber_id')} || ' ' || f.subscriber_id || ' ' || f.event_id
    || ' ' || f.message_id || ' ' || f.sequence || case when ${IS_BEHIND} then ' behind' else '' end, ',')
  from fanned f where f.is_direct`

const APPEND_ONE = `
  with source as (
    select $3::text as id, $4::text as event_type, $5::text as campaign_id, $6::text as number,
      $7::text as message_id, $8::smallint as sequence, $9::text as status,
      $10::text as previous_status, $11::integer as error_code, $12::text as error_message,
      $13::jsonb as data
  ), ${appendPieces(relation('source'))}
  select count(*)::int as deliveries from fanned_out`

/** A single event and its deliveries. */
export async function insertEvent(tx: Transaction, event: Event): Promise<void> {
  await tx.query({
    name: nameOf(APPEND_ONE),
    text: APPEND_ONE,
    values: [
      event.accountId,
      event.createdAt,
      event.id,
      event.eventType,
      event.campaignId,
      event.number,
      event.messageId,
      event.sequence,
      event.status,
      event.previousStatus,
      event.errorCode,
      event.errorMessage,
      event.data,
    ],
  })
}

const SOURCE = `
  source as (
    select e.*, null::text as message_id, null::smallint as sequence, null::text as status,
      null::text as previous_status, null::integer as error_code, null::text as error_message
    from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::jsonb[])
      as e (id, event_type, campaign_id, brand_id, number, data)
  )`

// Events that concern no number are not filtered by a webhook's numbers.
const OF_CAMPAIGN: Matching = {
  among: amongCampaigns,
  each: `${HAS_CAMPAIGN}
        and (e.number is null or s.numbers is null or e.number = any (s.numbers))`,
}
const OF_BRAND: Matching = {
  among: (source) => `s.brand_id = any (array(select brand_id from ${source}))`,
  each: 's.brand_id = e.brand_id',
}

// An alert about a campaign goes to its webhooks, and one about the account to all that list its type.
const OF_ACCOUNT: Matching = {
  among: () => 'true',
  each: `(e.campaign_id is null or ${HAS_CAMPAIGN})`,
}

const APPEND_OF_CAMPAIGN = `with ${SOURCE}, ${appendPieces(relation('source'), OF_CAMPAIGN)} select 1`
const APPEND_OF_ACCOUNT = `with ${SOURCE}, ${appendPieces(relation('source'), OF_ACCOUNT)} select 1`
const APPEND_OF_BRAND = `with ${SOURCE}, ${appendPieces(relation('source'), OF_BRAND)} select 1`

interface ChangeRow {
  eventType: ChangeType | AlertType
  campaignId: string | null
  brandId: string | null
  number: string | null
  data: object
}

/** In the given order. All concern brands, or none do. */
export async function insertChanges(
  tx: Transaction,
  accountId: AccountId,
  changes: readonly ChangeRow[],
  now: Date,
): Promise<void> {
  if (changes.length === 0) return
  const text = changes[0]!.brandId === null ? APPEND_OF_CAMPAIGN : APPEND_OF_BRAND
  await insertRows(tx, accountId, { text, rows: changes, now })
}

export interface AlertRow {
  eventType: AlertType
  campaignId: string | null
  data: object
}

export async function insertAlertEvents(
  tx: Transaction,
  accountId: AccountId,
  alerts: readonly AlertRow[],
  now: Date,
): Promise<void> {
  if (alerts.length === 0) return
  const rows = alerts.map((alert) => ({ brandId: null, number: null, ...alert }))
  await insertRows(tx, accountId, { text: APPEND_OF_ACCOUNT, rows, now })
}

async function insertRows(
  tx: Transaction,
  accountId: AccountId,
  { text, rows: changes, now }: { text: string; rows: readonly ChangeRow[]; now: Date },
): Promise<void> {
  await tx.query({
    name: nameOf(text),
    text,
    values: [
      accountId,
      now,
      changes.map(() => newId('evt', now)),
      changes.map((change) => change.eventType),
      changes.map((change) => change.campaignId),
      changes.map((change) => change.brandId),
      changes.map((change) => change.number),
      changes.map((change) => JSON.stringify(change.data)),
    ],
  })
}
