// Every statement on carrier_messages: which message a carrier's ID refers to.

import type { AccountId } from '../../accounts/account.js'
import { BRIEFLY, type Queryable, type Store } from '../../kit/postgres/db.js'
import { raw, sql } from '../../kit/postgres/sql.js'
import { slotOf, slotToEmpty } from './week-slots.js'

/** The carrier's name for a message or a part of it. */
export interface CarrierId {
  link: string
  carrierId: string
  accountId: AccountId
  messageId: string
  /** From 0. */
  part: number
  parts: number
}

/** A repeated ID belongs to the newest message, because carriers count up and start over. */
export async function insertCarrierIds(
  db: Queryable,
  carrierIds: readonly CarrierId[],
  now: Date,
): Promise<void> {
  const rows = [...new Map(carrierIds.map((row) => [`${row.link} ${row.carrierId}`, row])).values()]
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

/** False if the ID already belongs to a message. */
export async function claimCarrierId(db: Queryable, row: CarrierId, now: Date): Promise<boolean> {
  const { link, carrierId, accountId, messageId, part, parts } = row
  const rows = await db.query(sql`
    insert into carrier_messages (slot, link, carrier_id, account_id, message_id, part, parts, sent_at)
    values (${slotOf(now)}::smallint, ${link}, ${carrierId}, ${accountId}, ${messageId}, ${part}, ${parts}, ${now})
    on conflict (link, carrier_id, slot) do nothing returning 1`)
  return rows.length > 0
}

const COLUMNS =
  raw(`link, carrier_id as "carrierId", account_id as "accountId", message_id as "messageId",
  part, parts, sent_at as "sentAt"`)

/** By the carrier's ID. If several weeks have it, the newest. */
export async function findCarrierIds(
  db: Queryable,
  link: string,
  carrierIds: readonly string[],
): Promise<Map<string, CarrierId>> {
  const rows = await db.query<CarrierId>(sql`
    select ${COLUMNS} from carrier_messages
    where link = ${link} and carrier_id = any (${carrierIds}::text[]) order by sent_at`)
  return new Map(rows.map((row) => [row.carrierId, row]))
}

/**
 * In any letter case: by the lowercase ID, all that differ only in case. IDs in one case are found by their key.
 * Only those in mixed case are in the second index.
 */
export async function findFoldedIds(
  db: Queryable,
  link: string,
  carrierIds: readonly string[],
): Promise<Map<string, CarrierId[]>> {
  const lower = [...new Set(carrierIds.map((id) => id.toLowerCase()))]
  const oneCase = [...lower, ...lower.map((id) => id.toUpperCase())]
  const rows = await db.query<CarrierId>(sql`
    select ${COLUMNS} from carrier_messages
    where link = ${link} and carrier_id = any (${oneCase}::text[])
    union all
    select ${COLUMNS} from carrier_messages
    where link = ${link} and lower(carrier_id) = any (${lower}::text[])
      and carrier_id <> lower(carrier_id) and carrier_id <> upper(carrier_id)
    order by "sentAt"`)
  const byLower = new Map<string, CarrierId[]>()
  for (const row of new Map(rows.map((one) => [one.carrierId, one])).values()) {
    const key = row.carrierId.toLowerCase()
    byLower.set(key, [...(byLower.get(key) ?? []), row])
  }
  return byLower
}

const EMPTY = [
  sql`truncate carrier_messages_0`,
  sql`truncate carrier_messages_1`,
  sql`truncate carrier_messages_2`,
  sql`truncate carrier_messages_3`,
]

/** Empties the slot that will be written the week after next. */
export async function purgeCarrierIds(db: Store, now: Date): Promise<void> {
  const slot = slotToEmpty(now)
  const [row] = await db.query(sql`select 1 from carrier_messages where slot = ${slot} limit 1`)
  if (row) await db.transaction((tx) => tx.query(EMPTY[slot]!), BRIEFLY)
}
