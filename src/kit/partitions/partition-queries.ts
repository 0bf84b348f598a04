// What the catalog knows about the partitions of a table, and the commands that create and drop them. Nothing
// here names a column or an index: a partition has those of its table, and the storage parameters of the one
// before it. Names and bounds cannot be query parameters. They come from the program and the catalog, and are
// checked before they become text.

import type { Queryable, Transaction } from '../postgres/db.js'
import { findSizeFunction } from '../postgres/distribution-queries.js'
import { raw, sql } from '../postgres/sql.js'

const LOCK = 7_265_012 // any constant works, if nothing else uses it

export interface Partition {
  name: string
  /** The first ID that it may contain; null: any. */
  from: string | null
  /** The first ID that it may not contain; null: it is open-ended. */
  to: string | null
  /** As in `with (…)`; null if there are none. */
  options: string | null
  /** A bound was set, but the partition is not split there yet. */
  hasBound: boolean
}

/** In order of their bounds. Empty if a table has no partitions or does not exist. */
export async function listPartitions(db: Queryable, table: string): Promise<Partition[]> {
  const rows = await db.query<Omit<Partition, 'from' | 'to'> & { bound: string }>(sql`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound,
      array_to_string(c.reloptions, ', ') as options,
      exists (select from pg_constraint k where k.conrelid = c.oid and k.conname = ${BOUND}) as "hasBound"
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${table})`)
  return rows
    .map(({ bound, ...rest }) => ({ ...rest, ...readBound(bound) }))
    .sort((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1))
}

/** Without their indexes, by name. */
export async function findBytes(
  db: Queryable,
  partitions: readonly string[],
): Promise<Map<string, number>> {
  const size = await findSizeFunction(db)
  const rows = await db.query<{ name: string; bytes: bigint }>(sql`
    select name, ${raw(size)}(name::regclass) as bytes from unnest(${partitions}::text[]) as name`)
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

const BOUND = 'until'

/** "FOR VALUES FROM ('msg_01m…') TO (MAXVALUE)" */
function readBound(text: string): Pick<Partition, 'from' | 'to'> {
  const [from, to] = [...text.matchAll(/\((?:'(\w+)'|MINVALUE|MAXVALUE)\)/g)].map(
    ([, id]) => id ?? null,
  )
  if (from === undefined || to === undefined) throw new RangeError(`no bounds: ${text}`)
  return { from, to }
}

/** Until the transaction ends: one node at a time. */
export async function lockPartitions(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${LOCK})`)
}

export async function hasRows(db: Queryable, partition: string): Promise<boolean> {
  const rows = await db.query(command(`select 1 from ${quoteName(partition)} limit 1`))
  return rows.length > 0
}

/**
 * From now on, no other rows are accepted. `validateBound` checks existing rows while others keep writing.
 */
export async function addBound(tx: Transaction, table: string, partition: string, before: string) {
  const [row] = await tx.query<{ column: string }>(sql`
    select a.attname as column from pg_partitioned_table p
    join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
    where p.partrelid = to_regclass(${table})`)
  const check = `check (${quoteName(row!.column)} < ${literal(before)}) not valid`
  await tx.query(
    command(`alter table ${quoteName(partition)} add constraint ${quoteName(BOUND)} ${check}`),
  )
}

export async function validateBound(db: Queryable, partition: string): Promise<void> {
  await db.query(
    command(`alter table ${quoteName(partition)} validate constraint ${quoteName(BOUND)}`),
  )
}

export async function dropBound(db: Queryable, partition: string): Promise<void> {
  await db.query(
    command(`alter table ${quoteName(partition)} drop constraint if exists ${quoteName(BOUND)}`),
  )
}

/**
 * The open-ended partition ends here, and a new one begins. Reads and writes of the table are blocked
 * meanwhile: for milliseconds, if the bound is validated or the partition is empty.
 */
export async function cutPartition(
  tx: Transaction,
  table: string,
  { name, from, options }: Partition,
  { at, newName }: { at: string; newName: string },
): Promise<void> {
  const values = (a: string | null, b: string | null) =>
    `for values from (${a ? literal(a) : 'minvalue'}) to (${b ? literal(b) : 'maxvalue'})`
  await tx.query(command(`lock table ${quoteName(table)} in access exclusive mode`))
  await tx.query(command(`alter table ${quoteName(table)} detach partition ${quoteName(name)}`))
  await tx.query(
    command(
      `alter table ${quoteName(table)} attach partition ${quoteName(name)} ${values(from, at)}`,
    ),
  )
  await dropBound(tx, name)
  const created = `create table ${quoteName(newName)} partition of ${quoteName(table)} ${values(at, null)}`
  await tx.query(command(`${created}${options ? ` with (${options})` : ''}`))
}

export async function dropPartition(tx: Transaction, partition: string): Promise<void> {
  await tx.query(command(`drop table if exists ${quoteName(partition)}`))
}

export function command(text: string) {
  return { name: '', text, values: [] }
}

export function quoteName(name: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new RangeError(`invalid name: ${name}`)
  return `"${name}"`
}

export function literal(id: string): string {
  if (!/^\w+$/.test(id)) throw new RangeError(`not an id: ${id}`)
  return `'${id}'`
}
