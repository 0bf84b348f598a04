// What a probe of the service asks the database: whether it answers, and takes writes.

import type { Queryable } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'

/** True on a standby, or where somebody has made it so. */
export async function isReadOnlyDatabase(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ isReadOnly: boolean }>(sql`
    select current_setting('transaction_read_only') = 'on' as "isReadOnly"`)
  return row!.isReadOnly
}
