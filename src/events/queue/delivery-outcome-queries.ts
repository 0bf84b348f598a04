// The consumer side of the outbox: what becomes of a claimed delivery. Delivered, or not this time, are
// pieces of the statement that records attempts; then the next event of a message may go.

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
 * Deliveries that have arrived. `ids` and `leases` are parameters of the statement, with their types: a
 * delivery that another process has claimed since is none of these.
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
 * The same for those that have not. `due_at` is that of the next attempt, or null where every attempt is
 * used up.
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
  /** pending: to be tried again at `dueAt`. */
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

/** For subscribers of whose attempts nothing more is kept than how they ended. */
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
 * The next event of each message may go now. Comes after the commit of what finished the earlier
 * one, and not with it: an event that appears in between would see the earlier one unfinished, and
 * be set aside unseen. Returns the subscribers that have something due by this.
 */
export async function wakeLaterDeliveries(
  db: Queryable,
  accountId: AccountId,
  finished: readonly FinishedEvent[],
  now: Date,
): Promise<string[]> {
  // A microsecond off, so that no comparison with a former waits_until can succeed: these are whole
  // milliseconds. What is due already stays so: its indexes have nothing to learn.
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
