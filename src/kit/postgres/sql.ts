// SQL text with its values, written as a template: sql`select … where id = ${id}`. Values never become part
// of the text. A fragment (`raw`) does, so only constants of the program may be fragments.

import { channel } from 'node:diagnostics_channel'

export interface Statement {
  /** Named statements are prepared once per connection. */
  name: string
  text: string
  values: unknown[]
  /** For a plain read across all accounts, which continues if some of them cannot be read: see workers/. */
  across?: Across
}

/** How the results of several workers are merged. */
export interface Across {
  /** Columns, most significant first; ascending by default, like the order of the statement. */
  order?: readonly string[]
  isDescending?: boolean
  limit?: number
  /** Rows to skip. Each worker then runs `atEach`, which skips none. */
  skip?: number
  atEach?: Statement
  /** Columns that are times. */
  times?: readonly string[]
  /** Columns that are bigint. */
  bigints?: readonly string[]
  /** It selects one record: if it is not found, it may be on a worker that cannot be reached. */
  isOne?: boolean
  /** For sums: merges one row per worker into what the whole statement would have returned. */
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
/** Reports each text when it is first built (for tests). */
const firstTexts = channel('longcode.statement')

/** Text that becomes part of the statement unchanged. */
export function raw(text: string): Fragment {
  return new Fragment(text)
}

/** Replaces a condition that is not needed. */
export const NOTHING = new Fragment('')

/** Part of a statement with its own values: piece`peer = ${peer}`. */
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

// The same text always has the same name. The program's source bounds the number of texts.
export function nameOf(text: string): string {
  let name = names.get(text)
  if (!name) {
    name = `s${names.size + 1}`
    names.set(text, name)
    if (firstTexts.hasSubscribers) firstTexts.publish(text)
  }
  return name
}

/** A plain read across all accounts. Accounts on a worker that is down are left out. */
export function acrossAccounts(statement: Statement, across: Across = {}): Statement {
  return { ...statement, across }
}

/** A count across all accounts, of a statement that returns one row with `count`. */
export function countAcross(statement: Statement): Statement {
  const combine = (rows: { count: number }[]) => [
    { count: rows.reduce((sum, { count }) => sum + count, 0) },
  ]
  return acrossAccounts(statement, { combine })
}

/** A page of a list across all accounts, and one more row, which shows whether others follow. */
export function pageAcross(
  statementOf: (limit: number, skip: number) => Statement,
  { limit, skip }: { limit: number; skip: number },
  across: Across,
): Statement {
  const atEach = statementOf(skip + limit + 1, 0)
  return acrossAccounts(statementOf(limit + 1, skip), { ...across, limit: limit + 1, skip, atEach })
}

/** Planned for its values at every execution: they differ so much that no plan serves all. */
export function unprepared(statement: Statement): Statement {
  return { ...statement, name: '' }
}
