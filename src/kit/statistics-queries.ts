// How large tables are, and the command that renews what the planner knows of them.

import type { Queryable } from './postgres/db.js'
import { sql } from './postgres/sql.js'

export interface TableSize {
  name: string
  isAnalyzed: boolean
  bytes: bigint
  rows: bigint
  /** What the planner takes that for, by its figures and the pages that there are; null where it has no figures, and guesses well. */
  plannedRows: number | null
}

/** Of a table that has partitions, these. Names that are no table's are left out. */
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

/** A table's name cannot be a value; it has to be a constant of the program, or a name of the catalogue. */
export async function analyzeTable(db: Queryable, table: string): Promise<void> {
  await db.query({ name: '', text: `analyze ${table}`, values: [] })
}
