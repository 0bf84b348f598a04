// The head of a message as headers: short names made long, folded lines unfolded, counted as they come.

import { splitOutside } from './lexing.js'
import { LINE_MAX, LINES_MAX, VALUES_MAX } from './limits.js'

/** By long name in lower case; one text for each line, in order. */
export type Headers = ReadonlyMap<string, readonly string[]>

const LONG_NAMES: Record<string, string> = {
  a: 'accept-contact',
  b: 'referred-by',
  c: 'content-type',
  d: 'request-disposition',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  j: 'reject-contact',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  n: 'identity-info',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
  y: 'identity',
}

const NAME = /^[\w.!%*+`'~-]+$/

/** The start line and the headers, or a sentence on why they cannot be read. */
export function readHead(head: string): { startLine: string; headers: Headers } | string {
  const lines = head.split('\r\n', LINES_MAX + 1)
  if (lines.length > LINES_MAX) return `The head has more than ${LINES_MAX} lines`
  const headers = new Map<string, string[]>()
  let last: string[] | null = null
  for (const [i, line] of lines.entries()) {
    if (line.length > LINE_MAX) return `A line is longer than ${LINE_MAX} octets`
    if (/[\r\n]/.test(line)) return 'A line ends in a lone CR or LF'
    if (i === 0) continue
    if (line.startsWith(' ') || line.startsWith('\t')) {
      if (last === null) return 'The first header is folded'
      last.push(`${last.pop()!} ${line.trim()}`.trim())
    } else {
      last = addLine(headers, line)
      if (last === null) return 'A header has no name before a colon'
    }
  }
  return { startLine: lines[0]!, headers }
}

/** The texts of the header that the line belongs to, itself the last; null where it is no header. */
function addLine(headers: Map<string, string[]>, line: string): string[] | null {
  const colon = line.indexOf(':')
  const written = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase()
  if (!NAME.test(written)) return null
  const name = written.length === 1 ? (LONG_NAMES[written] ?? written) : written
  const value = line.slice(colon + 1).trim()
  const texts = headers.get(name)
  if (texts) {
    texts.push(value)
    return texts
  }
  const first = [value]
  headers.set(name, first)
  return first
}

/** All values of a header that may have several; null where they are malformed or too many. */
export function valuesOf(headers: Headers, name: string): readonly string[] | null {
  const values: string[] = []
  for (const text of headers.get(name) ?? []) {
    const pieces = splitOutside(text, ',')
    if (pieces === null || values.length + pieces.length > VALUES_MAX) return null
    values.push(...pieces)
  }
  return values
}

/** The length of the body; null where none is given, a sentence where what is given cannot be. */
export function contentLength(headers: Headers): number | null | string {
  const texts = headers.get('content-length')
  if (texts === undefined) return null
  const [text = ''] = texts
  if (!/^\d{1,9}$/.test(text)) return 'The Content-Length is not a number'
  return texts.every((other) => other === text) ? Number(text) : 'There are two Content-Lengths'
}
