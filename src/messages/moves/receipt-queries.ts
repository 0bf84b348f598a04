// Statements on the stray_receipts table: what a carrier said of messages that we do not know.

import { newId } from '../../kit/ids.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import { withoutBrokenUnits } from '../../text/segments.js'
import type { Receipt } from '../carrier-port.js'

/** Whatever the carrier sent, so that it can be kept: an id of any length, a code of any size. */
export async function insertStrayReceipt(
  db: Queryable,
  carrier: string,
  messageId: string,
  { status, errorCode }: Pick<Receipt, 'status' | 'errorCode'>,
  now: Date,
): Promise<void> {
  await db.query(sql`
    insert into stray_receipts (id, carrier, message_id, status, error_code, received_at)
    select ${newId('evt', now)}, ${carrier}, left(${withoutBrokenUnits(messageId)}::text, 200),
      ${status}::text, case when abs(r.code) < 1e9 then r.code::int end, ${now}::timestamptz
    from (select ${errorCode}::numeric as code) r`)
}
