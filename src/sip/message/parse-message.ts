// Parses bytes as a SIP message. Never throws: an invalid message has a reason, and an invalid request with the headers
// needed for an answer (Via, From, To, Call-ID, CSeq) has the status to answer with.

import { contentLength, type Headers, readHead, valuesOf } from './headers.js'
import { HEAD_MAX, MESSAGE_MAX, URI_MAX } from './limits.js'
import { readNameAddress } from './name-address.js'
import { readUri, type SipUri } from './uri.js'
import { readVia, type Via } from './via.js'

interface Fault {
  status: 400 | 414 | 505
  /** The reason in the status line of the answer. */
  reason: string
}

export interface SipRequest {
  kind: 'request'
  method: string
  /** Null only with a fault. */
  uri: SipUri | null
  topVia: Via
  /** All Via values, unfolded but otherwise unchanged. */
  vias: readonly string[]
  from: string
  to: string
  hasToTag: boolean
  callId: string
  cseq: string
  /** Null if absent. */
  maxForwards: number | null
  headers: Headers
  fault: Fault | null
}

export interface SipResponse {
  kind: 'response'
  status: number
  reason: string
  headers: Headers
}

export type Parsed = SipRequest | SipResponse | { kind: 'ping' } | { kind: 'nonsense'; why: string }

/** Ends the head of a message. */
export const HEAD_END: Buffer = Buffer.from('\r\n\r\n')

const CR = 0x0d
const LF = 0x0a
const METHOD = /^[\w.!%*+`'~-]{1,64}$/
const VERSION = /^SIP\/\d{1,3}\.\d{1,3}$/i
const STATUS_LINE = /^SIP\/2\.0 ([1-6]\d\d)(?: (.*))?$/i
const CSEQ = /^(\d{1,10})\s+(\S+)$/
const CSEQ_MAX = 2 ** 31 - 1
/** Headers that must not occur twice, because it would be unclear which one counts. */
const ONCE = ['from', 'to', 'call-id', 'cseq', 'max-forwards']

/** A whole datagram, or a message from a stream. */
export function parseMessage(bytes: Buffer): Parsed {
  if (bytes.length > MESSAGE_MAX) return nonsense(`The message is longer than ${MESSAGE_MAX} bytes`)
  let start = 0
  while (bytes[start] === CR || bytes[start] === LF) start += 1
  if (start === bytes.length) return { kind: 'ping' }
  const end = bytes.indexOf(HEAD_END, start)
  if (end === -1) return nonsense('The head has no end')
  if (end - start > HEAD_MAX) return nonsense(`The head is longer than ${HEAD_MAX} bytes`)
  const head = readHead(bytes.toString('latin1', start, end))
  if (typeof head === 'string') return nonsense(head)
  const status = STATUS_LINE.exec(head.startLine)
  if (status !== null) return makeResponse(status, head.headers)
  return readRequest(head.startLine, head.headers, bytes.length - end - HEAD_END.length)
}

function makeResponse([, status, reason = '']: RegExpExecArray, headers: Headers): SipResponse {
  return { kind: 'response', status: Number(status), reason, headers }
}

function nonsense(why: string): Parsed {
  return { kind: 'nonsense', why }
}

function readRequest(startLine: string, headers: Headers, bodyLength: number): Parsed {
  const line = readRequestLine(startLine)
  if (line === null) return nonsense('The first line is neither a request nor a status')
  const vias = valuesOf(headers, 'via')
  const topVia = vias?.[0] === undefined ? null : readVia(vias[0])
  if (vias === null || topVia === null) return nonsense('There is no valid Via')
  const from = headers.first('from')
  const to = headers.first('to')
  const callId = headers.first('call-id')
  const cseq = headers.first('cseq')
  if (!from || !to || !callId || !cseq) return nonsense('From, To, Call-ID, or CSeq is missing')
  const toAddress = readNameAddress(to)
  const request: SipRequest = {
    kind: 'request',
    method: line.method,
    uri: readUri(line.uri),
    topVia,
    vias,
    from,
    to,
    hasToTag: toAddress?.parameters.has('tag') ?? false,
    callId,
    cseq,
    maxForwards: readMaxForwards(headers),
    headers,
    fault: null,
  }
  if (!line.isOurVersion) request.fault = { status: 505, reason: 'Version Not Supported' }
  else if (line.uri.length > URI_MAX)
    request.fault = { status: 414, reason: 'Request-URI Too Long' }
  else {
    const what = whatIsWrong(request, toAddress !== null, bodyLength)
    if (what !== null) request.fault = { status: 400, reason: `Bad Request: ${what}` }
  }
  return request
}

/** Splits at the first and last space. A URI with spaces is detected later and gets a response. */
function readRequestLine(text: string) {
  const line = text.trimEnd()
  const first = line.indexOf(' ')
  const last = line.lastIndexOf(' ')
  const method = line.slice(0, Math.max(first, 0))
  const version = line.slice(last + 1)
  if (first === last || !METHOD.test(method) || !VERSION.test(version)) return null
  return { method, uri: line.slice(first + 1, last), isOurVersion: version.endsWith('/2.0') }
}

/** NaN if it is not a valid number. */
function readMaxForwards(headers: Headers): number | null {
  const text = headers.first('max-forwards')
  if (text === undefined) return null
  return /^\d{1,10}$/.test(text) && Number(text) <= 255 ? Number(text) : Number.NaN
}

function whatIsWrong(
  { method, uri, from, cseq, maxForwards, headers }: SipRequest,
  hasTo: boolean,
  bodyLength: number,
): string | null {
  const [, sequence, cseqMethod] = CSEQ.exec(cseq) ?? []
  const length = contentLength(headers)
  if (sequence === undefined || Number(sequence) > CSEQ_MAX) return 'the CSeq cannot be read'
  if (cseqMethod !== method) return 'the CSeq has another method'
  if (uri === null) return 'the Request-URI cannot be read'
  if (readNameAddress(from) === null) return 'the From cannot be read'
  if (!hasTo) return 'the To cannot be read'
  const twice = ONCE.find((name) => headers.isTwice(name))
  if (twice !== undefined) return `the header ${twice} occurs twice`
  if (Number.isNaN(maxForwards)) return 'the Max-Forwards cannot be read'
  if (typeof length === 'string') return 'the Content-Length cannot be read'
  return (length ?? 0) > bodyLength ? 'the body is shorter than the Content-Length' : null
}
