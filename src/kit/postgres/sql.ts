// SQL text with its values, written as a template: sql`select … where id = ${id}`. Values never
// become part of the text; a fragment (`raw`) does, so only constants of the program may be fragments.

import { channel } from 'node:diagnostics_channel'

export interface Statement {
  /** Named statements are prepared once per connection. */
  name: string
  text: string
  values: unknown[]
  /** Of a plain read over all accounts, which goes on where some of them cannot be read: see workers/. */
  across?: Across
}

/** How what several machines answer becomes one answer. */
export interface Across {
  /** Columns, the first the most significant; ascending, unless it says otherwise, as the statement's own order is. */
  order?: readonly string[]
  isDescending?: boolean
  limit?: number
  /** Rows to be passed over; each place is then asked by `atEach`, which passes over none. */
  skip?: number
  atEach?: Statement
  /** Columns that are times. */
  times?: readonly string[]
  /** Columns that are bigint. */
  bigints?: readonly string[]
  /** It names one record: where it is not found, it may lie where nobody can look. */
  isOne?: boolean
  /** For sums: one row from each place becomes as few as the statement would have answered. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of whichever statement it belongs to
  combine?: (rows: any[]) => object[]
}

class Fragment {
  constructor(readonly text: string) {}
}

class Piece {
  constructor(
    readonly texts: readonly string[],
    readonly inserts: readonly unknown[],
  ) {}
}

const names = new Map<string, string>()
/** Tells whoever listens (the tests do) of each text when it is first made. */
const firstTexts = channel('longcode.statement')

/** Text that becomes part of the statement as it is. */
export function raw(text: string): Fragment {
  return new Fragment(text)
}

/** In place of a condition that is not asked for. */
export const NOTHING = new Fragment('')

/** A piece of a statement with values of its own: piece`peer = ${peer}`. */
export function piece(texts: TemplateStringsArray, ...inserts: unknown[]): Piece {
  return new Piece(texts, inserts)
}

export function sql(texts: TemplateStringsArray, ...inserts: unknown[]): Statement {
  const values: unknown[] = []
  const text = assemble(texts, inserts, values)
  return { name: nameOf(text), text, values }
}

function assemble(
  texts: readonly string[],
  inserts: readonly unknown[],
  values: unknown[],
): string {
  let text = texts[0]!
  inserts.forEach((insert, i) => {
    if (insert instanceof Fragment) text += insert.text
    else if (insert instanceof Piece) text += assemble(insert.texts, insert.inserts, values)
    else text += `$${values.push(insert)}`
    text += texts[i + 1]!
  })
  return text
}

// The same text always has the same name; the number of texts is bounded by the program's source.
export function nameOf(text: string): string {
  let name = names.get(text)
  if (!name) {
    name = `s${names.size + 1}`
    names.set(text, name)
    if (firstTexts.hasSubscribers) firstTexts.publish(text)
  }
  return name
}

/** A plain read over all accounts: what lies on a machine that is away is left out of it. */
export function acrossAccounts(statement: Statement, across: Across = {}): Statement {
  return { ...statement, across }
}

/** A page of a list over all accounts, and one row more, which says whether there are others. */
export function pageAcross(
  statementOf: (limit: number, skip: number) => Statement,
  { limit, skip }: { limit: number; skip: number },
  across: Across,
): Statement {
  const atEach = statementOf(skip + limit + 1, 0)
  return acrossAccounts(statementOf(limit + 1, skip), { ...across, limit: limit + 1, skip, atEach })
}

/** To be planned for its values at every call: where they differ so much that no plan serves all. */
export function unprepared(statement: Statement): Statement {
  return { ...statement, name: '' }
}
