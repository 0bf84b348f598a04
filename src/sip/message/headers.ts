// Parses the head of a message into headers: expands short names, unfolds lines, and enforces the limits.

import { splitOutside } from './lexing.js'
import { LINE_MAX, LINES_MAX, VALUES_MAX } from './limits.js'

/** By long name in lowercase: one text per line, in order. */
export type HeaderTexts = Pick<Headers, 'has' | 'get'>

/**
 * Unchanged headers. Most are never read, so they stay in the head until they are needed.
 */
export class Headers {
  readonly #head: string
  readonly #names: string[] = []
  /** The start and end of each value, alternating. */
  readonly #places: number[] = []

  constructor(head: string) {
    this.#head = head
  }

  add(name: string, begin: number, end: number): void {
    this.#names.push(name)
    this.#places.push(begin, end)
  }

  /** Adds a folded line to the previous header. Returns false if there is none. */
  fold(end: number): boolean {
    if (this.#names.length === 0) return false
    this.#places[this.#places.length - 1] = end
    return true
  }

  has(name: string): boolean {
    return this.#names.includes(name)
  }

  isTwice(name: string): boolean {
    const at = this.#names.indexOf(name)
    return at !== -1 && this.#names.indexOf(name, at + 1) !== -1
  }

  first(name: string): string | undefined {
    const at = this.#names.indexOf(name)
    return at === -1 ? undefined : this.#text(at)
  }

  get(name: string): string[] | undefined {
    let at = this.#names.indexOf(name)
    if (at === -1) return undefined
    const texts: string[] = []
    for (; at !== -1; at = this.#names.indexOf(name, at + 1)) texts.push(this.#text(at))
    return texts
  }

  #text(at: number): string {
    const text = this.#head.slice(this.#places[2 * at], this.#places[2 * at + 1]).trim()
    return text.includes('\r') ? unfold(text) : text
  }
}

function unfold(text: string): string {
  const lines = text.split('\r\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}

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

/** The usual spellings of names, by length, to find them in place without a copy. */
const USUAL_NAMES: { written: string; name: string }[][] = []
for (const written of [
  ...['Via', 'From', 'To', 'Call-ID', 'CSeq', 'Max-Forwards', 'Contact', 'Content-Length'],
  ...['Content-Type', 'Allow', 'Supported', 'User-Agent', 'Route', 'Record-Route', 'Require'],
  ...['Diversion', 'History-Info', 'Identity', 'P-Asserted-Identity', 'Privacy', 'Accept'],
  ...['Session-Expires', 'Min-SE', 'Remote-Party-ID', 'Subject', 'Date', 'Expires'],
]) {
  USUAL_NAMES[written.length] ??= []
  USUAL_NAMES[written.length]!.push({ written, name: written.toLowerCase() })
}

const SPACE = 0x20
const TAB = 0x09
const LONE_END = 'A line ends in a lone CR or LF'
const TOO_LONG = `A line is longer than ${LINE_MAX} bytes`

/** The start line and the headers, or a sentence that explains why they cannot be read. */
export function readHead(head: string): { startLine: string; headers: Headers } | string {
  const headers = new Headers(head)
  const startEnd = lineEnd(head, 0)
  if (startEnd === -1) return LONE_END
  if (startEnd > LINE_MAX) return TOO_LONG
  let lines = 1
  for (let end = startEnd; end < head.length; lines++) {
    const begin = end + 2
    end = lineEnd(head, begin)
    if (end === -1) return LONE_END
    if (end - begin > LINE_MAX) return TOO_LONG
    if (lines === LINES_MAX) return `The head has more than ${LINES_MAX} lines`
    const first = head.charCodeAt(begin)
    if (first === SPACE || first === TAB) {
      if (!headers.fold(end)) return 'The first header is folded'
    } else {
      const colon = head.indexOf(':', begin)
      const name = colon === -1 || colon >= end ? null : nameOf(head, begin, colon)
      if (name === null) return 'A header has no name before a colon'
      headers.add(name, colon + 1, end)
    }
  }
  return { startLine: head.slice(0, startEnd), headers }
}

/** The position of the CR LF after the line, or the end of the head. -1 for a lone CR or LF. */
function lineEnd(head: string, begin: number): number {
  const cr = head.indexOf('\r', begin)
  const lf = head.indexOf('\n', begin)
  if (cr === -1 && lf === -1) return head.length
  return lf === cr + 1 && cr !== -1 ? cr : -1
}

/** The header's long name in lowercase, or null if it is not a header name. */
function nameOf(head: string, begin: number, colon: number): string | null {
  for (const { written, name } of USUAL_NAMES[colon - begin] ?? []) {
    if (head.startsWith(written, begin)) return name
  }
  const name = head.slice(begin, colon).trimEnd().toLowerCase()
  if (!NAME.test(name)) return null
  return name.length === 1 ? (LONG_NAMES[name] ?? name) : name
}

const NO_VALUES: readonly string[] = []

/** All values of a header that may have several, or null if they are malformed or too many. */
export function valuesOf(headers: HeaderTexts, name: string): readonly string[] | null {
  const texts = headers.get(name)
  if (texts === undefined) return NO_VALUES
  const values: string[] = []
  for (const text of texts) {
    const pieces = splitOutside(text, ',')
    if (pieces === null || values.length + pieces.length > VALUES_MAX) return null
    values.push(...pieces)
  }
  return values
}

const LENGTH = /^\d{1,9}$/

/** The length of the body, null without a Content-Length, or a sentence if it is invalid. */
export function contentLength(headers: Headers): number | null | string {
  const text = headers.first('content-length')
  if (text === undefined) return null
  if (!LENGTH.test(text)) return 'The Content-Length is not a number'
  if (!headers.isTwice('content-length')) return Number(text)
  const isOne = headers.get('content-length')!.every((other) => other === text)
  return isOne ? Number(text) : 'There are two Content-Length headers'
}
