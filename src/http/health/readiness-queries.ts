// The readiness probe's query: whether the database responds and accepts writes, and which one it is.

import type { Queryable } from '../../kit/postgres/db.js'
import { DATABASE_IDENTITY } from '../../kit/postgres/server-queries.js'
import { sql } from '../../kit/postgres/sql.js'

interface DatabaseState {
  /** True on a standby, or if someone made it read-only. */
  isReadOnly: boolean
  identity: string
}

export async function findDatabaseState(db: Queryable): Promise<DatabaseState> {
  const [row] = await db.query<DatabaseState>(sql`
    select current_setting('transaction_read_only') = 'on' as "isReadOnly",
      ${DATABASE_IDENTITY} as identity`)
  return row!
}
