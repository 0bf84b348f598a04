// Statements composed of pieces from several modules, and the conventions of the pieces: the account is $1,
// the time is $2 if a piece needs it, and everything else that a piece reads is a relation of the surrounding
// statement, with the columns in the piece's type.

import { nameOf, type Statement } from './sql.js'

/** The first parameter that a statement can use freely. */
export const OWN_FROM = 3

/** A relation of the surrounding statement, such as one of its `with`, that has at least these columns. */
export interface Relation<Column extends string> {
  readonly name: string
  /** No effect at run time: a relation with more columns is fine, one with fewer does not compile. */
  readonly columns?: Readonly<Record<Column, true>>
}

export function relation<Column extends string>(name: string): Relation<Column> {
  return { name }
}

/** The columns of a select or a returning, by the names that its reader uses: `stem || 'zz' as refund_id`. */
export function listed(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, value]) => `${value} as ${name}`)
    .join(',\n      ')
}

/** Names of parameters, or of columns that come as arrays, and their types, in the same order. */
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

/** Array parameters as a relation: `unnest($3::text[], …) as t (id, …)`, with the ordinal last. */
export function unnested(
  arrays: Readonly<Record<string, string>>,
  alias: string,
  ordinal: string | null = null,
): string {
  const [suffix, last] = ordinal === null ? ['', ''] : [' with ordinality', `, ${ordinal}`]
  const names = Object.keys(arrays).join(', ')
  return `unnest(${Object.values(arrays).join(', ')})${suffix} as ${alias} (${names}${last})`
}

/** Their values, in the same order. A missing one does not compile. */
export function valuesOf<Name extends string>(
  types: Types<Name>,
  values: Readonly<Record<Name, unknown>>,
): unknown[] {
  return Object.keys(types).map((name) => values[name as Name])
}

/** The text is built once, when the program starts. This adds the values of one execution. */
export function composed(text: string, values: unknown[]): Statement {
  return { name: nameOf(text), text, values }
}
