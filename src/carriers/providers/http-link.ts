// A carrier link over a provider's HTTP API: one request per message, as many in parallel as the provider allows.
// Each gets an exact outcome: a request that did not leave is not sent, and one that left without a response is
// unknown.

import { type Clock, elapsedMs } from '../../kit/clock.js'
import {
  createHttpClient,
  type HttpClient,
  HttpFailure,
  type HttpRequest,
} from '../../kit/http-client/http-client.js'
import type { Log } from '../../kit/log.js'
import type { Counter, Metrics } from '../../kit/metrics.js'
import type { Database } from '../../kit/postgres/db.js'
import type {
  CallbackReply,
  CallbackRequest,
  MediaAccess,
  MediaTerms,
} from '../../messages/carrier-http.js'
import {
  type Carrier,
  type CarrierListener,
  type LinkStatus,
  type Listed,
  type PhoneFacts,
  permitFor,
  type SilencePolicy,
  type Submission,
  type SubmitAnswer,
} from '../../messages/carrier-port.js'
import type { MessageKey } from '../../messages/message.js'
import { SENDER_REFUSED } from '../../messages/message-errors.js'
import { RequestQueue, type RequestTurn } from '../request-queue.js'
import { type CallbackAddress, inboundOf, OPTED_OUT, receiptOf } from './callbacks.js'
import { LinkHealth } from './link-health.js'
import type { MessageApi, ProviderCallback, SubmitResult } from './provider.js'

export interface HttpLinkSettings {
  name: string
  kind: string
  /** The maximum number of concurrent requests. */
  concurrency: number
  /** The maximum number of requests per second. Null: no limit. */
  perSecond: number | null
  /** Whether perSecond applies to all processes together instead of each. */
  shared: boolean
  timeoutMs: number
  /** How often an idle link is probed. */
  probeIntervalMs: number
  media: MediaTerms
  settleMs: number
  unknown: SilencePolicy
  hasLookUps: boolean
}

interface Deps {
  messages: MessageApi
  address: CallbackAddress
  clock: Clock
  log: Log
  metrics: Metrics
  /** Used if processes share a rate. */
  db?: Database
}

const ANSWER_OCTETS_MAX = 256 * 1024
/** In a response, these codes are about the phone. */
const LANDLINE = 1360

export function createHttpLink(settings: HttpLinkSettings, deps: Deps): Carrier {
  const link = new HttpLink(settings, deps)
  const { name, settleMs, media } = settings
  return {
    name,
    networkOf: () => null, // learnt from answers, never asked for
    isUp: () => link.isUp,
    submit: (submissions) => link.submit(submissions),
    capacityOf: () => link.requests.capacity,
    afterUnknown: () => ({ waitMs: settleMs, ...settings.unknown }),
    query: (submission, _, acceptedAt) => link.query(submission, acceptedAt),
    ...(settings.hasLookUps && { lookUp: (number: string) => link.lookUp(number) }),
    links: () => [link.status()],
    callback: (_, request) => link.callback(request),
    mediaTerms: () => media,
    mediaAccess: (_, url) => link.mediaAccess(url),
    start: async (listener) => link.start(listener),
    stop: () => link.stop(),
  }
}

class HttpLink {
  readonly #settings: HttpLinkSettings
  readonly #deps: Deps
  readonly #client: HttpClient
  readonly #health: LinkHealth
  readonly #unmapped: Counter
  readonly requests: RequestQueue
  #listener: CarrierListener | null = null
  #isStopped = false
  #underWay = 0
  /** From Retry-After. */
  #restUntilMs = Number.NEGATIVE_INFINITY
  #since: Date

