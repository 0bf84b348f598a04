// Statements of what comes in: the message itself, the parts of long ones, and their media.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/db.js'
import { sql } from '../kit/sql.js'
import type { Inbound, InboundPart } from './carrier-port.js'
import type { MediaFile } from './outbound-media.js'

export interface NewInbound {
  accountId: AccountId
  id: string
  campaignId: string
  number: string
  peer: string
  body: string
  mediaUrls: readonly string[]
  numSegments: number
  now: Date
}

/** Born DELIVERED: it has reached us, and nothing more will happen to it. */
export async function insertInbound(tx: Transaction, message: NewInbound): Promise<void> {
  await tx.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      media_urls, num_segments, price_micros, status, created_at, updated_at)
    values (${message.accountId}, ${message.id}, ${message.campaignId},
      ${message.mediaUrls.length > 0 ? 'MMS' : 'SMS'}, 'INBOUND', ${message.number},
      ${message.peer}, 'open', ${message.body}, ${JSON.stringify(message.mediaUrls)},
      ${message.numSegments}, 0, 'DELIVERED', ${message.now}, ${message.now})`)
}

export async function insertPart(
  tx: Transaction,
  inbound: Inbound,
  part: InboundPart,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into inbound_parts (number, peer, reference, sequence, total, body, received_at)
    values (${inbound.to}, ${inbound.from}, ${part.reference}, ${part.sequence}, ${part.total},
      ${inbound.body}, ${now})
    on conflict (number, peer, reference, sequence) do nothing`)
}

export interface StoredPart {
  number: string
  peer: string
  reference: number
  sequence: number
  total: number
  body: string
}

/** The parts that came of one message, in order and locked. */
export async function lockParts(
  tx: Transaction,
  key: { number: string; peer: string; reference: number },
): Promise<StoredPart[]> {
  return tx.query<StoredPart>(sql`
    select number, peer, reference, sequence, total, body from inbound_parts
    where number = ${key.number} and peer = ${key.peer} and reference = ${key.reference}
    order by sequence for update`)
}

export async function deleteParts(
  tx: Transaction,
  key: { number: string; peer: string; reference: number },
): Promise<void> {
  await tx.query(sql`
    delete from inbound_parts
    where number = ${key.number} and peer = ${key.peer} and reference = ${key.reference}`)
}

/** Messages of which a part has waited since before the given time. */
export async function findOverdueParts(
  db: Queryable,
  before: Date,
  limit: number,
): Promise<{ number: string; peer: string; reference: number }[]> {
  return db.query(sql`
    select distinct number, peer, reference from inbound_parts
    where received_at <= ${before} limit ${limit}`)
}

export interface StoredMedia extends MediaFile {
  id: string
}

export async function insertMedia(
  tx: Transaction,
  owner: { accountId: AccountId; messageId: string; now: Date },
  files: readonly StoredMedia[],
): Promise<void> {
  for (const file of files) {
    await tx.query(sql`
      insert into media (id, account_id, message_id, content_type, content, created_at)
      values (${file.id}, ${owner.accountId}, ${owner.messageId}, ${file.contentType},
        ${file.content}, ${owner.now})`)
  }
}

export async function findMedia(db: Queryable, id: string): Promise<MediaFile | null> {
  const [row] = await db.query<MediaFile>(sql`
    select content_type as "contentType", content from media where id = ${id}`)
  return row ?? null
}
