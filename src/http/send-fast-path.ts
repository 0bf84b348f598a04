// A faster path for POST /v1/message/send, the one request that arrives thousands of times a second. It runs
// the same checks in the same order with the same functions as every route, but without the framework.
// Anything unusual is left to the route. A trailing slash bypasses it: send-fast-path.test.ts uses that to
// check that both paths give the same responses. The same test fails if a hook is added only to the route.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../accounts/account.js'
import type { Authenticator } from '../accounts/authenticate.js'
import { hashRequest, keyedText } from '../accounts/idempotency.js'
import { readKnownFields, type UnknownField, unknownText } from '../kit/contract/known-fields.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Check } from '../kit/contract/validation.js'
import type { RequestTrace } from '../kit/tracing/tracing.js'
import type { World } from '../kit/world.js'
import { SEND } from '../messages/message-operations.js'
import { createSendCheck } from '../messages/send/check-send.js'
import { idOrRefusal, type SendInput, type SendService } from '../messages/send/send-message.js'
import { asRefusal, failureBody, failureHeaders } from './failure-replies.js'
import type { CountAnswer } from './health/metrics.js'
import { idempotencyKey } from './idempotency.js'
import { readJson, readText } from './parse-json.js'
import { prefersStrict } from './prefer.js'
import { isHostClear } from './request-head.js'
import { logAnswer, nextRequestId } from './request-log.js'
import { endTrace, traceparentOf } from './request-trace.js'
import type { ReplyHead, RequestGuard } from './token-check.js'
import { STRICT_HEADERS, unknownRefusal, withWarnings } from './unknown-fields.js'

const PATH = '/v1/message/send'
const SEND_FIELDS = SEND.config.known.body!
const JSON_TYPE = 'application/json; charset=utf-8'
const PLAIN_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i
const PLAIN_LENGTH = /^[1-9]\d{0,5}$/

export interface FastPathDeps {
  customers: Authenticator
  guard: RequestGuard
  sendService: Pick<SendService, 'send' | 'findOverload'>
  count: CountAnswer
  isStopping: () => boolean
}

/** False: not handled, and nothing was read from it. */
export type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean

export function createSendFastPath(world: World, deps: FastPathDeps): FastPath {
  const check = createSendCheck(world.config)
  return (request, response) => {
    if (request.url !== PATH || request.method !== 'POST' || deps.isStopping()) return false
    const { 'content-type': type = '', 'content-length': length = '' } = request.headers
    if (!PLAIN_TYPE.test(type) || !PLAIN_LENGTH.test(length)) return false
    if (Number(length) > SEND.bodyLimit || !isHostClear(request)) return false
    const caller = deps.customers.peek(request.headers.authorization)
    if (!caller) return false
    const exchange = new Exchange(world, deps, request, response)
    const answer = (bytes: Buffer): void => {
      acceptBytes(exchange, deps, check, bytes).catch(exchange.refuse)
    }
    try {
      exchange.admit(caller)
      // Before anything is read, because refusing must cost less than accepting.
      const overload = deps.sendService.findOverload()
      if (overload) exchange.refuse(overload)
      else readBody(request, Number(length), answer)
    } catch (error) {
      exchange.refuse(error)
    }
    return true
  }
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

async function acceptBytes(
  exchange: Exchange,
  { sendService }: FastPathDeps,
  check: Check,
  bytes: Buffer,
): Promise<void> {
  const { headers } = exchange.request
  const text = readText(bytes)
  if (text instanceof Refusal) return exchange.refuse(text)
  const input = text.trim() === '' ? {} : readJson(text)
  if (input instanceof Refusal) return exchange.refuse(input)
  const unknown = readKnownFields(SEND_FIELDS, input)
  if (headers.prefer !== undefined && prefersStrict(headers.prefer)) {
    exchange.headers(STRICT_HEADERS)
    if (unknown) return exchange.refuse(unknownRefusal(unknown))
  }
  exchange.unknownFields = unknown
  const refusal = check(input)
  if (refusal) return exchange.refuse(refusal)
  const key = idempotencyKey(headers)
  if (key instanceof Refusal) return exchange.refuse(key)
  const { accountId, campaigns } = exchange.caller!
  const requestHash = key && hashRequest('POST', PATH, keyedText(text, campaigns))
  const once = requestHash ? { key, requestHash } : null
  const { id, isReplay } = idOrRefusal(
    await sendService.send(accountId, input as SendInput, once, campaigns, exchange.trace),
  )
  if (isReplay) exchange.headers({ 'idempotent-replayed': 'true' })
  const warnings = unknown ? `,"warnings":${JSON.stringify(unknown.map(unknownText))}` : ''
  exchange.send(200, `{"success":true,"id":"${id}"${warnings}}`)
}

/** One request and its response. */
class Exchange implements ReplyHead {
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
    this.headers(failureHeaders(refusal))
    const { publicUrl } = this.world.config
    const body = failureBody(refusal, SEND.config.failure, this.#id, publicUrl)
    const { unknownFields } = this
    const reply = unknownFields ? withWarnings(body, unknownFields) : body
    this.send(refusal.status, JSON.stringify(reply))
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
    this.deps.count('POST', PATH, status, ms)
    const account = this.caller?.accountId
    if (this.trace) endTrace(this.trace, { method: 'POST', route: PATH, status, account })
    logAnswer(this.world.log, {
      requestId: this.#id,
      method: 'POST',
      route: PATH,
      status,
      ms,
      account,
      ...(this.trace && { traceId: this.trace.traceId }),
    })
  }
}