  constructor(settings: HttpLinkSettings, deps: Deps) {
    this.#settings = settings
    this.#deps = deps
    this.#since = deps.clock.machineNow()
    this.requests = new RequestQueue({ ...settings, link: settings.name }, deps)
    this.#client = createHttpClient({
      allowPrivate: true, // the host's own choice, not a customer's
      timeoutMs: settings.timeoutMs,
      maxResponseBytes: ANSWER_OCTETS_MAX,
      connectionsPerOrigin: settings.concurrency,
    })
    this.#health = new LinkHealth({
      probe: () => this.#probe(),
      everyMs: settings.probeIntervalMs,
      onChange: (detail) => this.#noteHealth(detail),
    })
    this.#unmapped = deps.metrics.counter(
      'longcode_carrier_unmapped_codes_total',
      'Codes of providers that nobody has explained yet, by link and code',
      ['link', 'code'],
    )
  }

  get isUp(): boolean {
    return !this.#isStopped && this.#health.detail === null
  }

  start(listener: CarrierListener): void {
    this.#listener = listener
    this.#health.start()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#health.stop()
    await this.requests.stop()
    await this.#client.close()
  }

  status(): LinkStatus {
    const { name, kind, concurrency } = this.#settings
    return {
      link: name,
      kind,
      isUp: this.isUp,
      since: this.#since,
      detail: this.#health.detail ?? this.#describeRest(),
      connections: [],
      window: { used: this.#underWay, size: concurrency },
      rate: this.requests.rate,
    }
  }

  #describeRest(): string | null {
    const restMs = this.#restUntilMs - elapsedMs()
    if (restMs <= 0) return null
    return `The provider asked us to wait (Retry-After): ${Math.ceil(restMs / 1000)} s to go.`
  }

  submit(submissions: readonly Submission[]): Promise<SubmitAnswer[]> {
    const sendOne = (submission: Submission) =>
      this.requests.run((turn) => this.#sendOne(submission, turn))
    return Promise.all(submissions.map(sendOne))
  }

  /** A connection is free, and the rate allows it. A message still waiting when the process dies was not sent. */
  async #sendOne(submission: Submission, turn: RequestTurn): Promise<SubmitAnswer> {
    if (!this.isUp) return { kind: 'down' }
    const restMs = this.#restUntilMs - elapsedMs()
    if (restMs > 0) return { kind: 'slow_down', retryAfterMs: restMs }
    const { messages, address, clock } = this.#deps
    const request = messages.submit(submission, address.statusOf(submission))
    const permit = await permitFor(submission, this.#settings.name)
    if (permit === null) return { kind: 'window_missed' }
    const untilMs = Math.min(permit.untilMs, submission.submitBy?.getTime() ?? permit.untilMs)
    const mayLeave = () => {
      if (clock.nowMs() > untilMs) return false
      turn.left()
      return true
    }
    const answer = await this.#ask({ ...request, mayLeave })
    if ('failure' in answer) return this.#answerFailure(answer.failure)
    turn.answered()
    const result = messages.readSubmit(answer, clock.machineNow())
    if (result.kind === 'accepted') this.#learn(submission.to, result.facts)
    const isLandline = result.kind === 'failed' && result.errorCode === LANDLINE
    if (isLandline) this.#learn(submission.to, { isLandline })
    return this.#answerOf(result)
  }

  #learn(number: string | null, facts: PhoneFacts): void {
    if (number !== null) this.#listener?.learned?.(number, facts)
  }

  async #ask(request: HttpRequest) {
    this.#underWay += 1
    try {
      return await this.#client.request(request)
    } catch (error) {
      return { failure: error }
    } finally {
      this.#underWay -= 1
    }
  }

  /** A message that did not leave can use another link or be retried. One that left is unknown. */
  #answerFailure(error: unknown): SubmitAnswer {
    const { name } = this.#settings
    const detail = error instanceof Error ? error.message : String(error)
    if (error instanceof HttpFailure && error.reason === 'held_back')
      return { kind: 'window_missed' }
    if (!(error instanceof HttpFailure) || error.hasLeft) {
      return { kind: 'unknown', detail, link: name }
    }
    this.#health.fail(detail)
    return { kind: 'down' }
  }

  #answerOf(result: SubmitResult): SubmitAnswer {
    const { name } = this.#settings
    switch (result.kind) {
      case 'accepted':
        return { kind: 'sent', link: name, carrierIds: [result.carrierId] }
      case 'fault':
        this.#health.fail(result.detail)
        return { kind: 'down' }
      case 'failed': {
        const { errorCode, carrierCode, isUnmapped } = result
        if (isUnmapped) this.#countUnmapped(carrierCode)
        return {
          ...{ kind: 'failed', errorCode, carrierCode },
          ...(errorCode === OPTED_OUT && { isOptedOut: true }),
          ...(isUnmapped && { concerns: 'link' }),
        }
      }
      case 'sender': {
        const { carrierCode } = result
        return { kind: 'failed', errorCode: SENDER_REFUSED, carrierCode, concerns: 'sender' }
      }
      case 'unknown':
        return { ...result, link: name }
      case 'throttled': {
        const { retryAfterMs, isForAll } = result
        if (isForAll) this.#rest(retryAfterMs ?? 0)
        return { kind: 'slow_down', ...(retryAfterMs !== undefined && { retryAfterMs }) }
      }
    }
  }

  /** The provider named a time. No requests until then. */
  #rest(ms: number): void {
    this.#restUntilMs = Math.max(this.#restUntilMs, elapsedMs() + ms)
    this.#deps.log.warn({ link: this.#settings.name, ms }, 'the provider asks us to wait')
  }

  /** A provider that cannot be reached is queried again later, because its list may still show what happened. */
  async query(submission: Submission, acceptedAt: Date): Promise<Listed | SubmitAnswer | null> {
    const { messages } = this.#deps
    if (!messages.query || !messages.readQuery || this.#isStopped) return null
    const answered = await this.#ask(messages.query(submission, acceptedAt))
    const isLater = 'failure' in answered || answered.status >= 500 || answered.status === 429
    if (isLater) return { kind: 'down' }
    const listed = messages.readQuery(answered, submission, acceptedAt)
    return listed && { ...listed, link: this.#settings.name }
  }

  async lookUp(number: string): Promise<PhoneFacts | null> {
    const { messages } = this.#deps
    if (!this.isUp || !messages.lookUp || !messages.readLookUp) return null
    const answered = await this.#ask(messages.lookUp(number))
    return 'failure' in answered ? null : messages.readLookUp(answered)
  }

  /** Only on the provider's own host, so credentials go nowhere else. */
  mediaAccess(url: string): MediaAccess | null {
    const { mediaHeaders, probe } = this.#deps.messages
    if (!mediaHeaders || !URL.canParse(url)) return null
    return new URL(url).origin === new URL(probe().url).origin ? { headers: mediaHeaders() } : null
  }

  async callback(request: CallbackRequest): Promise<CallbackReply | null> {
    const { messages, address, clock } = this.#deps
    if (request.method !== 'POST') return { status: 405 }
    const url = address.base + (request.path === '/' ? '' : request.path)
    const at = { url, now: clock.machineNow() }
    if (!(await messages.isGenuine(request, at))) return { status: 403 }
    // A seal that is not ours, or was made with a previous key, is ignored. The provider's ID still works.
    const messageKey = address.readMessage(request.path)
    const callbacks = messages.readCallbacks(request)
    if (callbacks === null) return { status: 400 }
    for (const callback of callbacks) await this.#store(callback, messageKey)
    return messages.storedReply
  }

  /** Durable when it resolves. Only then is the provider answered. */
  async #store(callback: ProviderCallback, message: MessageKey | null): Promise<void> {
    const listener = this.#listener
    if (!listener) throw new Error('the link is not started')
    const { name: link } = this.#settings
    const { address } = this.#deps
    if (callback.kind === 'registration') return listener.registered?.(callback)
    const { facts } = callback
    this.#learn(callback.kind === 'inbound' ? callback.from : callback.to, facts)
    if (callback.kind === 'inbound') await listener.inbound(inboundOf(link, callback))
    else {
      if (callback.isUnmapped) this.#countUnmapped(callback.carrierCode ?? '')
      const { errorCode, carrierCode, from } = callback
      if (errorCode === SENDER_REFUSED && from) listener.senderRefused?.(from, carrierCode)
      const sealed = callback.tag ? address.readMessage(callback.tag) : null
      await listener.receipt(receiptOf(link, callback, message ?? sealed))
    }
  }

  /** By code only, because there are too many texts. */
  #countUnmapped(carrierCode: string): void {
    const code = /^[\w-]{1,40}/.exec(carrierCode)?.[0] ?? 'other'
    this.#unmapped.cell(this.#settings.name, code).value += 1
    this.#deps.log.warn({ link: this.#settings.name, carrierCode }, 'a code that nobody explained')
  }

  /** Any response shows that it is up. Only a refused key is a problem. */
  async #probe(): Promise<string | null> {
    const answered = await this.#ask(this.#deps.messages.probe())
    if ('failure' in answered) {
      return answered.failure instanceof Error ? answered.failure.message : String(answered.failure)
    }
    const { status } = answered
    if (status === 401 || status === 403) return `The key was refused (HTTP ${status}).`
    return status >= 500 ? `The provider returned HTTP ${status}.` : null
  }

  #noteHealth(detail: string | null): void {
    const { log, clock } = this.#deps
    const { name: link } = this.#settings
    this.#since = clock.machineNow()
    if (detail === null) log.info({ link }, 'carrier link up again')
    else log.error({ link, detail }, 'carrier link down')
  }
}
