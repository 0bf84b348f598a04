// Statements on the unmatched_receipts table: receipts of messages that we do not know, or do not know yet. Those are
// looked up again.

import { newId } from '../../kit/ids.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { raw, sql } from '../../kit/postgres/sql.js'
import { withoutBrokenUnits } from '../../text/segments.js'
import type { Receipt, ReceiptClue } from '../carrier-port.js'
import type { OutboundMessage } from '../message.js'

/** Makes whatever the carrier sent storable: an ID of any length, a code of any size. */
export async function insertUnmatchedReceipt(
  db: Queryable,
  { link, of, clue, status, errorCode, carrierCode = null, ...flags }: Receipt,
  now: Date,
  checkAt: Date | null,
): Promise<string> {
  const id = newId('evt', now)
  const [name, ids] = 'id' in of ? [of.id, []] : [of.carrierIds[0] ?? '', of.carrierIds]
  const facts = clue?.() ?? null
  await db.query(sql`
    insert into unmatched_receipts (id, carrier, message_id, status, error_code, received_at, carrier_ids,
      carrier_code, check_at, phone_number, peer, submitted_at, done_at, body_start, reference, is_unconfirmed,
      is_opted_out)
    select ${id}, ${link}, left(${withoutBrokenUnits(name)}::text, 200), ${status}::text,
      case when abs(r.code) < 1e9 then r.code::int end, ${now}::timestamptz,
      ${ids}::text[], left(${carrierCode}::text, 200), ${checkAt}::timestamptz, left(${facts?.number ?? null}::text, 40),
      left(${facts?.peer ?? null}::text, 40), ${facts?.submittedAt ?? null}::timestamptz,
      ${facts?.doneAt ?? null}::timestamptz, left(${storable(facts?.bodyStart)}::text, 40),
      ${facts?.reference ?? null}::int, ${flags.isUnconfirmed === true}::boolean,
      ${flags.isOptedOut === true}::boolean
    from (select ${errorCode}::numeric as code) r`)
  return id
}

/** Texts come from outside, and no database stores a NUL or half a character. */
function storable(text: string | null | undefined): string | null {
  return text == null ? null : withoutBrokenUnits(text.replaceAll('\0', ''))
}

export interface WaitingReceipt {
  id: string
  receipt: Receipt
  receivedAt: Date
}

/** Receipts that are due for a lookup. Until then, nobody else takes them. */
export async function takeWaitingReceipts(
  db: Queryable,
  now: Date,
  { limit, leaseUntil }: { limit: number; leaseUntil: Date },
): Promise<WaitingReceipt[]> {
  const rows = await db.query<StrayRow>(sql`
    update unmatched_receipts set check_at = ${leaseUntil} where id in (
      select id from unmatched_receipts where check_at <= ${now} order by check_at limit ${limit})
      and check_at <= ${now}
    returning ${COLUMNS}`)
  return rows.map(waitingOf)
}

/** Receipts that may be about messages between these numbers, in either direction. Not leased. */
export async function findReceiptsBetween(
  db: Queryable,
  pairs: readonly Pick<OutboundMessage, 'from' | 'to'>[],
  limit: number,
): Promise<WaitingReceipt[]> {
  const [numbers, peers] = [pairs.map((pair) => pair.from), pairs.map((pair) => pair.to)]
  const rows = await db.query<StrayRow>(sql`
    select ${COLUMNS} from unmatched_receipts
    where check_at is not null and (phone_number, peer) in (
      select * from unnest(${[...numbers, ...peers]}::text[], ${[...peers, ...numbers]}::text[]))
    order by received_at limit ${limit}`)
  return rows.map(waitingOf)
}

type StrayRow = Omit<ReceiptClue, 'number' | 'peer'> &
  Pick<Receipt, 'link' | 'status' | 'errorCode' | 'carrierCode'> & {
    id: string
    carrierIds: string[]
    receivedAt: Date
    number: string | null
    peer: string | null
    isUnconfirmed: boolean
    isOptedOut: boolean
  }

const COLUMNS =
  raw(`id, carrier as link, status, error_code as "errorCode", carrier_code as "carrierCode",
  carrier_ids as "carrierIds", received_at as "receivedAt", phone_number as number, peer, submitted_at as "submittedAt",
  done_at as "doneAt", body_start as "bodyStart", reference, is_unconfirmed as "isUnconfirmed",
  is_opted_out as "isOptedOut"`)

function waitingOf(row: StrayRow): WaitingReceipt {
  const { id, carrierIds, receivedAt, isUnconfirmed, isOptedOut, ...facts } = row
  const { number, peer, submittedAt, doneAt, bodyStart, reference, ...rest } = facts
  const details = { submittedAt, doneAt, bodyStart, reference }
  const clue = () => (number === null || peer === null ? null : { number, peer, ...details })
  const flags = { ...(isUnconfirmed && { isUnconfirmed }), ...(isOptedOut && { isOptedOut }) }
  return { id, receivedAt, receipt: { ...rest, of: { carrierIds }, clue, ...flags } }
}

/** Null: it is no longer looked up. */
export async function checkLater(
  db: Queryable,
  waits: readonly { id: string; checkAt: Date | null }[],
): Promise<void> {
  await db.query(sql`
    update unmatched_receipts r set check_at = w.check_at
    from unnest(${waits.map((w) => w.id)}::text[], ${waits.map((w) => w.checkAt)}::timestamptz[])
      as w (id, check_at)
    where r.id = w.id`)
}

export async function deleteUnmatchedReceipts(
  db: Queryable,
  ids: readonly string[],
): Promise<void> {
  await db.query(sql`delete from unmatched_receipts where id = any (${ids}::text[])`)
}

/**
 * Whether the carrier sent a receipt for a message that this service did not send, such as the test message of a
 * new link. The receipt is deleted, because no message will ever match it.
 */
export async function takeReceiptsOf(
  db: Queryable,
  { link, carrierId, since }: { link: string; carrierId: string; since: Date },
): Promise<boolean> {
  const rows = await db.query(sql`
    delete from unmatched_receipts
    where received_at >= ${since} and carrier = ${link} and carrier_ids @> ${[carrierId]}::text[]
    returning 1`)
  return rows.length > 0
}

/** Deletes a portion of older receipts. Returns their number. */
export async function deleteOldReceipts(
  db: Queryable,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await db.query(sql`
    delete from unmatched_receipts where id in (
      select id from unmatched_receipts where received_at < ${before} limit ${limit}) returning 1`)
  return rows.length
}
