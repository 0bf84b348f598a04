// Statements for inbound messages and the parts of long ones.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import { carrierOf, type Route } from '../lane.js'
import { NO_STEP } from '../moves/counter-queries.js'

export interface NewInbound {
  accountId: AccountId
  id: string
  campaignId: string
  number: string
  peer: string
  /** The route back to the phone, by its network. */
  route: Route
  body: string
  mediaUrls: readonly string[]
  numSegments: number
  now: Date
}

/** Starts as DELIVERED: it has reached us, and nothing more happens to it. Counted in the same transaction. */
export async function insertInbound(tx: Transaction, message: NewInbound): Promise<void> {
  await tx.query(sql`
    insert into usage_changes (account_id, message_id, sequence, start, campaign_id, route, carrier,
      direction, from_step, to_status, to_error, to_step, count, segments, refunded_micros)
    values (${message.accountId}, ${message.id}, 0,
      date_bin('1 hour', ${message.now}::timestamptz, timestamptz 'epoch'), ${message.campaignId},
      ${message.route}, ${carrierOf(message.route)}, 'INBOUND', ${NO_STEP}, 'DELIVERED', 0, ${NO_STEP}, 1,
      ${message.numSegments}, 0)`)
  await tx.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      media_urls, num_segments, price_micros, status, created_at, updated_at)
    values (${message.accountId}, ${message.id}, ${message.campaignId},
      ${message.mediaUrls.length > 0 ? 'MMS' : 'SMS'}, 'INBOUND', ${message.number},
      ${message.peer}, ${message.route}, ${message.body},
      ${JSON.stringify(message.mediaUrls)}, ${message.numSegments}, 0, 'DELIVERED', ${message.now}, ${message.now})`)
}

/** What the parts of one long message have in common. */
export interface PartKey {
  number: string
  peer: string
  reference: number
}

export interface StoredInboundPart extends PartKey {
  sequence: number
  total: number
  body: string
  /** The message is complete and was passed on. */
  isDone: boolean
}

/** Until the transaction ends, because two last parts that arrive together must not wait for each other. */
export async function lockParts(tx: Transaction, key: PartKey): Promise<void> {
  const text = `part ${key.number} ${key.peer} ${key.reference}`
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`)
}

export async function insertPart(
  tx: Transaction,
  part: StoredInboundPart,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into inbound_message_parts (phone_number, peer, reference, sequence, total, body, received_at)
    values (${part.number}, ${part.peer}, ${part.reference}, ${part.sequence}, ${part.total},
      ${JSON.stringify(part.body)}, ${now})`)
}

/** The parts that arrived, in order. */
export async function listParts(tx: Transaction, key: PartKey): Promise<StoredInboundPart[]> {
  const rows = await tx.query<StoredInboundPart>(sql`
    select phone_number as number, peer, reference, sequence, total, body, is_done as "isDone" from inbound_message_parts
    where phone_number = ${key.number} and peer = ${key.peer} and reference = ${key.reference}
    order by sequence`)
  return rows.map((row) => ({ ...row, body: JSON.parse(row.body) as string }))
}

export async function markPartsDone(tx: Transaction, key: PartKey): Promise<void> {
  await tx.query(sql`
    update inbound_message_parts set is_done = true
    where phone_number = ${key.number} and peer = ${key.peer} and reference = ${key.reference}`)
}

export async function deleteParts(tx: Transaction, key: PartKey): Promise<void> {
  await tx.query(sql`
    delete from inbound_message_parts
    where phone_number = ${key.number} and peer = ${key.peer} and reference = ${key.reference}`)
}

/** Messages with a part that has waited since before the given time. */
export async function findOverdueParts(
  db: Queryable,
  before: Date,
  limit: number,
): Promise<PartKey[]> {
  return db.query<PartKey>(sql`
    select distinct phone_number as number, peer, reference from inbound_message_parts
    where received_at <= ${before} limit ${limit}`)
}
