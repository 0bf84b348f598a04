// A read across all accounts, as text that one worker can run alone: the same statement over its shards, one
// after the other, with the values in the text and the rows as JSON.

import type { Across, Statement } from '../sql.js'

/** Colocated shards: the name of each by its table. */
export type ShardGroup = ReadonlyMap<string, string>

/** Shard names replace table names: `lanes` becomes `lanes_102008`. */
export function shardCommand(
  { across, ...whole }: Statement,
  groups: readonly ShardGroup[],
): string {
  const { text, values } = across?.atEach ?? whole
  const inlined = text.replaceAll(/\$(\d+)/g, (_, n: string) => literal(values[Number(n) - 1]))
  const words = new Set(text.match(/\w+/g))
  const reads = groups.flatMap((group) => {
    const parts = [...group]
      .filter(([table]) => words.has(table))
      .map(([table, part]) => `${table} as not materialized (table public.${part})`)
    // Tables with another distribution key do not concern this statement.
    return parts.length === 0
      ? []
      : `(with ${parts.join(', ')} select * from (${inlined}) as asked)`
  })
  const row = exactRow(across?.bigints ?? [])
  return `select coalesce(json_agg(${row}), '[]') from (${reads.join(' union all ')}) as row`
}

/** JSON numbers are not exact beyond 2^53, so these columns are text. */
function exactRow(bigints: readonly string[]): string {
  if (bigints.length === 0) return 'row'
  const texts = bigints.map((name) => `'${name}', row."${name}"::text`)
  return `to_jsonb(row) || jsonb_build_object(${texts.join(', ')})`
}

/** A value as text that PostgreSQL cannot misread. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'bigint') return `(${value})`
  if (typeof value === 'boolean') return String(value)
  if (value instanceof Date) return quoted(value.toISOString())
  if (Array.isArray(value)) return quoted(`{${value.map(element).join(',')}}`)
  if (typeof value === 'string') return quoted(value)
  throw new TypeError(`a ${typeof value} cannot be part of a statement's text`)
}

function element(value: unknown): string {
  if (value === null) return 'NULL'
  const text = value instanceof Date ? value.toISOString() : String(value)
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

function quoted(text: string): string {
  const escaped = text.replaceAll("'", "''")
  return escaped.includes('\\') ? ` E'${escaped.replaceAll('\\', '\\\\')}'` : `'${escaped}'`
}

/** Merges the rows of several workers, as if one had returned them. */
export function combineAnswers<Row extends object>(
  answers: readonly string[],
  { order = [], isDescending = false, limit, skip = 0, times = [], bigints = [], combine }: Across,
): Row[] {
  const rows = answers.flatMap((answer) => JSON.parse(answer) as Record<string, unknown>[])
  for (const row of rows) {
    for (const name of times) if (row[name] !== null) row[name] = new Date(row[name] as string)
    for (const name of bigints) if (row[name] !== null) row[name] = BigInt(row[name] as string)
  }
  if (combine) return combine(rows) as Row[]
  rows.sort((a, b) => (isDescending ? compareBy(order, b, a) : compareBy(order, a, b)))
  return (limit === undefined ? rows : rows.slice(skip, skip + limit)) as Row[]
}

function compareBy(
  order: readonly string[],
  a: Record<string, unknown>,
  b: Record<string, unknown>,
): number {
  for (const name of order) {
    const [left, right] = [a[name] as string, b[name] as string]
    if (left < right) return -1
    if (left > right) return 1
  }
  return 0
}
