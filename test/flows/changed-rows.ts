// Which rows a statement changes or removes, for tests of statements.

import type { Database, Transaction } from '../../src/kit/postgres/db.js'
import { raw, sql } from '../../src/kit/postgres/sql.js'

/** The keys of rows that are not as before, in order, and what the work answers. */
export async function changedBy<R>(
  db: Database,
  { table, key }: { table: string; key: string },
  work: (tx: Transaction) => Promise<R>,
): Promise<{ changed: string[]; result: R }> {
  const read = () =>
    db.query<{ key: string; row: string }>(sql`
      select ${raw(key)} as key, t::text as row from ${raw(table)} t order by 1, 2`)
  const before = await read()
  const result = await db.transaction(work)
  const after = new Set((await read()).map(({ row }) => row))
  return { changed: before.filter(({ row }) => !after.has(row)).map((one) => one.key), result }
}
