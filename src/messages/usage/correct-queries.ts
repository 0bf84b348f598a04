// Compares counters with messages: each hour is compared once, well after it ended, and corrected if needed. Doctor
// compares without correcting. Also fills the counters of an account with messages from before they existed.

import type { AccountId } from '../../accounts/account.js'
import { ownRow } from '../../accounts/account-queries.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { piece, raw, sql } from '../../kit/postgres/sql.js'
import { CARRIER, HOUR, SIGNED_CHANGES, STEP } from '../moves/counter-queries.js'
import { CHANGED_SUMS, countPieces, IS_OPEN, messageFloor } from './sum-queries.js'

const DIFFERENCES = raw(
  '((select count(*) from c) + (select count(*) from t) + (select count(*) from s))::int',
)

/** Counters of a range of hours against its messages: what must be added to correct them. */
function differencePieces(accountId: AccountId, from: Date, until: Date, hasTotals: boolean) {
  const ofMessages = piece`m.account_id = ${accountId} and m.id >= ${messageFloor(from)}
        and m.id < ${messageFloor(until)}`
  const ofHours = piece`m.account_id = ${accountId} and m.unit = 'hour' and m.start >= ${from}
        and m.start < ${until}`
  const ofChanges = piece`m.account_id = ${accountId} and m.message_id >= ${messageFloor(from)}
        and m.message_id < ${messageFloor(until)}`
  return piece`real as materialized (
      select ${raw(HOUR)} as start, m.campaign_id, ${raw(CARRIER)} as carrier, m.direction, m.status,
        coalesce(m.error_code, 0) as error_code, ${raw(STEP)} as step, count(*) as count,
        sum(m.num_segments) as segments,
        coalesce(sum(m.price_micros) filter (where not m.is_refunded), 0) as cost
      from messages m where ${ofMessages}
      group by 1, 2, 3, 4, 5, 6, 7
    ), c as materialized (
      select start, campaign_id, carrier, direction, status, error_code, step, sum(count) as count
      from (
        select start, campaign_id, carrier, direction, status, error_code, step, count from real
        union all
        select start, campaign_id, carrier, direction, status, error_code, step, -count
        from usage_counts m where ${ofHours}
        union all
        select m.start, m.campaign_id, m.carrier, m.direction, c.status, c.error_code, c.step, -c.count
        from usage_changes m ${raw(SIGNED_CHANGES)} where ${ofChanges} and c.status is not null
      ) parts
      group by 1, 2, 3, 4, 5, 6, 7 having sum(count) <> 0
    ), t as materialized (
      select start, campaign_id, carrier, direction, status, error_code, sum(count) as count
      from (
        select start, campaign_id, carrier, direction, status, error_code, count from real
        union all
        select start, campaign_id, carrier, direction, status, error_code, -count
        from usage_totals m where ${ofHours}
        union all
        select m.start, m.campaign_id, m.carrier, m.direction, c.status, c.error_code, -c.count
        from usage_changes m ${raw(SIGNED_CHANGES)} where ${ofChanges} and c.status is not null
      ) parts
      where ${hasTotals}::boolean
      group by 1, 2, 3, 4, 5, 6 having sum(count) <> 0
    ), s as materialized (
      select start, campaign_id, sum(messages) as messages, sum(segments) as segments, sum(cost) as cost
      from (
        select start, campaign_id, count as messages, segments, cost from real
        where direction = 'OUTBOUND'
        union all
        select start, campaign_id, -messages, -segments, -cost_micros from usage_sums m where ${ofHours}
        union all
        select start, campaign_id, -messages, -segments, -cost from (
          select m.start, m.campaign_id, ${CHANGED_SUMS} from usage_changes m where ${ofChanges}) changes
      ) parts
      group by 1, 2 having sum(messages) <> 0 or sum(segments) <> 0 or sum(cost) <> 0
    )`
}

/** How many counters of a range of hours differ from a count of its messages. */
export async function countDifferences(
  db: Queryable,
  accountId: AccountId,
  from: Date,
  until: Date,
  hasTotals: boolean,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    with ${differencePieces(accountId, from, until, hasTotals)}
    select ${DIFFERENCES} as count`)
  return row!.count
}

/**
 * Corrects the counters of a range of hours to match its messages, and returns how many were wrong. One statement,
 * so one snapshot: changes that it does not see belong to moves that it does not see either. Under the lock.
 */
export async function correctCounts(
  tx: Transaction,
  accountId: AccountId,
  from: Date,
  until: Date,
  hasTotals: boolean,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    with ${differencePieces(accountId, from, until, hasTotals)}, ${countPieces(accountId, hasTotals)}, done as (
      update usage_progress set summed_until = ${until} where account_id = ${accountId}
    )
    select ${DIFFERENCES} as count`)
  return row!.count
}

/** What open_counts should have before the changes are added. Reads all messages of an account. */
export async function countOpen(tx: Transaction, accountId: AccountId): Promise<void> {
  await tx.query(sql`
    with c as (
      select campaign_id, route, status, count(*) as count from messages
      where account_id = ${accountId} and ${raw(IS_OPEN)} group by 1, 2, 3
      union all
      select m.campaign_id, m.route, c.status, -c.count
      from usage_changes m ${raw(SIGNED_CHANGES)}
      where m.account_id = ${accountId} and m.route is not null and ${raw(`c.${IS_OPEN}`)}
    ), opened as (
      insert into open_counts (account_id, campaign_id, route, status, count)
      select own.account_id, campaign_id, route, status, sum(count)
      from c cross join ${ownRow(accountId)} group by 1, 2, 3, 4 having sum(count) <> 0
    )
    update usage_progress set is_open_counted = true where account_id = ${accountId}`)
}

/** Totals from the counters with steps. Reads all counters of an account. */
export async function fillTotals(tx: Transaction, accountId: AccountId): Promise<void> {
  await tx.query(sql`delete from usage_totals where account_id = ${accountId}`)
  await tx.query(sql`
    insert into usage_totals
      (account_id, unit, start, campaign_id, carrier, direction, status, error_code, count)
    select account_id, unit, start, campaign_id, carrier, direction, status, error_code, sum(count)
    from usage_counts where account_id = ${accountId}
    group by 1, 2, 3, 4, 5, 6, 7, 8 having sum(count) <> 0`)
  await tx.query(sql`update usage_progress set has_totals = true where account_id = ${accountId}`)
}
