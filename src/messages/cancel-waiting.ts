// Cancels what a campaign that has ended still has in its queue, a portion at a time, and gives the money
// back. What a dispatcher has in hand is with the carrier, or will be: that goes its way.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/db.js'
import { sql } from '../kit/sql.js'
import { ENDED_TEXT } from './message-errors.js'
import { moveMessages } from './move-queries.js'
import { encodeEntry } from './timeline.js'

interface Waiting {
  id: string
  priceMicros: bigint
}

/**
 * The messages are locked first: one that is claimed at this moment has a lease when it is looked at
 * again, and is left alone; a claim finds a cancelled one no longer due.
 */
export async function cancelWaiting(
  tx: Transaction,
  accountId: AccountId,
  campaignId: string,
  limit: number,
  now: Date,
): Promise<{ cancelled: number; refundedMicros: bigint }> {
  const waiting = await tx.query<Waiting>(sql`
    select id, price_micros as "priceMicros" from messages
    where account_id = ${accountId} and campaign_id = ${campaignId} and due_at is not null
      and (status = 'SCHEDULED' or (status = 'QUEUED' and due_at <= ${now}))
    limit ${limit} for update skip locked`)
  const entry = encodeEntry(now, 'failed', '1410 its campaign has ended')
  const move = {
    target: 'FAILED' as const,
    errorCode: 1410 as const,
    errorMessage: ENDED_TEXT,
    entry,
  }
  const moves = waiting.map(({ id }) => ({ messageId: id, ...move }))
  const { moved } = await moveMessages(tx, accountId, moves, now)
  const refundedMicros = waiting
    .filter(({ id }) => moved.has(id))
    .reduce((sum, { priceMicros }) => sum + priceMicros, 0n)
  return { cancelled: moved.size, refundedMicros }
}

/** Anything in the queue, also what a dispatcher has in hand or what waits between two attempts. */
export async function hasQueued(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from messages
    where account_id = ${accountId} and campaign_id = ${campaignId} and due_at is not null limit 1`)
  return rows.length > 0
}

/** How many are in the queue and what they cost, counted up to the limit. */
export async function countQueued(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
  limit: number,
): Promise<{ count: number; priceMicros: bigint }> {
  const [row] = await db.query<{ count: number; priceMicros: bigint }>(sql`
    select count(*)::int as count, coalesce(sum(price), 0)::bigint as "priceMicros" from (
      select price_micros as price from messages
      where account_id = ${accountId} and campaign_id = ${campaignId} and due_at is not null
      limit ${limit}) queued`)
  return row!
}
