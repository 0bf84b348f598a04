// What Citus knows about the tables, and the statements that distribute a table and undo it. Only for a
// database with the extension: otherwise its catalog does not exist.

import type { Queryable } from './db.js'
import { sql } from './sql.js'

/** Null: PostgreSQL alone. */
export async function findCitusVersion(db: Queryable): Promise<string | null> {
  const [row] = await db.query<{ version: string }>(sql`
    select extversion as version from pg_extension where extname = 'citus'`)
  return row?.version ?? null
}

/** What returns the bytes of a table. On a cluster, the workers that store the rows are queried. */
export async function findSizeFunction(db: Queryable): Promise<string> {
  return (await findCitusVersion(db)) === null ? 'pg_relation_size' : 'citus_relation_size'
}

export async function countWorkers(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from citus_get_active_worker_nodes()`)
  return row!.count
}

export interface PlacedTable {
  name: string
  /** Whether its key begins with the column. */
  isTenants: boolean
  isDistributed: boolean
  /** Tables that it references. */
  refersTo: string[]
}

/** Every table of the service. Partitions go with their tables. */
export async function listTables(db: Queryable, column: string): Promise<PlacedTable[]> {
  return db.query<PlacedTable>(sql`
    select t.relname as name, coalesce(first.attname = ${column}, false) as "isTenants",
      exists (select 1 from pg_dist_partition p where p.logicalrelid = t.oid) as "isDistributed",
      array(select r.confrelid::regclass::text from pg_constraint r
        where r.conrelid = t.oid and r.contype = 'f') as "refersTo"
    from pg_class t
    left join pg_index k on k.indrelid = t.oid and k.indisprimary
    left join pg_attribute first on first.attrelid = t.oid and first.attnum = k.indkey[0]
    where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p')
      and not t.relispartition
      and not exists (select 1 from pg_depend d where d.objid = t.oid and d.deptype = 'e')
    order by t.relname`)
}

/** With its rows. Rows with the same value of the column are on the same worker, in all tables. */
export async function distributeTable(
  db: Queryable,
  table: string,
  column: string,
  colocatedWith: string | null,
): Promise<void> {
  await db.query(sql`
    select create_distributed_table(${table}::text::regclass, ${column}::text,
      colocate_with => ${colocatedWith ?? 'none'}::text)`)
}

/** With its rows, back to the coordinator. */
export async function undistributeTable(db: Queryable, table: string): Promise<void> {
  await db.query(sql`select undistribute_table(${table}::text::regclass)`)
}
