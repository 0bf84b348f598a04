// The readiness probe's query: whether the database responds and accepts writes.

import type { Queryable } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'

/** True on a standby, or if someone made it read-only. */
export async function isReadOnlyDatabase(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ isReadOnly: boolean }>(sql`
    select current_setting('transaction_read_only') = 'on' as "isReadOnly"`)
  return row!.isReadOnly
}
