// Every statement on inbound_ids: which messages have already arrived, by the carrier's ID.

import { BRIEFLY, type Store, type Transaction } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import { withoutBrokenUnits } from '../../text/segments.js'
import type { Inbound } from '../carrier-port.js'
import { slotOf, slotToEmpty } from '../moves/week-slots.js'

/** After a lost connection, carriers soon redeliver what got no response: within this time, by another connection. */
const SENT_AGAIN_WITHIN_MS = 10 * 60 * 1000
/** An ID of unlimited length could not be a key. */
const ID_MAX = 200

interface InboundKey {
  link: string
  carrierId: string
  connection: string
}

export function keyOf({ link, carrierId, connection = '' }: Inbound): InboundKey | null {
  if (carrierId === null || carrierId === '') return null
  return { link, carrierId: withoutBrokenUnits(carrierId).slice(0, ID_MAX), connection }
}

/** Until the transaction ends, because the same message may arrive by two connections at once. */
export async function lockInbound(tx: Transaction, { link, carrierId }: InboundKey): Promise<void> {
  const text = `inbound ${link} ${carrierId}`
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`)
}

/** The message that it became the first time. Null if it is new. `askedAgainSince`: RedeliveryTracker. */
export async function findRepeated(
  tx: Transaction,
  { link, carrierId, connection }: InboundKey,
  { now, askedAgainSince }: { now: Date; askedAgainSince: Date | null },
): Promise<{ messageId: string | null } | null> {
  const soon = new Date(now.getTime() - SENT_AGAIN_WITHIN_MS)
  const [row] = await tx.query<{ messageId: string | null }>(sql`
    select message_id as "messageId" from inbound_ids
    where link = ${link} and carrier_id = ${carrierId} and (${connection} = ''
      or (connection <> ${connection} and received_at > ${soon})
      or received_at >= ${askedAgainSince})
    order by received_at desc limit 1`)
  return row ?? null
}

export async function insertInboundId(
  tx: Transaction,
  { link, carrierId, connection }: InboundKey,
  messageId: string | null,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into inbound_ids (slot, link, carrier_id, connection, message_id, received_at)
    values (${slotOf(now)}, ${link}, ${carrierId}, ${connection}, ${messageId}, ${now})
    on conflict (link, carrier_id, connection, slot) do update
      set message_id = excluded.message_id, received_at = excluded.received_at`)
}

const EMPTY = [
  sql`truncate inbound_ids_0`,
  sql`truncate inbound_ids_1`,
  sql`truncate inbound_ids_2`,
  sql`truncate inbound_ids_3`,
]

/** Empties the slot that will be written the week after next. */
export async function purgeInboundIds(db: Store, now: Date): Promise<void> {
  const slot = slotToEmpty(now)
  const [row] = await db.query(sql`select 1 from inbound_ids where slot = ${slot} limit 1`)
  if (row) await db.transaction((tx) => tx.query(EMPTY[slot]!), BRIEFLY)
}
