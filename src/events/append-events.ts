// The outbox. An event and its deliveries are written by the statement that makes the change, so an
// event exists exactly when its change does. The pieces of SQL here go into such statements.

import { idOfPair } from '../kit/id-queries.js'
import { newId } from '../kit/ids.js'
import type { Transaction } from '../kit/postgres/db.js'
import { type Relation, relation } from '../kit/postgres/pieces.js'
import { nameOf } from '../kit/postgres/sql.js'
import type { Event } from './event.js'

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

/** A delivery's id is made from its event's (so it sorts by the event's time) and its subscriber's. */
export function deliveryId(eventId: string, subscriberId: string): string {
  return idOfPair('dlv', eventId, subscriberId)
}

/** Subscriptions to the campaign of an event e that is about one of its numbers. */
const OF_NUMBER = `s.campaign_id = e.campaign_id
        and (s.numbers is null or e.number = any (s.numbers))`

/**
 * Events, and one delivery for each subscription that wants them. Without a subscription the second
 * piece costs one look into an index. An event without a campaign goes to no subscription.
 */
export function appendPieces(
  { name: source }: Relation<EventColumn>,
  matching = OF_NUMBER,
): string {
  return `
    appended as (
      insert into events (account_id, ${EVENT_COLUMNS}, created_at)
      select $1, ${EVENT_COLUMNS}, $2 from ${source}
    ), fanned_out as (
      insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, message_id,
        sequence, state, due_at, created_at)
      select $1, ${deliveryId('e.id', 's.subscriber_id')}, s.subscriber_id, e.id, e.event_type, e.message_id, e.sequence,
        case when s.is_enabled then 'pending' else 'held' end,
        case when s.is_enabled then $2::timestamptz end, $2
      from ${source} e
      join event_subscriptions s on s.account_id = $1 and e.event_type = any (s.event_types)
        and ${matching}
      returning 1
    )`
}

const APPEND_ONE = `
  with source as (
    select $3::text as id, $4::text as event_type, $5::text as campaign_id, $6::text as number,
      $7::text as message_id, $8::smallint as sequence, $9::text as status,
      $10::text as previous_status, $11::integer as error_code, $12::text as error_message,
      $13::jsonb as data
  ), ${appendPieces(relation('source'))}
  select count(*)::int as deliveries from fanned_out`

export type NewEvent = Omit<Event, 'id' | 'createdAt'> & { now: Date }

/** For an event that comes alone, in the caller's transaction. */
export async function appendEvent(tx: Transaction, event: NewEvent): Promise<string> {
  const id = newId('evt', event.now)
  await tx.query({
    name: nameOf(APPEND_ONE),
    text: APPEND_ONE,
    values: [
      event.accountId,
      event.now,
      id,
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
  return id
}
