// Receipts as text. Appendix B of the specification only suggests a form, so every carrier has its own:
//   id:IIIIIIIIII sub:SSS dlvrd:DDD submit date:YYMMDDhhmm done date:YYMMDDhhmm stat:DDDDDDD err:E text:...
// Keys in any case and order, missing ones, no spaces between, commas, dates with seconds or centuries.

import { type MessageState, stateOfText } from './message-state.js'

export interface ReceiptText {
  /** As written. Null if there is none. */
  readonly id: string | null
  readonly state: MessageState | null
  /** The carrier's own code, as received. Null if it means no error. */
  readonly error: string | null
  readonly submittedAt: Date | null
  readonly doneAt: Date | null
  /** How the message begins. Null if it is not quoted. */
  readonly quoted: string | null
}

const NO_ERROR = /^0*$/
const KEY = /\b(id)\s*:|(sub|dlvrd|submit[ _]?date|done[ _]?date|stat(?:us)?|err(?:or)?|text)\s*:/gi
/** Longer texts are not receipts. */
const LENGTH_MAX = 2_000

/** `utcOffsetMinutes`: the carrier's time zone, because its dates name none. */
export function parseReceiptText(text: string, utcOffsetMinutes = 0): ReceiptText {
  return new ReadText(valuesOf(text.slice(0, LENGTH_MAX)), utcOffsetMinutes)
}

class ReadText implements ReceiptText {
  readonly id: string | null
  readonly state: MessageState | null
  readonly error: string | null
  readonly quoted: string | null
  readonly #submitDate: string
  readonly #doneDate: string
  readonly #utcOffsetMinutes: number

  constructor(
    { id, stat = '', err = '', submitdate = '', donedate = '', text }: Values,
    utcOffsetMinutes: number,
  ) {
    this.id = id || null
    this.state = stateOfText(stat)
    this.error = NO_ERROR.test(err) ? null : err
    this.quoted = text || null
    this.#submitDate = submitdate
    this.#doneDate = donedate
    this.#utcOffsetMinutes = utcOffsetMinutes
  }

  /** Computed on demand: thousands of receipts arrive per second, and this is rarely needed. */
  get submittedAt(): Date | null {
    return parseReceiptDate(this.#submitDate, this.#utcOffsetMinutes)
  }

  get doneAt(): Date | null {
    return parseReceiptDate(this.#doneDate, this.#utcOffsetMinutes)
  }
}

type Values = { [K in (typeof READ_KEYS)[number]]?: string }

/** A value extends to the next key. Everything after `text:` is the message, which may contain anything. */
function valuesOf(text: string): Values {
  const values: Values = {}
  let key: string | null = null
  let start = 0
  KEY.lastIndex = 0
  for (let match = KEY.exec(text); match; match = KEY.exec(text)) {
    keep(values, key, text, start, match.index)
    key = keyOf(match[1] ?? match[2]!)
    start = KEY.lastIndex
    if (key === 'text') break
  }
  keep(values, key, text, start, text.length)
  return values
}

const READ_KEYS = ['id', 'stat', 'err', 'submitdate', 'donedate', 'text'] as const

/** The first value of a key counts. */
function keep(values: Values, key: string | null, text: string, start: number, end: number): void {
  const name = READ_KEYS.find((one) => one === key)
  if (name) values[name] ??= trimmed(text, start, end)
}

function keyOf(written: string): string {
  const key = written.toLowerCase()
  if (key === 'status') return 'stat'
  if (key === 'error') return 'err'
  return key.length <= 5 ? key : key.replace(/[ _]/, '')
}

const BEFORE = new Set(' \t\n\v\f\r\u00a0"\'')
const AFTER = new Set([...BEFORE, ',', ';', '\0'])

function trimmed(text: string, start: number, end: number): string {
  let [from, to] = [start, end]
  while (from < to && BEFORE.has(text[from]!)) from += 1
  while (to > from && AFTER.has(text[to - 1]!)) to -= 1
  return text.slice(from, to)
}

/** YYMMDDhhmm, with seconds, with the century, or with both. Separators are ignored. */
export function parseReceiptDate(written: string, utcOffsetMinutes = 0): Date | null {
  const digits = written.replaceAll(/\D/g, '')
  switch (digits.length) {
    case 10:
      return dateOf(`20${digits}00`, utcOffsetMinutes)
    case 12:
      // From 2013 on, only one reading has a valid month.
      return dateOf(`20${digits}`, utcOffsetMinutes) ?? dateOf(`${digits}00`, utcOffsetMinutes)
    case 14:
      return dateOf(digits, utcOffsetMinutes)
    default:
      return null
  }
}

/** Null for a date or time that does not exist. */
function dateOf(digits: string, utcOffsetMinutes: number): Date | null {
  const pair = (at: number) => Number(digits.slice(at, at + 2))
  const [year, month, day] = [Number(digits.slice(0, 4)), pair(4), pair(6)]
  const [hour, minute, second] = [pair(8), pair(10), pair(12)]
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  const isTrue =
    at.getUTCMonth() === month - 1 &&
    at.getUTCDate() === day &&
    at.getUTCHours() === hour &&
    at.getUTCMinutes() === minute &&
    at.getUTCSeconds() === second
  return isTrue ? new Date(at.getTime() - utcOffsetMinutes * 60_000) : null
}
