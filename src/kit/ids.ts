// Record IDs: a prefix for the kind, and a UUIDv7 in Crockford's base 32, which sorts by time as text. Lists
// sort by ID alone, so the time inside an ID is the record's createdAt.

import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_CHARS = 10 // 48 bits of milliseconds, padded to 50
export const COUNTER_CHARS = 3
const RANDOM_CHARS = 13
const RANDOM_BYTES = 10 // 80 bits: enough for 13 characters
const POOL_BYTES = 4096

/** Before the underscore. */
export const PREFIX_CHARS = 3
/** After the underscore. */
export const ID_LENGTH = TIME_CHARS + COUNTER_CHARS + RANDOM_CHARS
/** What the IDs of one kind and one millisecond have in common, including prefix and underscore. */
export const TIME_PREFIX_LENGTH = PREFIX_CHARS + 1 + TIME_CHARS

export type IdPrefix =
  | 'acc'
  | 'tok'
  | 'brd'
  | 'cmp'
  | 'msg'
  | 'whk'
  | 'evt'
  | 'dlv'
  | 'bat'
  | 'trf'
  | 'aud'
  | 'med'
  | 'req'
  | 'bnd'
  | 'prt'
  | 'rnt'
  | 'cal'
  | 'usr'
  | 'ses'
  | 'inv'
  | 'nte'
  | 'rpl'
  | 'exp'
  | 'alr'
  | 'eml'

const pool = Buffer.alloc(POOL_BYTES)
let poolAt = POOL_BYTES
let lastTimeMs = -1
let lastTimeText = ''
let counter = 0

/** IDs of one millisecond keep the order in which this process made them. */
export function newId(prefix: IdPrefix, now: Date): string {
  const timeMs = now.getTime()
  if (timeMs !== lastTimeMs) {
    lastTimeMs = timeMs
    lastTimeText = encodeTime(timeMs)
    counter = 0
  }
  return `${prefix}_${lastTimeText}${encodeCounter(counter++)}${randomText()}`
}

/** Ends the IDs of records that a trace follows. One in 1,024 other IDs ends with it, too. */
const MARK = 'zz'

/** An ID of a record that a trace follows. It sorts like any other. */
export function newMarkedId(prefix: IdPrefix, now: Date): string {
  return newId(prefix, now).slice(0, -MARK.length) + MARK
}

export function isMarkedId(id: string): boolean {
  return id.endsWith(MARK)
}

/** The lowest ID that a record of this time could have: the bound of a time range. */
export function idFloor(prefix: IdPrefix, moment: Date): string {
  return `${prefix}_${encodeTime(moment.getTime())}${'0'.repeat(ID_LENGTH - TIME_CHARS)}`
}

/** Anything else cannot be the ID of a record, and must not reach the database (it may contain NUL). */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length === prefix.length + 1 + ID_LENGTH &&
    text.startsWith(`${prefix}_`) &&
    /^[0-9a-hjkmnp-tv-z]+$/.test(text.slice(prefix.length + 1))
  )
}

/** The first ten characters of every ID of this millisecond, after its prefix. */
export function encodeTime(timeMs: number): string {
  let rest = timeMs
  let text = ''
  for (let i = 0; i < TIME_CHARS; i += 1) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** When a record with this ID was created: the inverse of `encodeTime`. */
export function timeOfId(id: string): Date {
  let timeMs = 0
  for (let at = PREFIX_CHARS + 1; at < TIME_PREFIX_LENGTH; at += 1) {
    timeMs = timeMs * 32 + ALPHABET.indexOf(id[at]!)
  }
  return new Date(timeMs)
}

// Three characters allow 32,768 IDs per millisecond, far more than one process can make.
function encodeCounter(count: number): string {
  return ALPHABET[(count >> 10) & 31]! + ALPHABET[(count >> 5) & 31]! + ALPHABET[count & 31]!
}

// Characters of 5 bits each: 65 random bits, from a pool that saves a system call per ID.
function randomText(): string {
  if (poolAt + RANDOM_BYTES > POOL_BYTES) {
    randomFillSync(pool)
    poolAt = 0
  }
  let text = ''
  let bits = 0
  let buffer = 0
  for (let made = 0; made < RANDOM_CHARS; ) {
    if (bits < 5) {
      buffer = ((buffer << 8) | pool[poolAt++]!) & 0xffff
      bits += 8
    }
    bits -= 5
    text += ALPHABET[(buffer >> bits) & 31]
    made += 1
  }
  return text
}
