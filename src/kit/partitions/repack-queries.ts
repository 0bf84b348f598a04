// Statements that copy the rows of a partition into a new table and put it in the partition's place. Tables with the
// key (account_id, id) only. Names come from the catalog and are checked before they become text.

import type { Queryable, Transaction } from '../postgres/db.js'
import { sql } from '../postgres/sql.js'
import { command, literal, type Partition, quoteName } from './partition-queries.js'

const LOCK = 7_265_013 // any constant works, if nothing else uses it
const PAGE_BYTES = 8_192
/** A row's line pointer, and its alignment on average. */
const ROW_BYTES = 8
/** Rows of a copy rarely change. */
const FILLFACTOR = 90

const copyOf = (partition: string) => `${partition}_copy`
const changesOf = (partition: string) => `${partition}_changes`
const TRIGGER = 'note_changes'
const BOUNDS = 'bounds'

/** Until the transaction ends. False if another node works on a copy. */
export async function tryLockCopies(tx: Transaction): Promise<boolean> {
  const [row] = await tx.query<{ isLocked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${LOCK}) as "isLocked"`,
  )
  return row!.isLocked
}

export interface Density {
  bytes: number
  /** What the rows would take in a copy, estimated from a sample of the pages. */
  copyBytes: number
}

export async function measureDensity(
  db: Queryable,
  partition: string,
  pagesMax: number,
): Promise<Density> {
  const [size] = await db.query<{ bytes: bigint }>(
    sql`select pg_relation_size(to_regclass(${partition})) as bytes`,
  )
  const bytes = Number(size!.bytes)
  if (bytes === 0) return { bytes, copyBytes: 0 }
  const percent = Math.min(100, (100 * pagesMax * PAGE_BYTES) / bytes)
  const [sample] = await db.query<{ bytes: bigint; rows: bigint }>(
    command(`select coalesce(sum(pg_column_size(t.*)), 0)::bigint as bytes, count(*) as rows
      from ${quoteName(partition)} t tablesample system (${percent.toFixed(6)})`),
  )
  const sampled = Number(sample!.bytes) + Number(sample!.rows) * ROW_BYTES
  return { bytes, copyBytes: (sampled / (percent / 100)) * (100 / FILLFACTOR) }
}

/** With its indexes and storage. */
export async function findTotalBytes(db: Queryable, partition: string): Promise<number> {
  const [row] = await db.query<{ bytes: bigint }>(
    sql`select pg_total_relation_size(to_regclass(${partition})) as bytes`,
  )
  return Number(row!.bytes)
}

/** Those of the list that have an unfinished copy. */
export async function listCopied(db: Queryable, partitions: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select name from unnest(${partitions}::text[]) as name
    where to_regclass(name || ${copyOf('')}) is not null`)
  return rows.map(({ name }) => name)
}

/**
 * Creates an empty copy, and records from now on which rows of the partition change. Waits for transactions that write
 * to it.
 */
export async function beginCopy(tx: Transaction, { name, from, to }: Partition): Promise<void> {
  const [copy, changes] = [quoteName(copyOf(name)), quoteName(changesOf(name))]
  const bounds = [...(from ? [`id >= ${literal(from)}`] : []), `id < ${literal(to!)}`]
  const commands = [
    // Like the partition and not its table, whose columns may be in another order.
    `create table ${copy} (like ${quoteName(name)} including all) with (fillfactor = ${FILLFACTOR})`,
    `alter table ${copy} add constraint ${quoteName(BOUNDS)} check (${bounds.join(' and ')})`,
    `create table ${changes} as select account_id, id from ${quoteName(name)} with no data`,
    `create trigger ${TRIGGER} after insert or update or delete on ${quoteName(name)}
      for each row execute function note_changed_row('${changesOf(name)}')`,
  ]
  for (const one of commands) await tx.query(command(one))
}

/** Removes an unfinished copy. The partition stays as it is. */
export async function dropCopy(tx: Transaction, partition: string): Promise<void> {
  await tx.query(command(`drop trigger if exists ${TRIGGER} on ${quoteName(partition)}`))
  await dropCopyTables(tx, partition)
}

