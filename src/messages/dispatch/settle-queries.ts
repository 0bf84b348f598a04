// Statements on messages with an unknown outcome, until it is settled.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { composed, parametersOf, relation, valuesOf } from '../../kit/postgres/pieces.js'
import { acrossAccounts, sql } from '../../kit/postgres/sql.js'
import { QUEUED_MESSAGE_COLUMNS, type QueuedMessage, scheduleLanes } from '../lane-queries.js'
import type { MessageKey } from '../message.js'
import { ENTRIES_MAX } from '../timeline.js'

export interface UnsettledMessage extends QueuedMessage {
  unknownLink: string | null
  timeline: string[]
}

/** Messages that are due to be settled. A plain read across accounts. */
export async function findUnsettled(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<MessageKey[]> {
  const statement = sql`
    select account_id as "accountId", id, settle_at as "settleAt" from messages
    where settle_at is not null and settle_at <= ${now} order by settle_at limit ${limit}`
  return db.query<MessageKey>(acrossAccounts(statement, { order: ['settleAt'], limit }))
}

/** Of one account. Nobody else takes them until the lease ends. */
export async function takeUnsettled(
  db: Queryable,
  accountId: AccountId,
  ids: readonly string[],
  { now, leaseUntil }: { now: Date; leaseUntil: Date },
): Promise<UnsettledMessage[]> {
  return db.query<UnsettledMessage>(sql`
    update messages m set settle_at = ${leaseUntil}
    where m.account_id = ${accountId} and m.id = any (${ids}::text[]) and m.settle_at <= ${now}
      and m.status = 'QUEUED'
    returning ${QUEUED_MESSAGE_COLUMNS}, unknown_link as "unknownLink", timeline`)
}

/** Those that no evidence has settled in the meantime. */
export async function findStillUnsettled(
  db: Queryable,
  accountId: AccountId,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select id from messages
    where account_id = ${accountId} and id = any (${ids}::text[]) and settle_at is not null
      and status = 'QUEUED'`)
  return new Set(rows.map((row) => row.id))
}

/** The registered use case, by campaign. */
export async function findUsecases(
  db: Queryable,
  accountId: AccountId,
  campaignIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; usecase: string }>(sql`
    select id, usecase from campaigns
    where account_id = ${accountId} and id = any (${campaignIds}::text[]) and usecase is not null`)
  return new Map(rows.map((row) => [row.id, row.usecase]))
}

export async function settleLater(
  db: Queryable,
  { accountId, id }: MessageKey,
  settleAt: Date,
): Promise<void> {
  await db.query(sql`
    update messages set settle_at = ${settleAt}
    where account_id = ${accountId} and id = ${id} and settle_at is not null`)
}

const REQUEUE_TYPES = {
  id: 'text',
  due_at: 'timestamptz',
  unproven_at: 'timestamptz',
  entry: 'text',
} as const
const parameters = parametersOf(REQUEUE_TYPES, 2)
const REQUEUE = `
  with requeued as (
    update messages m set settle_at = null, due_at = ${parameters.due_at}, unproven_at = ${parameters.unproven_at},
      unknown_link = case when ${parameters.unproven_at} is null then null else m.unknown_link end,
      timeline = case when cardinality(m.timeline) < ${ENTRIES_MAX}
        then m.timeline || ${parameters.entry} else m.timeline end
    where m.account_id = $1 and m.id = ${parameters.id} and m.status = 'QUEUED' and m.settle_at is not null
    returning m.campaign_id, m.route, m.due_at
  ), scheduled as (${scheduleLanes(relation('requeued'))}
  ) select 1 from requeued`

export interface UnsettledRequeue {
  dueAt: Date
  /** The carrier may still have it. A receipt that comes before it is sent again counts. */
  unprovenAt?: Date
  entry: string
}

/** Back into the queue. False if it was settled in the meantime. */
export async function requeueUnsettled(
  db: Queryable,
  { accountId, id }: MessageKey,
  { dueAt, unprovenAt, entry }: UnsettledRequeue,
): Promise<boolean> {
  const values = valuesOf(REQUEUE_TYPES, {
    ...{ id, entry },
    due_at: dueAt,
    unproven_at: unprovenAt ?? null,
  })
  const rows = await db.query(composed(REQUEUE, [accountId, ...values]))
  return rows.length > 0
}
