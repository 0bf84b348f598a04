// Every statement on carrier_messages: which message a carrier means by its id.

import type { AccountId } from '../../accounts/account.js'
import { BRIEFLY, type Queryable, type Store } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import { slotOf, slotToEmpty } from './week-slots.js'

/** A message, or a part of it, as a carrier calls it. */
export interface CarrierId {
  link: string
  carrierId: string
  accountId: AccountId
  messageId: string
  /** From 0. */
  part: number
  parts: number
}

/** An id that comes again is the newest message's: carriers count up and start over. */
export async function insertCarrierIds(
  db: Queryable,
  given: readonly CarrierId[],
  now: Date,
): Promise<void> {
  const rows = [...new Map(given.map((row) => [`${row.link} ${row.carrierId}`, row])).values()]
  await db.query(sql`
    insert into carrier_messages (slot, link, carrier_id, account_id, message_id, part, parts, sent_at)
    select ${slotOf(now)}::smallint, x.*, ${now}::timestamptz from unnest(
      ${rows.map((row) => row.link)}::text[], ${rows.map((row) => row.carrierId)}::text[],
      ${rows.map((row) => row.accountId)}::text[], ${rows.map((row) => row.messageId)}::text[],
      ${rows.map((row) => row.part)}::smallint[], ${rows.map((row) => row.parts)}::smallint[]) as x
    on conflict (link, carrier_id, slot) do update set account_id = excluded.account_id,
      message_id = excluded.message_id, part = excluded.part, parts = excluded.parts,
      sent_at = excluded.sent_at`)
}

/** By the carrier's id; where several weeks know it, the newest. */
export async function findCarrierIds(
  db: Queryable,
  link: string,
  carrierIds: readonly string[],
): Promise<Map<string, CarrierId>> {
  const rows = await db.query<CarrierId>(sql`
    select link, carrier_id as "carrierId", account_id as "accountId", message_id as "messageId",
      part, parts
    from carrier_messages where link = ${link} and carrier_id = any (${carrierIds}::text[])
    order by sent_at`)
  return new Map(rows.map((row) => [row.carrierId, row]))
}

const EMPTY = [
  sql`truncate carrier_messages_0`,
  sql`truncate carrier_messages_1`,
  sql`truncate carrier_messages_2`,
  sql`truncate carrier_messages_3`,
]

/** Empties the slot that is written after next week's. */
export async function forgetCarrierIds(db: Store, now: Date): Promise<void> {
  const slot = slotToEmpty(now)
  const [row] = await db.query(sql`select 1 from carrier_messages where slot = ${slot} limit 1`)
  if (row) await db.transaction((tx) => tx.query(EMPTY[slot]!), BRIEFLY)
}
