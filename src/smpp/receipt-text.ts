// Receipts as text. Appendix B of the specification only suggests a form, so every carrier has its own:
//   id:IIIIIIIIII sub:SSS dlvrd:DDD submit date:YYMMDDhhmm done date:YYMMDDhhmm stat:DDDDDDD err:E text:...
// Keys in any case and order, missing ones, no spaces between, commas, dates with seconds or centuries.

import { type MessageState, stateOfText } from './message-state.js'

export interface ReceiptText {
  /** As it is written; null where there is none. */
  id: string | null
  state: MessageState | null
  /** The carrier's own code, as it is written; null where it says that nothing is wrong. */
  error: string | null
  doneAt: Date | null
}

const KEY = /\b(id)\s*:|(sub|dlvrd|submit[ _]?date|done[ _]?date|stat(?:us)?|err(?:or)?|text)\s*:/gi
/** Longer ones are no receipts, and not worth reading. */
const LENGTH_MAX = 2_000

/** `utcOffsetMinutes`: of the carrier's clock, since its dates name no zone. */
export function parseReceiptText(text: string, utcOffsetMinutes = 0): ReceiptText {
  const values = valuesOf(text.slice(0, LENGTH_MAX))
  const error = values.get('err') ?? ''
  return {
    id: values.get('id') || null,
    state: stateOfText(values.get('stat') ?? ''),
    error: /^0*$/.test(error) ? null : error,
    doneAt: parseReceiptDate(values.get('donedate') ?? '', utcOffsetMinutes),
  }
}

/** A value goes to the next key. What comes after `text:` is the message, which may say anything. */
function valuesOf(text: string): Map<string, string> {
  const values = new Map<string, string>()
  let key: string | null = null
  let start = 0
  const keep = (end: number) => {
    if (key !== null && !values.has(key)) values.set(key, trimmed(text.slice(start, end)))
  }
  for (const match of text.matchAll(KEY)) {
    keep(match.index)
    key = keyOf(match[1] ?? match[2]!)
    start = match.index + match[0].length
    if (key === 'text') return values
  }
  keep(text.length)
  return values
}

function keyOf(written: string): string {
  const key = written.toLowerCase().replace(/[ _]/, '')
  if (key === 'status') return 'stat'
  return key === 'error' ? 'err' : key
}

function trimmed(value: string): string {
  return value.replaceAll(/^[\s"']+|[\s,;"'\0]+$/g, '')
}

/** YYMMDDhhmm, with seconds, with the century, or with both; signs between them are ignored. */
export function parseReceiptDate(written: string, utcOffsetMinutes = 0): Date | null {
  const digits = written.replaceAll(/\D/g, '')
  switch (digits.length) {
    case 10:
      return dateOf(`20${digits}00`, utcOffsetMinutes)
    case 12:
      // From 2013 on only one reading has a month that exists.
      return dateOf(`20${digits}`, utcOffsetMinutes) ?? dateOf(`${digits}00`, utcOffsetMinutes)
    case 14:
      return dateOf(digits, utcOffsetMinutes)
    default:
      return null
  }
}

/** Null for a day or time that does not exist. */
function dateOf(digits: string, utcOffsetMinutes: number): Date | null {
  const [year, month, day, hour, minute, second] = [
    digits.slice(0, 4),
    ...digits.slice(4).match(/../g)!,
  ].map(Number) as [number, number, number, number, number, number]
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  const isTrue =
    at.getUTCMonth() === month - 1 &&
    at.getUTCDate() === day &&
    at.getUTCHours() === hour &&
    at.getUTCMinutes() === minute &&
    at.getUTCSeconds() === second
  return isTrue ? new Date(at.getTime() - utcOffsetMinutes * 60_000) : null
}
