// Reads one HTTP/1 response from the bytes of a connection, in whatever pieces they come. It accepts what every server
// sends, and refuses everything that parsers disagree about: two lengths, bare line feeds, unnamed headers.

/** What it finds. The caller may stop reading after any of these. */
export interface ResponseEvents {
  /** A header that comes several times is joined with commas. Not for a 1xx: the response follows it. */
  onHead: (status: number, headers: Record<string, string>) => void
  /** A part of the body, a view of the given bytes. */
  onBody: (bytes: Buffer) => void
}

export class InvalidResponse extends Error {
  constructor(readonly code: string) {
    super(`the response is not valid: ${code}`)
  }
}

/** As in Node. */
const HEAD_BYTES_MAX = 16 * 1024
const CHUNK_LINE_BYTES_MAX = 1024

const START = Buffer.from('HTTP/1.')
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const LENGTH = /^\d{1,15}$/
const CHUNK_SIZE = /^([\da-f]{1,12})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i

type State =
  | 'head'
  | 'counted'
  | 'until close'
  | 'chunk size'
  | 'chunk'
  | 'chunk end'
  | 'trailer'
  | 'done'

const NOTHING = Buffer.alloc(0)

export class ResponseReader {
  /** Whether the connection can have another request after this one. */
  isKept = false
  /** For how long, if the server says so, in seconds. */
  keptSeconds: number | null = null
  readonly #events: ResponseEvents
  readonly #hasNoBody: boolean
  #state: State = 'head'
  /** Read, but not enough to continue. */
  #rest: Buffer = NOTHING
  /** How many bytes of the body, or of the chunk, are still to come. */
  #left = 0
  #trailerBytes = 0

  constructor(method: string, events: ResponseEvents) {
    this.#hasNoBody = method === 'HEAD'
    this.#events = events
  }

  get isDone(): boolean {
    return this.#state === 'done'
  }

  /** Returns how many of the given bytes come after the response. Throws InvalidResponse. */
  read(bytes: Buffer): number {
    let left = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    this.#rest = NOTHING
    while (left.length > 0 && !this.isDone) {
      const used = this.#readSome(left)
      if (used === 0) {
        this.#rest = left
        return 0
      }
      left = left.subarray(used)
    }
    return left.length
  }

