// IDs that statements derive from other IDs, and take apart. ids.ts defines what an ID contains. A derived ID
// is the same however often a statement is repeated.

import { COUNTER_CHARS, ID_LENGTH, type IdPrefix, PREFIX_CHARS, TIME_PREFIX_LENGTH } from './ids.js'
import { AT_EXECUTION } from './tenant-queries.js'

/** The last characters of an id that `idOfBody` gives: what tells one record's ids of a moment apart. */
const SUFFIX_CHARS = 2

// Of an id, from its underscore on: as far as the counter, and what comes after that.
const HEAD_CHARS = TIME_PREFIX_LENGTH - PREFIX_CHARS + COUNTER_CHARS
const TAIL_CHARS = PREFIX_CHARS + 1 + ID_LENGTH - TIME_PREFIX_LENGTH - COUNTER_CHARS

/** The same ID with another prefix, for the one record that comes with another one. */
export function idWithPrefix(prefix: IdPrefix, id: string): string {
  return `'${prefix}' || substr(${id}, ${PREFIX_CHARS + 1})`
}

/**
 * One ID per pair: it sorts by the time of the first, and the second distinguishes it from its siblings. A hash for tables
 * costs a tenth of MD5, and 52 of its bits are enough for those of one moment.
 */
export function idOfPair(prefix: IdPrefix, id: string, other: string): string {
  const head = `substr(${id}, ${PREFIX_CHARS + 1}, ${HEAD_CHARS})`
  const hash = `to_hex(hashtextextended(${id} || ${other}, 0))`
  return `'${prefix}' || ${head} || right(lpad(${hash}, 16, '0'), ${TAIL_CHARS})`
}

/** What a record's ID and the IDs that are derived from it at other times have in common. */
export function idRestOf(id: string): string {
  const rest = ID_LENGTH + PREFIX_CHARS + 1 - TIME_PREFIX_LENGTH - SUFFIX_CHARS
  return `substr(${id}, ${TIME_PREFIX_LENGTH + 1}, ${rest})`
}

/** The common part of ids that are derived from a record at another time, as written by `encodeTime`. */
export function idBodyOf(moment: string, id: string): string {
  return `${moment} || ${idRestOf(id)}`
}

/** The suffix has two characters, as SQL. */
export function idOfBody(prefix: IdPrefix, idBody: string, suffix: string): string {
  return `'${prefix}_' || ${idBody} || ${suffix}`
}

/** A number as a suffix; it must be below a hundred. */
export function suffixOf(number: string): string {
  return `lpad(${number}::text, ${SUFFIX_CHARS}, '0')`
}

/** The number of such an ID. */
export function numberOfSuffix(id: string): string {
  return `right(${id}, ${SUFFIX_CHARS})::smallint`
}

/** The type of a parameter with IDs for `isAmong`: a cast that PostgreSQL makes when the statement runs. */
export const IDS = 'text::text[]'

/** Records by their IDs, in a table that is partitioned by time. The first and last ID select the partitions. */
export function isAmong(column: string, ids: string, { first, last }: Span): string {
  return `${column} = any (${ids}) and ${column} >= ${AT_EXECUTION}(${first}) and ${column} <= ${AT_EXECUTION}(${last})`
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

/** The prefix that an ID shares with all others of its kind and millisecond, and that sorts before them. */
export function timePrefixOf(id: string): string {
  return `left(${id}, ${TIME_PREFIX_LENGTH})`
}
