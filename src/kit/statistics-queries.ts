// The sizes of tables, and the command that refreshes the planner's statistics.

import type { Queryable } from './postgres/db.js'
import { sql } from './postgres/sql.js'

export interface TableSize {
  name: string
  isAnalyzed: boolean
  bytes: bigint
  rows: bigint
  /**
   * The planner's estimate, from its statistics and the number of pages; null if it has none, and guesses
   * well.
   */
  plannedRows: number | null
}

/** For a partitioned table, its partitions. Unknown names are left out. */
export async function findTableSizes(
  db: Queryable,
  tables: readonly string[],
): Promise<TableSize[]> {
  return db.query<TableSize>(sql`
    select relname as name, reltuples > 0 as "isAnalyzed", pg_relation_size(oid) as bytes,
      pg_stat_get_live_tuples(oid) as rows,
      case when relpages > 0 and reltuples >= 0 then
        reltuples::float8 / relpages * pg_relation_size(oid) / current_setting('block_size')::int
      end as "plannedRows"
    from pg_class where relkind = 'r' and oid in (
      select coalesce(i.inhrelid, to_regclass(name)) from unnest(${tables}::text[]) as name
      left join pg_inherits i on i.inhparent = to_regclass(name))`)
}

/**
 * A table's name cannot be a query parameter. It must be a constant of the program, or a name from the
 * catalog.
 */
export async function analyzeTable(db: Queryable, table: string): Promise<void> {
  await db.query({ name: '', text: `analyze ${table}`, values: [] })
}
