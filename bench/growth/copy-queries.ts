// Multiplies real rows: the same messages again, some hours earlier, with all related rows. The tables and columns come
// from the catalog. An id starts with its time in base 32, so a step that is a multiple of 32⁴ ms changes only the
// first six characters after its prefix, and references between copies stay valid.

import { encodeTime } from '../../src/kit/ids.js'
import type { Database } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'

/** 32⁴ ms, 17.5 minutes: the real rows must be written within this time. */
export const UNIT_MS = 32 ** 4
const HEAD_CHARS = 6
/** Prefixes of ids to change. Ids of accounts, campaigns, and webhooks stay the same. */
const COPIED_IDS = ['msg_', 'evt_', 'dlv_', 'trf_']

type Kind = 'same' | 'id' | 'time'

export interface CopiedTable {
  name: string
  columns: readonly { name: string; kind: Kind }[]
}

/** Tables whose primary key includes the id of a message or of a related row. */
export async function findCopiedTables(db: Database): Promise<CopiedTable[]> {
  const rows = await db.query<{ name: string; column: string; type: string; is_key: boolean }>(sql`
    select c.relname::text as name, a.attname::text as column, a.atttypid::regtype::text as type,
      a.attnum = any (p.conkey) as is_key
    from pg_class c
    join pg_constraint p on p.conrelid = c.oid and p.contype = 'p'
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition
    order by c.relname, a.attnum`)
  const tables: CopiedTable[] = []
  for (const [name, columns] of grouped(rows)) {
    const kinds = await Promise.all(
      columns.map(async ({ column, type, is_key }) => ({
        name: column,
        kind: await kindOf(db, name, column, type),
        isKey: is_key,
      })),
    )
    if (kinds.some(({ kind, isKey }) => kind === 'id' && isKey))
      tables.push({ name, columns: kinds })
  }
  return tables
}

function grouped<T extends { name: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) groups.set(row.name, [...(groups.get(row.name) ?? []), row])
  return groups
}

async function kindOf(db: Database, table: string, column: string, type: string): Promise<Kind> {
  if (type.startsWith('timestamp')) return 'time'
  if (type !== 'text') return 'same'
  const text = `select left("${column}", 4) as head from "${table}" where "${column}" is not null limit 1`
  const [row] = await db.query<{ head: string }>({ name: '', text, values: [] })
  return row && COPIED_IDS.includes(row.head) ? 'id' : 'same'
}

/** Copies the real rows of a table, moved back by the given number of time units. */
export async function copyRows(
  db: Database,
  { name, columns }: CopiedTable,
  heads: readonly number[],
  units: number,
): Promise<void> {
  const idOf = (column: string) => {
    const cases = heads.map((head) => `when '${headOf(head)}' then '${headOf(head - units)}'`)
    return `left(${column}, 4) || case substr(${column}, 5, ${HEAD_CHARS}) ${cases.join(' ')} end || substr(${column}, ${5 + HEAD_CHARS})`
  }
  const values = columns.map(({ name: column, kind }) => {
    const quoted = `"${column}"`
    if (kind === 'id') return idOf(quoted)
    return kind === 'time' ? `${quoted} - $1::interval` : quoted
  })
  const list = columns.map((column) => `"${column.name}"`).join(', ')
  await db.patient.query({
    name: '',
    text: `insert into "${name}" (${list}) select ${values.join(', ')} from real."${name}"`,
    values: values.some((value) => value.includes('$1')) ? [`${units * UNIT_MS} ms`] : [],
  })
}

/**
 * Real rows are read from a separate schema, because the tables grow while they are copied. Older rows, such as the
 * first credit of an account, are not copied.
 */
export async function setRealRowsAside(
  db: Database,
  tables: readonly CopiedTable[],
  sinceMs: number,
): Promise<void> {
  await db.query({ name: '', text: 'create schema real', values: [] })
  for (const { name, columns } of tables) {
    const key = columns.find(({ kind }) => kind === 'id')!.name
    const text = `create table real."${name}" as
      select * from "${name}" where substr("${key}", 5) >= '${encodeTime(sinceMs)}' order by "${key}"`
    await db.query({ name: '', text, values: [] })
  }
}

export async function dropRealRows(db: Database): Promise<void> {
  await db.query({ name: '', text: 'drop schema real cascade', values: [] })
}

/** The time units in which the real rows were written, as the numbers that ids start with. */
export function headsBetween(fromMs: number, untilMs: number): number[] {
  const heads: number[] = []
  for (let head = Math.floor(fromMs / UNIT_MS); head <= untilMs / UNIT_MS; head += 1)
    heads.push(head)
  return heads
}

function headOf(head: number): string {
  return encodeTime(head * UNIT_MS).slice(0, HEAD_CHARS)
}
