// Keeps the planner's statistics in step with tables that are small and grow. Statements are planned
// once per connection; autovacuum looks once a minute, and a service that starts empty can write a
// hundred thousand rows in that time, all of them by plans that were made for none. New statistics
// make PostgreSQL plan anew.

import type { Queryable } from './postgres/db.js'
import { sql } from './postgres/sql.js'
import type { Loop } from './worker-loop.js'
import type { World } from './world.js'

const GROWTH = 4
const BYTES_MIN = 64 * 1024
/** Beyond this a table is no longer small, and autovacuum does well by itself. */
const BYTES_MAX = 4 * 1024 * 1024 * 1024

interface TableSize {
  name: string
  isAnalyzed: boolean
  bytes: bigint
}

export function plannerStatisticsLoop({ db, log }: World, tables: readonly string[]): Loop {
  const analyzedBytes = new Map<string, number>()
  return {
    name: 'planner statistics',
    idleMs: 2_000,
    onError: (error) => log.warn({ err: error }, 'refreshing statistics failed'),
    step: async () => {
      for (const { name, isAnalyzed, bytes } of await findSizes(db, tables)) {
        const size = Number(bytes)
        const last = analyzedBytes.get(name) ?? (isAnalyzed ? size : 0)
        const hasGrown = size >= BYTES_MIN && size <= BYTES_MAX && size >= last * GROWTH
        if (hasGrown && size > last) await analyze(db.patient, name)
        analyzedBytes.set(name, hasGrown ? size : last)
      }
      return 0
    },
  }
}

async function findSizes(db: Queryable, tables: readonly string[]): Promise<TableSize[]> {
  return db.query<TableSize>(sql`
    select relname as name, reltuples > 0 as "isAnalyzed", pg_relation_size(oid) as bytes
    from pg_class where relkind = 'r' and oid = any (
      select to_regclass(name) from unnest(${tables}::text[]) as name)`)
}

// A table's name cannot be a value; these are constants of the program.
async function analyze(db: Queryable, table: string): Promise<void> {
  await db.query({ name: '', text: `analyze ${table}`, values: [] })
}
