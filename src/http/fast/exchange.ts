// One request and its response without the framework, for the requests that arrive thousands of times a second. Fast
// paths (send-fast-path.ts, twilio-fast-path.ts) run the same checks in the same order with the same functions as
// their routes. Anything unusual is left to the route.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../../accounts/account.js'
import type { Authenticator } from '../../accounts/authenticate.js'
import type { UnknownField } from '../../kit/contract/known-fields.js'
import type { FailureFields } from '../../kit/contract/operation.js'
import type { RequestTrace } from '../../kit/tracing/tracing.js'
import type { World } from '../../kit/world.js'
import type { SendService } from '../../messages/send/send-message.js'
import { asRefusal, failureAt } from '../failure-replies.js'
import type { CountAnswer } from '../health/metrics.js'
import { logAnswer, nextRequestId } from '../request-log.js'
import { endTrace, traceparentOf } from '../request-trace.js'
import type { ReplyHead, RequestGuard } from '../token-check.js'
import { withWarnings } from '../unknown-fields.js'

const JSON_TYPE = 'application/json; charset=utf-8'
const PLAIN_LENGTH = /^[1-9]\d{0,5}$/

export interface FastPathDeps {
  customers: Authenticator
  guard: RequestGuard
  sendService: SendService
  count: CountAnswer
  isStopping: () => boolean
}

/** False: not handled, and nothing was read from it. */
export type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean

/** Null if the route must read the body. */
export function plainLength({ headers }: IncomingMessage, max: number): number | null {
  const text = headers['content-length']
  if (text === undefined || !PLAIN_LENGTH.test(text)) return null
  const length = Number(text)
  return length > max ? null : length
}

// A body that does not arrive completely gets no response: its connection has ended, or is about to.
function readBody(request: IncomingMessage, length: number, whole: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = []
  let received = 0
  request.on('data', (chunk: Buffer) => {
    if (chunk.length === length) return whole(chunk)
    chunks.push(chunk)
    received += chunk.length
    if (received === length) whole(Buffer.concat(chunks))
  })
}

/** The route that the fast path replaces. */
export interface FastRoute {
  url: string
  failure: FailureFields
}

export class FastExchange implements ReplyHead {
  caller: Caller | undefined
  /** Set after the body was read. */
  unknownFields: readonly UnknownField[] | null = null
  readonly trace: RequestTrace | null
  readonly #id = nextRequestId()
  readonly #startedAt = performance.now()
  readonly #head: string[] = ['x-request-id', this.#id, 'x-content-type-options', 'nosniff']

  constructor(
    readonly world: World,
    readonly deps: FastPathDeps,
    readonly route: FastRoute,
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    this.trace = world.tracing?.startRequest(traceparentOf(request)) ?? null
  }

  admit(caller: Caller): void {
    this.caller = caller
    this.deps.guard.checkCaller(caller, 'send', this)
  }

  headers(headers: Record<string, string>): void {
    for (const name in headers) this.#head.push(name, headers[name]!)
  }

  readonly refuse = (error: unknown): void => {
    const refusal = asRefusal(error, this.#id, this.world.log)
    const { url, failure } = this.route
    const failed = failureAt(url, refusal, failure, this.#id, this.world.config.publicUrl)
    this.headers(failed.headers)
    const { unknownFields } = this
    const reply = unknownFields ? withWarnings(failed.body, unknownFields) : failed.body
    this.send(failed.status, JSON.stringify(reply))
  }

  send(status: number, text: string): void {
    // A client that has disconnected gets no response. An accepted message stays accepted.
    if (!this.response.destroyed) {
      if (this.deps.isStopping()) this.#head.push('connection', 'close')
      this.#head.push('content-type', JSON_TYPE)
      this.#head.push('content-length', String(Buffer.byteLength(text)))
      this.response.writeHead(status, this.#head).end(text)
    }
    const ms = performance.now() - this.#startedAt
    const { url } = this.route
    this.deps.count('POST', url, status, ms)
    const account = this.caller?.accountId
    if (this.trace) endTrace(this.trace, { method: 'POST', route: url, status, account })
    logAnswer(this.world.log, {
      requestId: this.#id,
      method: 'POST',
      route: url,
      status,
      ms,
      account,
      ...(this.trace && { traceId: this.trace.traceId }),
    })
  }
}

/** Admits the caller and refuses overload before anything is read: refusing must cost less than accepting. */
export function answerBody(
  exchange: FastExchange,
  caller: Caller,
  length: number,
  accept: (bytes: Buffer) => Promise<void>,
): void {
  try {
    exchange.admit(caller)
    const overload = exchange.deps.sendService.findOverload()
    const answer = (bytes: Buffer): void => {
      accept(bytes).catch(exchange.refuse)
    }
    if (overload) exchange.refuse(overload)
    else readBody(exchange.request, length, answer)
  } catch (error) {
    exchange.refuse(error)
  }
}
