// Sends one operation: its address, headers, and body, with retries. A request that changes something gets one
// idempotency key, and every retry sends the same key and the same bytes.

import { LongcodeError } from './error.js'
import { readRetryAfter, retryDelayMs, wait } from './retry.js'
import { readServerSent, type ServerSent } from './server-sent.js'
import { type FieldProblem, type FileBody, type Routes, VERSION } from './types.js'

export type Route = keyof Routes
/** The path parameters, query, and body of a route. */
export type Input<R extends Route> = Omit<Routes[R], 'reply'>

export interface RequestOptions {
  /** Cancels the request and its retries. */
  signal?: AbortSignal | undefined
  /** For each attempt, including reading the response. */
  timeoutMs?: number | undefined
  /** How often a failed request is sent again. */
  retries?: number | undefined
  /** Default: a random UUID. An ID that your program stores also survives a restart of your program. */
  idempotencyKey?: string | undefined
  /** Whether the service refuses names that it does not know. */
  strict?: boolean | undefined
}

export interface LongcodeOptions {
  /** An access token: lc_… */
  token: string
  /** The address of your service, such as https://sms.example.com */
  baseUrl: string
  /** Default: 30,000. */
  timeoutMs?: number | undefined
  /** Default: 4. */
  retries?: number | undefined
  /** Default: true. With false, unknown names are ignored and listed in `warnings`. */
  strict?: boolean | undefined
  /** Default: the global fetch. */
  fetch?: typeof fetch | undefined
  /** Waits between attempts. Replace it in tests. */
  wait?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined
}

interface AnyInput {
  path?: Record<string, string>
  query?: object
  body?: unknown
}

interface Failed {
  error?: string
  code?: string
  details?: FieldProblem[]
  requestId?: string
  help?: string
}

export class Transport {
  readonly #base: string
  readonly #options: LongcodeOptions

  constructor(options: LongcodeOptions) {
    if (!options?.token) throw new TypeError('token is required: an access token, lc_…')
    if (!/^https?:\/\/[^/]/.test(options.baseUrl ?? '')) {
      throw new TypeError('baseUrl must be an http(s) address, for example https://sms.example.com')
    }
    this.#options = options
    this.#base = options.baseUrl.endsWith('/') ? options.baseUrl.slice(0, -1) : options.baseUrl
  }

  async request<R extends Route>(
    route: R,
    input: Input<R>,
    options: RequestOptions = {},
    contentType?: string,
  ): Promise<Routes[R]['reply']> {
    const response = await this.#send(route, input as AnyInput, options, contentType)
    return response as Routes[R]['reply']
  }

