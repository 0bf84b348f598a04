// Statements that are put together from pieces of several rooms, and what the pieces agree on, stated once:
// the account is $1, the time is $2 where a piece asks for it, and everything else that a piece reads is a
// relation of the statement that holds it, with the columns that the piece's type names.

import { nameOf, type Statement } from './sql.js'

/** The first parameter that a statement has to itself. */
export const OWN_FROM = 3

/** A relation of the statement around a piece, such as one of its `with`, that has at least these columns. */
export interface Relation<Column extends string> {
  readonly name: string
  /** Nothing at run time: one with more columns will do, one with fewer does not compile. */
  readonly columns?: Readonly<Record<Column, true>>
}

export function relation<Column extends string>(name: string): Relation<Column> {
  return { name }
}

/** What a select or a returning gives, by the names that its reader knows: `stem || 'zz' as refund_id`. */
export function listed(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, value]) => `${value} as ${name}`)
    .join(',\n      ')
}

/** Names of parameters, or of columns that come as arrays, and their types, in the order of both. */
export type Types<Name extends string> = Readonly<Record<Name, string>>

/** How a statement writes its parameters, each with its type: `$3::text[]`. */
export function parametersOf<Name extends string>(
  types: Types<Name>,
  first = OWN_FROM,
): Record<Name, string> {
  const entries = Object.entries<string>(types)
  return Object.fromEntries(
    entries.map(([name, type], i) => [name, `$${first + i}::${type}`]),
  ) as Record<Name, string>
}

/** Parameters that are arrays, as a relation: `unnest($3::text[], …) as t (id, …)`, and the ordinal last. */
export function unnested(
  arrays: Readonly<Record<string, string>>,
  alias: string,
  ordinal: string | null = null,
): string {
  const [suffix, last] = ordinal === null ? ['', ''] : [' with ordinality', `, ${ordinal}`]
  const names = Object.keys(arrays).join(', ')
  return `unnest(${Object.values(arrays).join(', ')})${suffix} as ${alias} (${names}${last})`
}

/** Their values, in the same order. None can be missing: that would not compile. */
export function valuesOf<Name extends string>(
  types: Types<Name>,
  values: Readonly<Record<Name, unknown>>,
): unknown[] {
  return Object.keys(types).map((name) => values[name as Name])
}

/** The text is put together once, when the program starts; here come the values of one call. */
export function composed(text: string, values: unknown[]): Statement {
  return { name: nameOf(text), text, values }
}