  /** The server has closed. Whether that is how the body ends. */
  end(): boolean {
    if (this.#state === 'until close') this.#state = 'done'
    return this.isDone
  }

  #readSome(bytes: Buffer): number {
    if (this.#state === 'head') return this.#readHead(bytes)
    if (this.#state === 'counted' || this.#state === 'chunk') return this.#readCounted(bytes)
    if (this.#state === 'until close') {
      this.#events.onBody(bytes)
      return bytes.length
    }
    return this.#readChunkLine(bytes)
  }

  #readCounted(bytes: Buffer): number {
    const size = Math.min(this.#left, bytes.length)
    this.#left -= size
    if (this.#left === 0) this.#state = this.#state === 'chunk' ? 'chunk end' : 'done'
    this.#events.onBody(size === bytes.length ? bytes : bytes.subarray(0, size))
    return size
  }

  #readHead(bytes: Buffer): number {
    const size = bytes.indexOf('\r\n\r\n')
    if (size === -1 || size > HEAD_BYTES_MAX) {
      const start = bytes.subarray(0, START.length)
      if (!start.equals(START.subarray(0, start.length))) throw new InvalidResponse('NO_HTTP')
      if (bytes.length > HEAD_BYTES_MAX) throw new InvalidResponse('HEAD_OVERFLOW')
      return 0
    }
    const text = bytes.toString('latin1', 0, size)
    const lineEnd = text.indexOf('\r\n')
    const line = STATUS_LINE.exec(lineEnd === -1 ? text : text.slice(0, lineEnd))
    if (!line) throw new InvalidResponse('STATUS_LINE')
    const status = Number(line[2])
    const headers = lineEnd === -1 ? {} : readHeaders(text, lineEnd + 2)
    if (status === 101) throw new InvalidResponse('UPGRADE')
    if (status >= 200) this.#startBody(status, headers, line[1] === '1')
    return size + 4
  }

  #startBody(status: number, headers: Record<string, string>, is11: boolean): void {
    const connection = headers.connection?.toLowerCase() ?? ''
    this.isKept = is11 ? !connection.includes('close') : connection.includes('keep-alive')
    this.keptSeconds = keptSecondsOf(headers['keep-alive'])
    this.#state = this.#bodyOf(status, headers)
    if (this.#state === 'until close') this.isKept = false
    this.#events.onHead(status, headers)
  }

  #bodyOf(status: number, headers: Record<string, string>): State {
    const { 'content-length': length, 'transfer-encoding': coding } = headers
    if (length !== undefined && coding !== undefined) throw new InvalidResponse('TWO_LENGTHS')
    if (length !== undefined && !LENGTH.test(length)) throw new InvalidResponse('CONTENT_LENGTH')
    if (this.#hasNoBody || status === 204 || status === 304) return 'done'
    if (coding !== undefined) return isChunked(coding) ? 'chunk size' : 'until close'
    if (length === undefined) return 'until close'
    this.#left = Number(length)
    return this.#left === 0 ? 'done' : 'counted'
  }

  #readChunkLine(bytes: Buffer): number {
    const size = bytes.indexOf('\r\n')
    if (size === -1) {
      if (bytes.length > CHUNK_LINE_BYTES_MAX) throw new InvalidResponse('CHUNK_OVERFLOW')
      return 0
    }
    if (this.#state === 'trailer') this.#readTrailer(size)
    else if (this.#state === 'chunk size') this.#readChunkSize(bytes.toString('latin1', 0, size))
    else if (size > 0) throw new InvalidResponse('CHUNK_END')
    else this.#state = 'chunk size'
    return size + 2
  }

  #readChunkSize(line: string): void {
    const size = CHUNK_SIZE.exec(line)
    if (!size) throw new InvalidResponse('CHUNK_SIZE')
    this.#left = Number.parseInt(size[1]!, 16)
    this.#state = this.#left === 0 ? 'trailer' : 'chunk'
  }

  /** Not used, but read up to its end. */
  #readTrailer(size: number): void {
    this.#trailerBytes += size
    if (this.#trailerBytes > HEAD_BYTES_MAX) throw new InvalidResponse('TRAILER_OVERFLOW')
    if (size === 0) this.#state = 'done'
  }
}

function isChunked(coding: string): boolean {
  return coding.toLowerCase().split(',').at(-1)!.trim() === 'chunked'
}

function readHeaders(text: string, start: number): Record<string, string> {
  const headers: Record<string, string> = {}
  let name = ''
  for (let at = start; at < text.length; ) {
    const next = text.indexOf('\r\n', at)
    const end = next === -1 ? text.length : next
    const isFolded = text[at] === ' ' || text[at] === '\t' // continues the previous line, as in old servers
    const colon = isFolded ? at - 1 : text.indexOf(':', at)
    if (!isFolded) name = colon === -1 || colon > end ? '' : text.slice(at, colon).toLowerCase()
    const value = text.slice(colon + 1, end).trim()
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) throw new InvalidResponse('HEADER')
    if (isFolded) headers[name] += ` ${value}`
    else addHeader(headers, name, value)
    at = end + 2
  }
  return headers
}

function addHeader(headers: Record<string, string>, name: string, value: string): void {
  if (name === '__proto__') return
  if (!Object.hasOwn(headers, name)) headers[name] = value
  else if (name === 'content-length') throw new InvalidResponse('TWO_LENGTHS')
  else headers[name] += `, ${value}`
}

function keptSecondsOf(hint: string | undefined): number | null {
  const [, seconds] = /timeout=(\d{1,9})/i.exec(hint ?? '') ?? []
  return seconds === undefined ? null : Number(seconds)
}
