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

/** Names as nearly everybody writes them: found without a look at each character. */
const USUAL_NAMES: ReadonlyMap<string, string> = new Map(
  [
    ...['Via', 'From', 'To', 'Call-ID', 'CSeq', 'Max-Forwards', 'Contact', 'Content-Length'],
    ...['Content-Type', 'Allow', 'Supported', 'User-Agent', 'Route', 'Record-Route', 'Require'],
    ...['Diversion', 'History-Info', 'Identity', 'P-Asserted-Identity', 'Privacy', 'Accept'],
    ...['Session-Expires', 'Min-SE', 'Remote-Party-ID', 'Subject', 'Date', 'Expires'],
  ].map((name) => [name, name.toLowerCase()]),
)

const LONE_END = 'A line ends in a lone CR or LF'
const TOO_LONG = `A line is longer than ${LINE_MAX} octets`

/** The start line and the headers, or a sentence on why they cannot be read. */
export function readHead(head: string): { startLine: string; headers: Headers } | string {
  const headers = new Map<string, string[]>()
  const startEnd = lineEnd(head, 0)
  if (startEnd === -1) return LONE_END
  if (startEnd > LINE_MAX) return TOO_LONG
  let last: string[] | null = null
  let lines = 1
  for (let end = startEnd; end < head.length; lines++) {
    const begin = end + 2
    end = lineEnd(head, begin)
    if (end === -1) return LONE_END
    if (end - begin > LINE_MAX) return TOO_LONG
    if (lines === LINES_MAX) return `The head has more than ${LINES_MAX} lines`
    const line = head.slice(begin, end)
    if (!line.startsWith(' ') && !line.startsWith('\t')) {
      last = addLine(headers, line)
      if (last === null) return 'A header has no name before a colon'
    } else if (last === null) return 'The first header is folded'
    else last.push(`${last.pop()!} ${line.trim()}`.trim())
  }
  return { startLine: head.slice(0, startEnd), headers }
}

/** Where the CR LF behind the line is, or the end of the head; -1 where CR or LF stands alone. */
function lineEnd(head: string, begin: number): number {
  const cr = head.indexOf('\r', begin)
  const lf = head.indexOf('\n', begin)
  if (cr === -1 && lf === -1) return head.length
  return lf === cr + 1 && cr !== -1 ? cr : -1
}

/** The texts of the header that the line belongs to, itself the last; null where it is no header. */
function addLine(headers: Map<string, string[]>, line: string): string[] | null {
  const colon = line.indexOf(':')
  const written = line.slice(0, Math.max(colon, 0))
  const name = USUAL_NAMES.get(written) ?? longName(written.trimEnd().toLowerCase())
  if (name === null) return null
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

function longName(name: string): string | null {
  if (!NAME.test(name)) return null
  return name.length === 1 ? (LONG_NAMES[name] ?? name) : name
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
