// Messages in the queue, for canceling one message or all of an ending campaign.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import { submitting } from '../lane-queries.js'
import type { Status } from '../message-state.js'

export interface CancelableMessage {
  id: string
  priceMicros: bigint
}

/** Nobody moves it until the transaction ends. Null if there is no such message. */
export async function lockStatus(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<Status | null> {
  const [row] = await tx.query<{ status: Status }>(sql`
    select status from messages where account_id = ${accountId} and id = ${id} for update`)
  return row?.status ?? null
}

/** A portion of the messages that no dispatcher has in flight, locked, so a concurrent claim does not find them. */
export async function lockWaiting(
  tx: Transaction,
  accountId: AccountId,
  campaignId: string,
  limit: number,
  now: Date,
): Promise<CancelableMessage[]> {
  return tx.query<CancelableMessage>(sql`
    select id, price_micros as "priceMicros" from messages
    where account_id = ${accountId} and campaign_id = ${campaignId} and due_at is not null
      and (status = 'SCHEDULED' or (status = 'QUEUED' and due_at <= ${now}))
      and id not in (${submitting(accountId)})
    limit ${limit} for update skip locked`)
}

/** Any message in the queue, including those in flight or between two attempts. */
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
