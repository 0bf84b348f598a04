// Removes the copies of message texts in deliveries: the sent request, with its signatures.

import type { AccountId } from '../accounts/account.js'
import { redactDeliveredEvents } from '../events/queue/delivered-event-queries.js'
import type { Queryable } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

/** A delivery with attempts left keeps its request, because every attempt sends the same. */
export async function redactRequests(
  db: Queryable,
  accountId: AccountId,
  beforeId: string,
): Promise<number> {
  const rows = await db.query(sql`
    update webhook_attempts a set request_body = null, request_head = null
    where account_id = ${accountId} and delivery_id < ${beforeId}
      and (request_body is not null or request_head is not null)
      and not exists (select 1 from event_deliveries d
        where d.account_id = ${accountId} and d.id = a.delivery_id and d.state = 'pending')
    returning 1`)
  return rows.length + (await redactDeliveredEvents(db, accountId, beforeId))
}
