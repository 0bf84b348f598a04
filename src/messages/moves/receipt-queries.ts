// Statements on the stray_receipts table: what a carrier said of messages that we do not know, or do not know
// yet: those are looked for again.

import { newId } from '../../kit/ids.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import { withoutBrokenUnits } from '../../text/segments.js'
import type { Receipt } from '../carrier-port.js'

/** Whatever the carrier sent, so that it can be kept: an id of any length, a code of any size. */
export async function insertStrayReceipt(
  db: Queryable,
  { link, of, status, errorCode, carrierCode = null }: Receipt,
  now: Date,
  lookAt: Date | null,
): Promise<string> {
  const id = newId('evt', now)
  const [name, ids] =
    'messageId' in of ? [of.messageId, []] : [of.carrierIds[0] ?? '', of.carrierIds]
  await db.query(sql`
    insert into stray_receipts (id, carrier, message_id, status, error_code, received_at, carrier_ids,
      carrier_code, look_at)
    select ${id}, ${link}, left(${withoutBrokenUnits(name)}::text, 200), ${status}::text,
      case when abs(r.code) < 1e9 then r.code::int end, ${now}::timestamptz,
      ${ids}::text[], left(${carrierCode}::text, 200), ${lookAt}::timestamptz
    from (select ${errorCode}::numeric as code) r`)
  return id
}

export interface WaitingReceipt {
  id: string
  receipt: Receipt
  receivedAt: Date
}

/** Those that it is time to look for; until then nobody else does. */
export async function takeWaitingReceipts(
  db: Queryable,
  now: Date,
  { limit, leaseUntil }: { limit: number; leaseUntil: Date },
): Promise<WaitingReceipt[]> {
  const rows = await db.query<
    Pick<Receipt, 'link' | 'status' | 'errorCode' | 'carrierCode'> & {
      id: string
      carrierIds: string[]
      receivedAt: Date
    }
  >(sql`
    update stray_receipts set look_at = ${leaseUntil} where id in (
      select id from stray_receipts where look_at <= ${now} order by look_at limit ${limit})
      and look_at <= ${now}
    returning id, carrier as link, status, error_code as "errorCode", carrier_code as "carrierCode",
      carrier_ids as "carrierIds", received_at as "receivedAt"`)
  return rows.map(({ id, carrierIds, receivedAt, ...said }) => {
    return { id, receivedAt, receipt: { ...said, of: { carrierIds } } }
  })
}

/** Null: it is not looked for any more. */
export async function lookLater(
  db: Queryable,
  waits: readonly { id: string; lookAt: Date | null }[],
): Promise<void> {
  await db.query(sql`
    update stray_receipts r set look_at = w.look_at
    from unnest(${waits.map((w) => w.id)}::text[], ${waits.map((w) => w.lookAt)}::timestamptz[])
      as w (id, look_at)
    where r.id = w.id`)
}

export async function deleteStrayReceipts(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query(sql`delete from stray_receipts where id = any (${ids}::text[])`)
}

/**
 * Whether the carrier has called for a message that nobody here has sent, such as the test of a new link. What came is taken
 * away: no message will ever answer to it.
 */
export async function takeReceiptsOf(
  db: Queryable,
  { link, carrierId, since }: { link: string; carrierId: string; since: Date },
): Promise<boolean> {
  const rows = await db.query(sql`
    delete from stray_receipts
    where received_at >= ${since} and carrier = ${link} and carrier_ids @> ${[carrierId]}::text[]
    returning 1`)
  return rows.length > 0
}

/** A portion of those that are older. Says how many. */
export async function deleteOldReceipts(
  db: Queryable,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await db.query(sql`
    delete from stray_receipts where id in (
      select id from stray_receipts where received_at < ${before} limit ${limit}) returning 1`)
  return rows.length
}
