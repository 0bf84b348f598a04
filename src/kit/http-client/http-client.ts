// Outgoing HTTP to addresses that customers chose: webhooks and media. Every connection is guarded when it is
// made, so neither an odd spelling nor a changed DNS record reaches a private destination. Every exchange has
// one deadline and one size limit, so no endpoint can block us for long.

import { Cache } from '../cache.js'
import { type HttpConnection, HttpOrigin, type OutgoingExchange } from './connections.js'
import { type ConnectorOptions, guardedConnector } from './guarded-connector.js'
import { HttpFailure } from './http-failure.js'
import { checkTargetUrl, findPrivateProblem } from './public-address.js'
import { OWN_HEADERS } from './sent-headers.js'

export { HttpFailure, type HttpFailureReason } from './http-failure.js'

export interface HttpClientOptions extends ConnectorOptions {
  /** From the start to the last byte, including the wait for a free connection. */
  timeoutMs: number
  maxResponseBytes: number
  connectionsPerOrigin: number
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'HEAD' | 'PATCH' | 'PUT' | 'DELETE'
  url: string
  headers?: Record<string, string>
  body?: string | Buffer | undefined
  timeoutMs?: number
  maxResponseBytes?: number
  /**
   * Checked when there is a connection for it, before the first byte. If false, it fails with `held_back`.
   */
  mayLeave?: () => boolean
  /** An abort rejects with the signal's reason, because it is not a failure of the endpoint. */
  signal?: AbortSignal
}

export interface HttpAnswer {
  /** Any status, including 3xx: redirects are not followed. */
  status: number
  headers: Record<string, string>
  body: Buffer
  /** The body was longer than allowed; `body` has its beginning. */
  truncated: boolean
  durationMs: number
}

export interface HttpClient {
  request: (input: HttpRequest) => Promise<HttpAnswer>
  /** Accepts no more requests, waits for those in flight (each has its deadline), then disconnects. */
  close: () => Promise<void>
}

// Normalizing can lengthen a stored URL (percent signs, punycode), so this is higher than the limit at
// registration. It only keeps absurd input away from the parser.
const URL_LENGTH_MAX = 16_000

const TARGETS_KEPT_MAX = 1_000
const CLOSE_IDLE_EVERY_MS = 1_000
/** Of a body, until they become one. */
const PIECES_MAX = 1_000

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const origins = new Origins(options)
  const underWay = new Set<AnswerCollector>()
  const targets = new Cache<string, Target>({ max: TARGETS_KEPT_MAX }) // parsed and checked once, not for every event
  const whenIdle: (() => void)[] = []
  let closed = false

  const targetOf = (text: string): Target => {
    const cached = targets.peek(text)
    if (cached) return cached
    const url = readTarget(text, options)
    const { host, pathname, search } = url
    const start = ` ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
    const target = { url, origin: url.origin, start }
    targets.set(text, target)
    return target
  }

  // One promise per exchange and one listener per signal: there are thousands a second.
  const request = (input: HttpRequest): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      if (closed) throw new HttpFailure('closed', 'The service is shutting down.')
      input.signal?.throwIfAborted()
      const target = targetOf(input.url)
      const bytes = requestBytes(target, input)
      const timeoutMs = input.timeoutMs ?? options.timeoutMs
      const bytesMax = input.maxResponseBytes ?? options.maxResponseBytes
      const abortable = input.signal && abortableOf(input.signal)
      const timer = setTimeout(() => collector.fail(lateFailure(timeoutMs)), timeoutMs)
      const settle = () => {
        clearTimeout(timer)
        abortable?.delete(collector)
        underWay.delete(collector)
        if (underWay.size === 0) for (const listener of whenIdle.splice(0)) listener()
      }
      const outcome = { resolve, reject, settle }
      const collector = new AnswerCollector(input, bytes, bytesMax, outcome)
      abortable?.add(collector)
      underWay.add(collector)
      origins.of(target).send(collector)
    })

  async function close(): Promise<void> {
    closed = true
    if (underWay.size > 0) await new Promise<void>((resolve) => whenIdle.push(resolve))
    origins.close()
  }

  return { request, close }
}

interface Target {
  url: URL
  origin: string
  /** Of the request, after its method. */
  start: string
}

class Origins {
  readonly #connect: ReturnType<typeof guardedConnector>
  readonly #connectionsMax: number
  readonly #origins = new Map<string, HttpOrigin>()
  #timer: NodeJS.Timeout | null = null

  constructor(options: HttpClientOptions) {
    this.#connect = guardedConnector(options)
    this.#connectionsMax = options.connectionsPerOrigin
  }

  of({ url, origin: name }: Target): HttpOrigin {
    const existing = this.#origins.get(name)
    if (existing) return existing
    const { host, protocol, port } = url
    const hostname = url.hostname.replace(/^\[|\]$/g, '')
    const origin = new HttpOrigin({
      connect: (done) => this.#connect({ host, hostname, protocol, port }, done),
      connectionsMax: this.#connectionsMax,
      onEmpty: () => this.#remove(name),
    })
    this.#origins.set(name, origin)
    this.#timer ??= setInterval(() => this.#closeIdle(), CLOSE_IDLE_EVERY_MS).unref()
    return origin
  }

  close(): void {
    for (const origin of this.#origins.values()) origin.close()
  }

  #closeIdle(): void {
    for (const origin of this.#origins.values()) origin.closeIdle(performance.now())
  }

  #remove(name: string): void {
    this.#origins.delete(name)
    if (this.#origins.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}

const abortables = new WeakMap<AbortSignal, Set<AnswerCollector>>()

/** The exchanges that end with this signal. */
function abortableOf(signal: AbortSignal): Set<AnswerCollector> {
  const existing = abortables.get(signal)
  if (existing) return existing
  const collectors = new Set<AnswerCollector>()
  const abort = () => {
    for (const collector of collectors) collector.fail(signal.reason)
  }
  signal.addEventListener('abort', abort, { once: true })
  abortables.set(signal, collectors)
  return collectors
}

function readTarget(text: string, { allowPrivate, allow }: HttpClientOptions): URL {
  const check = checkTargetUrl(text, { allowPrivate: true, maxLength: URL_LENGTH_MAX })
  if (!check.ok) throw new HttpFailure('bad_url', `The URL ${check.problem}.`)
  const problem = allowPrivate ? null : findPrivateProblem(check.url, allow)
  if (problem !== null) throw new HttpFailure('refused_address', `The URL ${problem}.`)
  return check.url
}

const NAME = /^[\w!#$%&'*+.^`|~-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** Methods whose request says that it has no body. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])

