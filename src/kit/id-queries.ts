// Ids that statements make out of other ids, and take apart, beside ids.ts, which says what an id is made of.
// An id that follows from others is the same however often a statement is repeated.

import { COUNTER_CHARS, ID_LENGTH, type IdPrefix, MOMENT_LENGTH, PREFIX_CHARS } from './ids.js'

/** The last characters of an id that `idOfStem` gives: what tells one record's ids of a moment apart. */
const SUFFIX_CHARS = 2

// Of an id, from its underscore on: as far as the counter, and what comes after that.
const HEAD_CHARS = MOMENT_LENGTH - PREFIX_CHARS + COUNTER_CHARS
const TAIL_CHARS = PREFIX_CHARS + 1 + ID_LENGTH - MOMENT_LENGTH - COUNTER_CHARS

/** The same id under another prefix: for the one record that comes with another one. */
export function idWithPrefix(prefix: IdPrefix, id: string): string {
  return `'${prefix}' || substr(${id}, ${PREFIX_CHARS + 1})`
}

/** One id for each pair: it sorts by the time of the first, and the second tells it from its siblings. */
export function idOfPair(prefix: IdPrefix, id: string, other: string): string {
  const head = `substr(${id}, ${PREFIX_CHARS + 1}, ${HEAD_CHARS})`
  return `'${prefix}' || ${head} || substr(md5(${id} || ${other}), 1, ${TAIL_CHARS})`
}

/** What the ids have in common that a record gives rise to at another moment, as `encodeTime` writes it. */
export function stemOf(moment: string, id: string): string {
  const rest = ID_LENGTH + PREFIX_CHARS + 1 - MOMENT_LENGTH - SUFFIX_CHARS
  return `${moment} || substr(${id}, ${MOMENT_LENGTH + 1}, ${rest})`
}

/** The suffix has two characters, as SQL. */
export function idOfStem(prefix: IdPrefix, stem: string, suffix: string): string {
  return `'${prefix}_' || ${stem} || ${suffix}`
}

/** A number as a suffix; it has to be below a hundred. */
export function suffixOf(number: string): string {
  return `lpad(${number}::text, ${SUFFIX_CHARS}, '0')`
}

/** The type of a parameter with ids for `isAmong`: a cast that PostgreSQL makes when the statement runs. */
export const IDS = 'text::text[]'

/**
 * Records by their ids, in a table that is cut by time. The first and the last say which partitions are looked into, when the
 * statement runs: `concat` and the cast of the ids are not worked out in a plan. So one plan serves all ids; for ids that it
 * knows PostgreSQL would make one at each call, since that looks into one partition and seems worth it.
 */
export function isAmong(column: string, ids: string, { first, last }: Span): string {
  return `${column} = any (${ids}) and ${column} >= concat(${first}) and ${column} <= concat(${last})`
}

interface Span {
  first: string
  last: string
}

/** The values for it. */
export function spanOf(ids: readonly string[]): Span {
  let [first = '', last = ''] = [ids[0], ids[0]]
  for (const id of ids) {
    if (id < first) first = id
    if (id > last) last = id
  }
  return { first, last }
}

/** What an id has in common with all others of its kind and millisecond, and sorts before them. */
export function momentOf(id: string): string {
  return `left(${id}, ${MOMENT_LENGTH})`
}