/** Of a partition that is dropped. */
export async function dropCopyTables(tx: Transaction, partition: string): Promise<void> {
  const [copy, changes] = [quoteName(copyOf(partition)), quoteName(changesOf(partition))]
  await tx.query(command(`drop table if exists ${copy}, ${changes}`))
}

/** False if a migration changed the table after the copy was begun. */
export async function isAlike(db: Queryable, table: string, partition: string): Promise<boolean> {
  const rows = await db.query<{ columns: string; indexes: number }>(sql`
    select (select string_agg(a.attname || ' ' || a.atttypid::text || ' ' || a.attnotnull, ',' order by a.attname)
        from pg_attribute a where a.attrelid = name::regclass and a.attnum > 0 and not a.attisdropped) as columns,
      (select count(*)::int from pg_index i where i.indrelid = name::regclass) as indexes
    from unnest(${[table, copyOf(partition)]}::text[]) as name`)
  return rows[0]!.columns === rows[1]!.columns && rows[0]!.indexes === rows[1]!.indexes
}

/**
 * Copies the next rows in the order of their keys, and returns their number. A row that changes afterwards is in the
 * list of changes.
 */
export async function copyRows(tx: Transaction, partition: string, limit: number): Promise<number> {
  const copy = quoteName(copyOf(partition))
  const [last] = await tx.query<{ accountId: string; id: string }>(
    command(
      `select account_id as "accountId", id from ${copy} order by account_id desc, id desc limit 1`,
    ),
  )
  const text = `with copied as (
      insert into ${copy} select * from ${quoteName(partition)}
      where (account_id, id) > ($1::text, $2::text) order by account_id, id limit ${limit}
      returning 1)
    select count(*)::int as count from copied`
  const values = [last?.accountId ?? '', last?.id ?? '']
  const [row] = await tx.query<{ count: number }>({ name: '', text, values })
  return row!.count
}

/** Copies rows again that changed since, and returns the number of changes. */
export async function copyChanges(
  tx: Transaction,
  partition: string,
  limit: number,
): Promise<number> {
  const [copy, changes] = [quoteName(copyOf(partition)), quoteName(changesOf(partition))]
  const rows = await tx.query<{ accountId: string; id: string }>(
    command(`delete from ${changes} where ctid = any (array(select ctid from ${changes} limit ${limit}))
      returning account_id as "accountId", id`),
  )
  if (rows.length === 0) return 0
  const keys = [rows.map((row) => row.accountId), rows.map((row) => row.id)]
  const among = `(account_id, id) in (select * from unnest($1::text[], $2::text[]))`
  // Each statement sees what was committed before it. A later change is in the list again.
  await tx.query({ name: '', text: `delete from ${copy} where ${among}`, values: keys })
  const insert = `insert into ${copy} select * from ${quoteName(partition)} where ${among}`
  await tx.query({ name: '', text: insert, values: keys })
  return rows.length
}

/** Nobody reads or writes the table until the transaction ends. */
export async function lockTable(tx: Transaction, table: string): Promise<void> {
  await tx.query(command(`lock table ${quoteName(table)} in access exclusive mode`))
}

/** Under the lock. The copy has all rows by now, and a constraint that spares PostgreSQL a scan. */
export async function swapCopy(
  tx: Transaction,
  table: string,
  { name, from, to }: Partition,
): Promise<void> {
  const [parent, own, copy] = [table, name, copyOf(name)].map(quoteName) as [string, string, string]
  const range = `for values from (${from ? literal(from) : 'minvalue'}) to (${literal(to!)})`
  const commands = [
    `alter table ${parent} detach partition ${own}`,
    `drop table ${own}`,
    `drop table ${quoteName(changesOf(name))}`,
    `alter table ${copy} rename to ${own}`,
    `alter table ${parent} attach partition ${own} ${range}`,
    `alter table ${own} drop constraint ${quoteName(BOUNDS)}`,
  ]
  for (const one of commands) await tx.query(command(one))
}

/** Statistics, so that plans are right from the first statement on. */
export async function analyzeCopy(db: Queryable, partition: string): Promise<void> {
  await db.query(command(`analyze ${quoteName(copyOf(partition))}`))
}
