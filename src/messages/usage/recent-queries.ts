// Outcomes of the messages accepted in the last minutes, across all accounts, for monitoring. Reads only the end of
// each account's primary key, and a bounded number in total.

import { LIVING_ACCOUNTS } from '../../accounts/account-queries.js'
import { idFloor } from '../../kit/ids.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { acrossAccounts, sql } from '../../kit/postgres/sql.js'
import type { Route } from '../lane.js'
import type { Status } from '../message-state.js'

export interface RecentCount {
  /** The minute in which they were accepted. */
  minute: Date
  route: Route
  status: Status
  errorCode: number | null
  count: number
}

export async function countRecent(
  db: Queryable,
  since: Date,
  limit: number,
): Promise<RecentCount[]> {
  const floor = idFloor('msg', since)
  const statement = sql`
    select date_trunc('minute', created_at) as minute, route, status, error_code as "errorCode",
      count(*)::int as count
    from (
      select m.created_at, m.route, m.status, m.error_code
      from ${LIVING_ACCOUNTS} a
      cross join lateral (
        select created_at, route, status, error_code from messages
        where account_id = a.account_id and id >= ${floor} and direction = 'OUTBOUND'
        order by id desc limit ${limit}
      ) m limit ${limit}
    ) recent
    group by 1, 2, 3, 4 order by 1`
  return db.query<RecentCount>(acrossAccounts(statement, { order: ['minute'], times: ['minute'] }))
}
