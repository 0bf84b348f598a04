// The consumer side of the outbox: the result of a claimed delivery. Success and failure are pieces of the
// statement that records attempts. After that, the next event of a message can be sent.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { plainArray, timeArray } from '../../kit/postgres/pg-array.js'
import {
  composed,
  OWN_FROM,
  parametersOf,
  type Relation,
  relation,
  unnested,
  valuesOf,
} from '../../kit/postgres/pieces.js'
import { sql } from '../../kit/postgres/sql.js'

/**
 * Successful deliveries. `ids` and `leases` are parameters of the statement, with their types. A delivery
 * that another process has claimed since is left out.
 */
export function deliveredPiece({ ids, leases }: { ids: string; leases: string }): string {
  return `
    delivered as (
      update event_deliveries d
      set state = 'delivered', due_at = null, lease_until = null, waits_until = null,
        attempts = d.attempts + 1, finished_at = $2
      where d.account_id = $1 and d.id = any (${ids})
        and d.lease_until = any (${leases})
      returning d.id
    )`
}

/**
 * The same for failed ones. `due_at` is the time of the next attempt, or null if all attempts are used up.
 */
export function undeliveredPiece({
  name: source,
}: Relation<'id' | 'subscriber_id' | 'lease_until' | 'due_at'>): string {
  return `
    undelivered as (
      update event_deliveries d
      set state = case when o.due_at is null then 'failed' when s.is_enabled then 'pending'
          else 'held' end,
        due_at = case when s.is_enabled then o.due_at end, lease_until = null,
        attempts = d.attempts + 1, finished_at = case when o.due_at is null then $2::timestamptz end
      from ${source} o
      left join event_subscriptions s on s.account_id = $1 and s.subscriber_id = o.subscriber_id
      where d.account_id = $1 and d.id = any (array(select id from ${source})) and d.id = o.id
        and d.lease_until = o.lease_until
      returning d.id
    )`
}

export interface DeliveryOutcome {
  id: string
  subscriberId: string
  leaseUntil: Date
  /** pending: to be retried at `dueAt`. */
  state: 'delivered' | 'pending' | 'failed'
  dueAt: Date | null
}

const DELIVERED = { ids: 'text[]', leases: 'timestamptz[]' } as const
const FAILURES = {
  id: 'text[]',
  subscriber_id: 'text[]',
  lease_until: 'timestamptz[]',
  due_at: 'timestamptz[]',
} as const
const failures = parametersOf(FAILURES, OWN_FROM + Object.keys(DELIVERED).length)

const RECORD = `
  with failure as (
    select * from ${unnested(failures, 'f')}
  ), ${deliveredPiece(parametersOf(DELIVERED))},
  ${undeliveredPiece(relation<keyof typeof FAILURES>('failure'))}
  select id from delivered union all select id from undelivered`

/** For subscribers whose attempts are stored only with their final result. */
export async function recordOutcomes(
  db: Queryable,
  accountId: AccountId,
  outcomes: readonly DeliveryOutcome[],
  now: Date,
): Promise<void> {
  const arrived = outcomes.filter(({ state }) => state === 'delivered')
  const others = outcomes.filter(({ state }) => state !== 'delivered')
  await db.query(
    composed(RECORD, [
      accountId,
      now,
      ...valuesOf(DELIVERED, {
        ids: plainArray(arrived.map(({ id }) => id)),
        leases: timeArray(arrived.map(({ leaseUntil }) => leaseUntil)),
      }),
      ...valuesOf(FAILURES, {
        id: plainArray(others.map(({ id }) => id)),
        subscriber_id: plainArray(others.map(({ subscriberId }) => subscriberId)),
        lease_until: timeArray(others.map(({ leaseUntil }) => leaseUntil)),
        due_at: timeArray(others.map(({ dueAt }) => dueAt)),
      }),
    ]),
  )
}

export interface FinishedEvent {
  subscriberId: string
  messageId: string
  sequence: number
}

/**
 * Makes the next event of each message due. Runs after the commit that finished the earlier one, not with it:
 * an event that appears in between would see the earlier one unfinished and be set aside unnoticed. Returns
 * the subscribers that now have something due.
 */
export async function wakeLaterDeliveries(
  db: Queryable,
  accountId: AccountId,
  finished: readonly FinishedEvent[],
  now: Date,
): Promise<string[]> {
  // One microsecond off, so no comparison with a previous waits_until can succeed: those are whole
  // milliseconds. Rows that are already due stay unchanged, which saves index writes.
  const rows = await db.query<{ subscriberId: string }>(sql`
    update event_deliveries d set waits_until = ${now}::timestamptz - interval '1 microsecond',
      due_at = least(d.due_at, ${now})
    where d.account_id = ${accountId} and d.state = 'pending' and d.lease_until is null
      and d.id = any (array(
        select later.id
        from unnest(${plainArray(finished.map((f) => f.subscriberId))}::text[],
          ${plainArray(finished.map((f) => f.messageId))}::text[],
          ${plainArray(finished.map((f) => f.sequence))}::smallint[]) as f (subscriber_id, message_id, sequence)
        cross join lateral (
          select q.id from event_deliveries q
          where q.account_id = ${accountId} and q.subscriber_id = f.subscriber_id
            and q.message_id = f.message_id and q.sequence > f.sequence and q.state = 'pending'
          order by q.sequence limit 1) later))
    returning d.subscriber_id as "subscriberId"`)
  return [...new Set(rows.map((row) => row.subscriberId))]
}
