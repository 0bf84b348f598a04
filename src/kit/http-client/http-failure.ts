// Why an outgoing request got no response: one closed list of reasons, and the mapping from the many error
// codes of sockets, TLS, and the HTTP parser.

export type HttpFailureReason =
  | 'bad_url'
  | 'refused_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'closed'
  | 'held_back'
  | 'protocol'

/** No response. The message is one plain sentence that may be shown to the endpoint's owner. */
export class HttpFailure extends Error {
  readonly reason: HttpFailureReason
  /** Whether part of the request may have been written: then its outcome is unknown. */
  hasLeft = false

  constructor(reason: HttpFailureReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'HttpFailure'
    this.reason = reason
  }
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
])

export function connectFailure(error: Error, protocol: string): HttpFailure {
  if (error instanceof HttpFailure) return error
  const code = codeOf(error)
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new HttpFailure('timeout', 'The connection was not made in time.', error)
  }
  if (protocol === 'https:' && !NETWORK_CODES.has(code)) {
    return new HttpFailure('tls', `No secure connection could be made (${code}).`, error)
  }
  return new HttpFailure('connect', `The connection could not be made (${code}).`, error)
}

export function exchangeFailure(error: Error): HttpFailure {
  if (error instanceof HttpFailure) return error
  const code = codeOf(error)
  if (code === 'ECONNRESET' || code === 'EPIPE') return closedFailure(error)
  return new HttpFailure('protocol', `The answer was not valid HTTP (${code}).`, error)
}

export function closedFailure(cause?: unknown): HttpFailure {
  const text = 'The connection was closed before the answer was complete.'
  return new HttpFailure('closed', text, cause)
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