/** Head and body in one piece, so the socket writes once. */
function requestBytes({ start }: Target, { method, headers, body }: HttpRequest): Buffer {
  let head = method + start
  for (const name in headers) head += headerLine(name, headers[name]!)
  for (const name of OWN_NAMES) head += headerLine(name, OWN_HEADERS[name])
  const length = body === undefined ? 0 : Buffer.byteLength(body)
  if (body !== undefined || WITH_BODY.has(method)) head += headerLine('content-length', `${length}`)
  const bytes = Buffer.allocUnsafe(head.length + 2 + length)
  const at = bytes.write(`${head}\r\n`, 'latin1')
  if (typeof body === 'string') bytes.write(body, at)
  else body?.copy(bytes, at)
  return bytes
}

const OWN_NAMES = Object.keys(OWN_HEADERS) as (keyof typeof OWN_HEADERS)[]

function headerLine(name: string, value: string): string {
  if (!NAME.test(name) || !VALUE.test(value)) {
    throw new HttpFailure('protocol', 'The request could not be written.')
  }
  return `${name}: ${value}\r\n`
}

interface Outcome {
  resolve: (answer: HttpAnswer) => void
  reject: (error: unknown) => void
  /** Runs first, whatever the outcome. */
  settle: () => void
}

/** Collects one response. Settles once, and ignores everything reported after that. */
class AnswerCollector implements OutgoingExchange {
  readonly method: string
  readonly bytes: Buffer
  readonly #bytesMax: number
  readonly #outcome: Outcome
  readonly #mayLeave: (() => boolean) | undefined
  readonly #startedAtMs = performance.now() // a duration, so the machine's clock, not the service's
  #connection: HttpConnection | null = null
  #settled = false
  #status = 0
  #headers: Record<string, string> = {}
  readonly #chunks: Buffer[] = []
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(
    { method, mayLeave }: HttpRequest,
    bytes: Buffer,
    bytesMax: number,
    outcome: Outcome,
  ) {
    this.method = method
    this.bytes = bytes
    this.#bytesMax = bytesMax
    this.#outcome = outcome
    this.#mayLeave = mayLeave
  }

  get isOver(): boolean {
    return this.#settled
  }

  /** Ends the exchange immediately, even while it waits for a connection. */
  fail(error: unknown): void {
    if (this.#settled) return
    this.#settled = true
    this.#outcome.settle()
    if (error instanceof HttpFailure) error.hasLeft = this.#connection !== null
    this.#outcome.reject(error)
    this.#connection?.close()
  }

  onConnection(connection: HttpConnection): boolean {
    if (this.#mayLeave?.() === false) {
      this.fail(new HttpFailure('held_back', 'Its time was over before it could be sent.'))
    }
    if (this.#settled) return false
    this.#connection = connection
    return true
  }

  onHead(status: number, headers: Record<string, string>): void {
    this.#status = status
    this.#headers = headers
  }

  onBody(bytes: Buffer): void {
    if (this.#settled) return
    const capacity = this.#bytesMax - this.#bytes
    this.#pieces.push(bytes.length > capacity ? bytes.subarray(0, capacity) : bytes)
    if (this.#pieces.length === PIECES_MAX) this.#mergePieces()
    this.#bytes += Math.min(bytes.length, capacity)
    if (bytes.length <= capacity) return
    this.#finish(true)
    this.#connection?.close()
  }

  onEnd(): void {
    this.#finish(false)
  }

  #finish(truncated: boolean): void {
    if (this.#settled) return
    this.#settled = true
    this.#outcome.settle()
    this.#outcome.resolve({
      status: this.#status,
      headers: this.#headers,
      body: this.#wholeBody(),
      truncated,
      durationMs: Math.round(performance.now() - this.#startedAtMs),
    })
  }

  #wholeBody(): Buffer {
    this.#mergePieces()
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
  }

  /** A body in chunks of a byte would otherwise need a hundred times its size in memory. */
  #mergePieces(): void {
    const { length } = this.#pieces
    if (length > 0) this.#chunks.push(length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces))
    this.#pieces = []
  }
}

function lateFailure(timeoutMs: number): HttpFailure {
  return new HttpFailure('timeout', `No complete answer came within ${timeoutMs} ms.`)
}