  async #send(
    route: string,
    { path = {}, query = {}, body }: AnyInput,
    options: RequestOptions,
    contentType?: string,
  ): Promise<unknown> {
    const { retries = this.#options.retries ?? 4, signal } = options
    const [method, template] = route.split(' ') as [string, string]
    const url = this.#base + fillPath(template, path) + queryString(query)
    const key = method === 'GET' ? null : (options.idempotencyKey ?? crypto.randomUUID())
    const init = { method, ...this.#content(body, key, options, contentType) }
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(url, init, key, options)
      if (!(outcome instanceof LongcodeError)) return outcome
      const delayMs = attempt < retries ? retryDelayMs(outcome, attempt) : null
      if (delayMs === null) throw outcome
      await this.pause(delayMs, signal, key)
    }
  }

  /** The events of the stream. Ends with the connection, and throws what a request throws. */
  async *events(
    lastEventId: string | undefined,
    silenceMs: number,
    { signal, timeoutMs = this.#options.timeoutMs ?? 30_000 }: RequestOptions,
  ): AsyncGenerator<ServerSent, void, undefined> {
    if (signal?.aborted) throw abortedError(null, signal.reason)
    const silence = new AbortController()
    const giveUp = () => silence.abort(new Error('No bytes'))
    let timer = setTimeout(giveUp, timeoutMs)
    const onBytes = () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, silenceMs)
    }
    const both = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal
    const { headers } = this.#content(undefined, null, {})
    const last = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const init = {
      headers: { ...headers, ...last },
      redirect: 'manual',
      signal: both,
    } as RequestInit
    try {
      const response = await (this.#options.fetch ?? fetch)(`${this.#base}/v1/events/stream`, init)
      if (!response.ok || !response.body) throw readReply(response, await response.text(), null)
      onBytes()
      yield* readServerSent(response.body, onBytes)
    } catch (cause) {
      if (cause instanceof LongcodeError) throw cause
      if (signal?.aborted) throw abortedError(null, cause)
      const code = silence.signal.aborted ? 'timed_out' : 'connection_failed'
      throw new LongcodeError('The stream was interrupted.', { code, cause })
    } finally {
      clearTimeout(timer)
    }
  }

  async pause(delayMs: number, signal?: AbortSignal, key: string | null = null): Promise<void> {
    try {
      await (this.#options.wait ?? wait)(delayMs, signal)
    } catch (cause) {
      throw abortedError(key, cause)
    }
  }

  #content(
    body: unknown,
    key: string | null,
    { strict = this.#options.strict ?? true }: RequestOptions,
    contentType?: string,
  ): { headers: Record<string, string>; body?: FileBody | string } {
    const isFile = body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body)
    const type = isFile ? contentType : body === undefined ? undefined : 'application/json'
    const headers = {
      authorization: `Bearer ${this.#options.token}`,
      'user-agent': `longcode-client/${VERSION}`,
      ...(strict && { prefer: 'handling=strict' }),
      ...(key !== null && { 'idempotency-key': key }),
      ...(type !== undefined && { 'content-type': type }),
    }
    if (body === undefined) return { headers }
    return { headers, body: isFile ? (body as FileBody) : JSON.stringify(body) }
  }

  /** Returns the reply, or the error that may be retried. */
  async #attempt(
    url: string,
    init: { method: string; headers: Record<string, string>; body?: FileBody | string },
    key: string | null,
    { signal, timeoutMs = this.#options.timeoutMs ?? 30_000 }: RequestOptions,
  ): Promise<unknown> {
    if (signal?.aborted) return abortedError(key, signal.reason)
    const timeout = AbortSignal.timeout(timeoutMs)
    const both = signal ? AbortSignal.any([signal, timeout]) : timeout
    // A redirect is never followed: it would lose the body or show the token to another host.
    const request = { ...init, redirect: 'manual', signal: both } as RequestInit
    try {
      const response = await (this.#options.fetch ?? fetch)(url, request)
      return readReply(response, await response.text(), key)
    } catch (cause) {
      if (signal?.aborted) return abortedError(key, cause)
      const idempotencyKey = key
      if (timeout.aborted) {
        const message = `No response within ${timeoutMs} ms.`
        return new LongcodeError(message, { code: 'timed_out', idempotencyKey, cause })
      }
      const message = 'The connection to the service failed.'
      return new LongcodeError(message, { code: 'connection_failed', idempotencyKey, cause })
    }
  }
}

function readReply(response: Response, text: string, key: string | null): unknown {
  const { status, headers } = response
  if (response.ok && headers.get('content-type')?.startsWith('text/csv')) return text
  let reply: (Failed & object) | null = null
  try {
    reply = JSON.parse(text)
  } catch {
    // A proxy may respond with a page.
  }
  if (response.ok && reply !== null) return reply
  const code = response.ok ? 'response_unreadable' : (reply?.code ?? `http_${status}`)
  const message = response.ok
    ? 'The response is not JSON, or only part of it arrived.'
    : (reply?.error ?? `The service responded with HTTP status ${status}.`)
  return new LongcodeError(message, {
    code,
    status,
    details: reply?.details ?? [],
    requestId: reply?.requestId ?? headers.get('x-request-id'),
    help: reply?.help ?? null,
    retryAfterSeconds: readRetryAfter(headers.get('retry-after')),
    idempotencyKey: key,
  })
}

function abortedError(idempotencyKey: string | null, cause: unknown): LongcodeError {
  return new LongcodeError('The request was aborted.', { code: 'aborted', idempotencyKey, cause })
}

function fillPath(template: string, path: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name]
    // An empty ID would address another route.
    if (!value) throw new TypeError(`${name} is required`)
    return encodeURIComponent(value)
  })
}

function queryString(query: object): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value))
  }
  const text = search.toString()
  return text && `?${text}`
}
