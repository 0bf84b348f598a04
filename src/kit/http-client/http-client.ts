// Outgoing HTTP to addresses that customers chose: webhooks and media. Every connection is guarded when it is
// made, so neither an odd spelling nor a changed DNS record reaches a private destination. Every exchange has
// one deadline and one size limit, so no endpoint can block us for long.

import { Agent, type Dispatcher } from 'undici'
import { Cache } from '../cache.js'
import { type ConnectorOptions, guardedConnector } from './guarded-connector.js'
import { exchangeFailure, HttpFailure } from './http-failure.js'
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
  body?: string | Buffer
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

// Without a hint from the server, an idle connection is closed before common servers (5 s in Node) close it.
// With a hint it may live longer, but not long enough for thousands of endpoints with one event each to pile
// up sockets.
const IDLE_MS = 4_000
const IDLE_MS_MAX = 30_000

// Normalizing can lengthen a stored URL (percent signs, punycode), so this is higher than the limit at
// registration. It only keeps absurd input away from the parser.
const URL_LENGTH_MAX = 16_000

const TARGETS_KEPT_MAX = 1_000

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const agent = new Agent({
    connect: guardedConnector(options),
    connections: options.connectionsPerOrigin,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS_MAX,
    // The deadline of the exchange replaces these two idle timers.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const underWay = new Set<AnswerCollector>()
  const targets = new Cache<string, Target>({ max: TARGETS_KEPT_MAX }) // parsed and checked once, not for every event
  const whenIdle: (() => void)[] = []
  let closed = false

  const targetOf = (text: string): Target => {
    const cached = targets.peek(text)
    if (cached) return cached
    const { origin, pathname, search } = readTarget(text, options)
    const target = { origin, path: pathname + search }
    targets.set(text, target)
    return target
  }

  // One promise per exchange and one listener per signal: there are thousands a second.
  const request = (input: HttpRequest): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      if (closed) throw new HttpFailure('closed', 'The service is shutting down.')
      input.signal?.throwIfAborted()
      const target = targetOf(input.url)
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
      const collector = new AnswerCollector(bytesMax, { resolve, reject, settle }, input.mayLeave)
      abortable?.add(collector)
      underWay.add(collector)
      dispatch(agent, target, input, collector)
    })

  async function close(): Promise<void> {
    closed = true
    if (underWay.size > 0) await new Promise<void>((resolve) => whenIdle.push(resolve))
    await agent.destroy()
  }

  return { request, close }
}

interface Target {
  origin: string
  path: string
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

function dispatch(
  agent: Agent,
  { origin, path }: Target,
  input: HttpRequest,
  collector: AnswerCollector,
): void {
  const request: Dispatcher.DispatchOptions = {
    origin,
    path,
    method: input.method,
    headers: { ...input.headers, ...OWN_HEADERS },
    body: input.body ?? null,
  }
  try {
    agent.dispatch(request, collector)
  } catch (error) {
    collector.fail(new HttpFailure('protocol', 'The request could not be written.', error))
  }
}

interface Outcome {
  resolve: (answer: HttpAnswer) => void
  reject: (error: unknown) => void
  /** Runs first, whatever the outcome. */
  settle: () => void
}

/** Collects one response. Settles once, and ignores everything undici reports after that. */
class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly #bytesMax: number
  readonly #outcome: Outcome
  readonly #mayLeave: (() => boolean) | undefined
  readonly #startedAtMs = performance.now() // a duration, so the machine's clock, not the service's
  #controller: Dispatcher.DispatchController | null = null
  #settled = false
  #status = 0
  #headers: Record<string, string> = {}
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(bytesMax: number, outcome: Outcome, mayLeave?: () => boolean) {
    this.#bytesMax = bytesMax
    this.#outcome = outcome
    this.#mayLeave = mayLeave
  }

  /** Ends the exchange immediately, even while it waits for a connection. */
  fail(error: unknown): void {
    if (this.#settled) return
    this.#settled = true
    this.#outcome.settle()
    if (error instanceof HttpFailure) error.hasLeft = this.#controller !== null
    this.#outcome.reject(error)
    this.#hangUp()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#mayLeave?.() === false) {
      this.fail(new HttpFailure('held_back', 'Its time was over before it could be sent.'))
    }
    // Given up while queued: throwing drops the request and keeps the connection.
    if (this.#settled) throw new Error('given up before it was sent')
    this.#controller = controller
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status // a 1xx is overwritten by the response that follows
    for (const name in headers) {
      const value = headers[name] ?? ''
      if (typeof value !== 'string') headers[name] = value.join(', ')
    }
    this.#headers = headers as Record<string, string> // created for this response, so we may keep it
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return
    const capacity = this.#bytesMax - this.#bytes
    this.#chunks.push(chunk.length > capacity ? chunk.subarray(0, capacity) : chunk)
    this.#bytes += Math.min(chunk.length, capacity)
    if (chunk.length <= capacity) return
    this.#finish(true)
    this.#hangUp()
  }

  onResponseEnd(): void {
    this.#finish(false)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(exchangeFailure(error))
  }

  #finish(truncated: boolean): void {
    if (this.#settled) return
    this.#settled = true
    this.#outcome.settle()
    this.#outcome.resolve({
      status: this.#status,
      headers: this.#headers,
      body: this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks),
      truncated,
      durationMs: Math.round(performance.now() - this.#startedAtMs),
    })
  }

  #hangUp(): void {
    this.#controller?.abort(new Error('given up'))
  }
}

function lateFailure(timeoutMs: number): HttpFailure {
  return new HttpFailure('timeout', `No complete answer came within ${timeoutMs} ms.`)
}
