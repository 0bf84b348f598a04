// One request and its response without the framework, for the requests that arrive thousands of times a second. Fast
// paths (send-fast-path.ts, twilio-fast-path.ts) run the same checks in the same order with the same functions as
// their routes. Anything unusual is left to the route.

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
import type { Arrival } from './arrival.js'

const JSON_TYPE = 'application/json; charset=utf-8'
const PLAIN_LENGTH = /^[1-9]\d{0,5}$/

export interface FastPathDeps {
  customers: Authenticator
  guard: RequestGuard
  sendService: SendService
  count: CountAnswer
  isStopping: () => boolean
}

/** Null if the route must read the body. */
export function plainLength({ headers }: Arrival, max: number): number | null {
  const text = headers['content-length']
  if (text === undefined || !PLAIN_LENGTH.test(text)) return null
  const length = Number(text)
  return length > max ? null : length
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
  #isAnswered = false
  readonly #id = nextRequestId()
  readonly #startedAt = performance.now()
  readonly #head: string[] = ['x-request-id', this.#id, 'x-content-type-options', 'nosniff']

  constructor(
    readonly world: World,
    readonly deps: FastPathDeps,
    readonly route: FastRoute,
    readonly arrival: Arrival,
  ) {
    this.trace = world.tracing?.startRequest(traceparentOf(arrival)) ?? null
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
    if (this.#isAnswered) throw new Error(`a second response to ${this.#id}`)
    this.#isAnswered = true
    // A client that has disconnected gets no response. An accepted message stays accepted.
    if (!this.arrival.isGone()) {
      const length = String(Buffer.byteLength(text))
      this.#head.push('content-type', JSON_TYPE, 'content-length', length)
      this.arrival.reply(status, this.#head, text, this.deps.isStopping())
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

/** Finds and admits the caller and refuses overload before the body is parsed: refusing must cost less than accepting. */
export function answerBody(
  exchange: FastExchange,
  caller: Caller | null,
  authorization: string | undefined,
  length: number,
  accept: (bytes: Buffer) => Promise<void>,
): void {
  if (!caller) {
    const read = () => readBody(exchange, length, accept)
    findCaller(exchange, authorization).then(read).catch(exchange.refuse)
    return
  }
  try {
    exchange.admit(caller)
    readBody(exchange, length, accept)
  } catch (error) {
    exchange.refuse(error)
  }
}

async function findCaller(
  exchange: FastExchange,
  authorization: string | undefined,
): Promise<void> {
  const { arrival, deps, world } = exchange
  const find = () => deps.customers.authenticate(authorization)
  const stranger = { authorization, address: arrival.address }
  const caller = await deps.guard.lookUp(stranger, find, exchange)
  exchange.admit(caller)
  const { workers } = world.db
  if (workers.isOutage) await workers.assertNear(caller.accountId)
}

function readBody(
  exchange: FastExchange,
  length: number,
  accept: (bytes: Buffer) => Promise<void>,
): void {
  const overload = exchange.deps.sendService.findOverload()
  if (overload) exchange.refuse(overload)
  else exchange.arrival.readBody(length, (bytes) => void accept(bytes).catch(exchange.refuse))
}
