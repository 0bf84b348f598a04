// Every statement on the handoffs table, except the insert, which is part of accepting messages. A row is the lease
// of a batch that a process took over right after its commit.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { composed, parametersOf, relation, valuesOf } from '../../kit/postgres/pieces.js'
import { acrossAccounts, sql } from '../../kit/postgres/sql.js'
import { scheduleLanes } from '../lane-queries.js'

const RECLAIMED_MAX = 50

export interface HandoffKey {
  accountId: AccountId
  firstId: string
}

/** Their messages are sent or wait in the queue. A statement for one account runs on that account's machine. */
export async function deleteHandoffs(db: Queryable, done: readonly HandoffKey[]): Promise<void> {
  const firstIds = done.map(({ firstId }) => firstId)
  const [accountId, ...others] = new Set(done.map((key) => key.accountId))
  await db.query(
    others.length === 0
      ? sql`delete from handoffs
        where account_id = ${accountId} and first_id = any (${firstIds}::text[])`
      : sql`delete from handoffs h
        using unnest(${done.map((key) => key.accountId)}::text[], ${firstIds}::text[])
          as done (account_id, first_id)
        where h.account_id = done.account_id and h.first_id = done.first_id`,
  )
}

export interface AbandonedHandoff extends HandoffKey {
  lastId: string
}

/** Handoffs whose lease has ended. A plain read across accounts. */
export async function findAbandoned(db: Queryable, now: Date): Promise<AbandonedHandoff[]> {
  const statement = sql`
    select account_id as "accountId", first_id as "firstId", last_id as "lastId",
      lease_until as "leaseUntil"
    from handoffs where lease_until <= ${now} order by lease_until limit ${RECLAIMED_MAX}`
  const across = { order: ['leaseUntil'], limit: RECLAIMED_MAX }
  return db.query<AbandonedHandoff>(acrossAccounts(statement, across))
}

/** Takes the handoff from its holder, in the caller's transaction. False if another process did. */
export async function deleteAbandoned(
  tx: Transaction,
  { accountId, firstId }: HandoffKey,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from handoffs where account_id = ${accountId} and first_id in (
      select first_id from handoffs where account_id = ${accountId} and first_id = ${firstId}
      for update skip locked)
    returning 1`)
  return rows.length > 0
}

const RANGE = { firstId: 'text', lastId: 'text' } as const
const range = parametersOf(RANGE)
const REQUEUE = `
  with requeued as (
    update messages set due_at = $2
    where account_id = $1 and id >= ${range.firstId} and id <= ${range.lastId}
      and status = 'QUEUED' and due_at is null and settle_at is null
      and id not in (select unnest(message_ids) from submits where account_id = $1)
    returning campaign_id, route, due_at
  ), scheduled as (${scheduleLanes(relation('requeued'))}
  ) select 1`

/** Its remaining messages go into the queue, and their lanes are woken. */
export async function requeueHandoff(
  tx: Transaction,
  { accountId, firstId, lastId }: AbandonedHandoff,
  now: Date,
): Promise<void> {
  const values = valuesOf(RANGE, { firstId, lastId })
  await tx.query(composed(REQUEUE, [accountId, now, ...values]))
}
