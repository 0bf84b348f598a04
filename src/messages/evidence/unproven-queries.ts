// Statements on messages without proof of acceptance: found by what a receipt contains, and noted when matched.

import type { AccountId } from '../../accounts/account.js'
import { DAY_MS } from '../../kit/clock.js'
import { idFloor } from '../../kit/ids.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import type { MessageKey, OutboundMessage } from '../message.js'
import { ENTRIES_MAX } from '../timeline.js'
import type { UnprovenMessage } from './fit-receipt.js'

/** Older messages are not searched: carriers give up on a message within three days. */
const LOOKED_FOR_MS = 3 * DAY_MS
/** Per statement. */
const CANDIDATES_MAX = 1_000

export interface NumberPair {
  number: string
  peer: string
}

export interface Candidate extends UnprovenMessage, NumberPair {
  deliveredParts: bigint
}

/** Messages between these numbers, locked in order until the transaction ends, so two receipts find two messages. */
export async function lockUnproven(
  tx: Transaction,
  accountId: AccountId,
  pairs: readonly NumberPair[],
  now: Date,
): Promise<Candidate[]> {
  const floor = idFloor('msg', new Date(Math.max(0, now.getTime() - LOOKED_FOR_MS)))
  return tx.query<Candidate>(sql`
    select m.id, m.number, m.peer, m.body, m.num_segments as "numSegments", m.unknown_link as "unknownLink",
      m.created_at as "createdAt", m.timeline, coalesce(m.delivered_parts, 0) as "deliveredParts"
    from messages m
    where m.account_id = ${accountId} and (m.settle_at is not null or m.unproven_at is not null)
      and m.id >= ${floor} and (m.number, m.peer) in (
        select * from unnest(${pairs.map((p) => p.number)}::text[], ${pairs.map((p) => p.peer)}::text[]))
    order by m.id limit ${CANDIDATES_MAX} for update of m`)
}

/** Whether other messages between the same numbers lack proof, too. */
export async function hasRival(
  db: Queryable,
  { accountId, id, from, to }: MessageKey & Pick<OutboundMessage, 'from' | 'to'>,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from messages
    where account_id = ${accountId} and number = ${from} and peer = ${to} and id <> ${id}
      and (settle_at is not null or unproven_at is not null) limit 1`)
  return rows.length > 0
}

export interface Match {
  messageId: string
  /** The delivered part, from 0. Null: the receipt does not report delivery, or there is only one part. */
  deliveredPart: number | null
  entry: string
}

export async function recordMatches(
  db: Queryable,
  accountId: AccountId,
  matches: readonly Match[],
): Promise<void> {
  const bits = matches.map(({ deliveredPart: part }) => (part === null ? 0n : 1n << BigInt(part)))
  await db.query(sql`
    update messages m set delivered_parts = nullif(coalesce(m.delivered_parts, 0) | x.bits, 0),
      timeline = case when cardinality(m.timeline) < ${ENTRIES_MAX}::int
        then m.timeline || x.entries else m.timeline end
    from (select id, bit_or(bits) as bits, array_agg(entry) as entries
      from unnest(${matches.map((one) => one.messageId)}::text[], ${bits}::bigint[],
        ${matches.map((one) => one.entry)}::text[]) as x (id, bits, entry) group by id) x
    where m.account_id = ${accountId} and m.id = x.id`)
}
