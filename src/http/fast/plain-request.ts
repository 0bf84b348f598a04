// Parses a request that has only what every client sends: POST, HTTP/1.1, one Host, one Content-Length, each header
// once, nothing but visible characters. Whatever else it is, Node's parser reads it. Both read the same request from
// these bytes, because everything that parsers disagree about is left out.

export interface PlainRequest {
  url: string
  headers: Record<string, string>
  bodyStart: number
  bodyLength: number
}

/** A longer head, or an endless one, is left to Node, which has a limit and an answer for it. */
export const HEAD_BYTES_MAX = 8_192

const END = Buffer.from('\r\n\r\n')
const FIRST_LINE = /^POST (\/[\x21-\x7e]*) HTTP\/1\.1\r\n/
const HEADER_LINE = /([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e]*)\r\n/y
const LENGTH = /^[1-9]\d{0,5}$/
/** Each of them changes how the request is read or answered. */
const UNUSUAL = ['transfer-encoding', 'expect', 'upgrade', 'trailer', 'te'] as const

/** Where the head ends, or -1. */
export function endOfHead(bytes: Buffer): number {
  const end = bytes.indexOf(END)
  return end === -1 || end > HEAD_BYTES_MAX ? -1 : end + END.length
}

/** Null: left to Node. */
export function readPlainHead(bytes: Buffer, bodyStart: number): PlainRequest | null {
  const text = bytes.toString('latin1', 0, bodyStart - 2)
  const line = FIRST_LINE.exec(text)
  const headers = line && readHeaders(text, line[0].length)
  if (!headers || headers.host === undefined) return null
  for (const name of UNUSUAL) if (headers[name] !== undefined) return null
  const { connection = 'keep-alive', 'content-length': length = '' } = headers
  if (!LENGTH.test(length) || connection.toLowerCase() !== 'keep-alive') return null
  return { url: line![1]!, headers, bodyStart, bodyLength: Number(length) }
}

/** Null if a line is not a header, or if a name comes twice. So do names that every object has. */
function readHeaders(text: string, start: number): Record<string, string> | null {
  const headers: Record<string, string> = {}
  HEADER_LINE.lastIndex = start
  for (let at = start; at < text.length; at = HEADER_LINE.lastIndex) {
    const line = HEADER_LINE.exec(text)
    if (!line) return null
    const name = line[1]!.toLowerCase()
    if (headers[name] !== undefined) return null
    headers[name] = line[2]!.trim()
  }
  return headers
}
