// Removes the copies of message texts that deliveries keep: the request as it was sent.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/db.js'
import { sql } from '../kit/sql.js'

/** A delivery that is still to be tried keeps its request. */
export async function redactRequests(
  db: Queryable,
  accountId: AccountId,
  beforeId: string,
): Promise<number> {
  const rows = await db.query(sql`
    update event_deliveries set request_body = null
    where account_id = ${accountId} and id < ${beforeId} and state <> 'pending'
      and request_body is not null
    returning 1`)
  return rows.length
}
