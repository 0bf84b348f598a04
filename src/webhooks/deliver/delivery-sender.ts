// Sends leased deliveries and records the results. Each endpoint has its own slots, refilled as they become free, from its buffer.
// What cannot be sent soon goes back to the queue.

import type { SubscriberKey } from '../../events/queue/delivery-claim-queries.js'
import { createHttpClient, type HttpClient } from '../../kit/http-client/http-client.js'
import type { OutgoingSpan } from '../../kit/tracing/tracing.js'
import type { World } from '../../kit/world.js'
import type { OtherFormat } from '../other-format.js'
import { type AttemptResult, attemptDelivery } from './attempt-delivery.js'
import { AttemptRecorder } from './attempt-recorder.js'
import type { LeasedDelivery } from './claim-account.js'
import type { Endpoint } from './endpoint.js'
import { HeldDeliveries } from './held-deliveries.js'
import { prepareOther } from './other-request.js'
import { releaseLeased } from './release-leased.js'

const RESPONSE_BYTES_MAX = 64 * 1024
const CONNECTIONS_PER_ORIGIN = 256 // several accounts may use one host
/** The timeout of a request plus the time that a slow database may take to record it. */
export const LEASE_MS = 45_000
/** After this long in a buffer, too little of the lease is left for a request. */
const BUFFER_MS_MAX = 20_000
/** How long a stopping process waits for responses before it releases what is in flight. */
const GRACE_MS = 5_000

export interface SenderOptions {
  other: OtherFormat | null
  timeoutMs: number
  /** These may have something to claim. */
  onReady: (keys: readonly SubscriberKey[]) => void
  /** An endpoint has slots for more. */
  onFree: () => void
  /** A delivery is no longer held. */
  onDone: () => void
}

export class DeliverySender {
  readonly #world: World
  readonly #options: SenderOptions
  readonly #http: HttpClient
  readonly #recorder: AttemptRecorder
  readonly #held: HeldDeliveries
  readonly #releasing = new Set<Promise<void>>()
  readonly #giveUp = new AbortController()

  constructor(world: World, options: SenderOptions) {
    this.#world = world
    this.#options = options
    this.#http = createHttpClient({
      allowPrivate: world.config.mode === 'sandbox',
      allow: world.config.webhookAllow,
      timeoutMs: options.timeoutMs,
      maxResponseBytes: RESPONSE_BYTES_MAX,
      connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
    })
    this.#held = new HeldDeliveries(() => world.clock.nowMs())
    this.#recorder = new AttemptRecorder(world, {
      onWoken: options.onReady,
      isFollowed: (delivery) => this.#held.isFollowed(delivery),
    })
  }

  /** How many deliveries are not recorded or released yet. */
  get held(): number {
    return this.#held.size
  }

  /** How many records wait to be written. */
  get unrecorded(): number {
    return this.#recorder.depth
  }

  /** It is sent when its endpoint has a slot (`submitNext`), and after the event before it. */
  hold(delivery: LeasedDelivery): void {
    const current = this.#held.get(delivery.deliveryId)
    if (current) {
      // A clock jump ended its lease while it is in flight, so it gets a new one.
      current.leaseUntil = delivery.leaseUntil
      current.batch = delivery.batch
      return
    }
    if (this.#held.hold(delivery)) delivery.endpoint.hold(delivery.deliveryId)
  }

  /** Whether the event before it was sent here, now or a moment ago. */
  knowsEarlier(delivery: LeasedDelivery): boolean {
    return this.#held.knowsEarlier(delivery)
  }

  /** As many from the buffer as there are slots. Nothing stays in the buffer if it could take long. */
  submitNext(endpoint: Endpoint): void {
    const nowMs = this.#world.clock.nowMs()
    for (let id = endpoint.next; id !== undefined; id = endpoint.next) {
      if (!endpoint.maySubmit(nowMs)) break
      const delivery = this.#held.get(id)!
      if (delivery.leaseUntil.getTime() < nowMs + LEASE_MS - BUFFER_MS_MAX) break
      endpoint.submitNext(nowMs)
      void this.#submit(delivery) // a failure is released, or logged and left to its lease
    }
    if (endpoint.buffered === 0) return
    if (endpoint.isUnhealthy(nowMs) || endpoint.underWay === 0) {
      void this.#releaseBuffer(endpoint) // a failed release is left to the lease
    }
  }

  async #submit(delivery: LeasedDelivery): Promise<void> {
    const { deliveryId } = delivery
    const result = await this.#attempt(delivery)
    let isFinished = false
    try {
      if (result) isFinished = await this.#recorder.record(delivery, result)
    } catch (error) {
      // A delivery that may have arrived and could not be recorded is left to its lease. Released immediately, it
      // would be sent again and again while recording fails.
      const trace = delivery.messageId && this.#world.tracing?.logFields(delivery.messageId)
      this.#world.log.error({ err: error, delivery: deliveryId, ...trace }, 'delivery not recorded')
    }
    if (isFinished) this.#follow(this.#held.finish(delivery))
    else await this.release(this.#held.release(delivery))
    this.#options.onDone()
  }

  /** The next event of a message that is finished. */
  #follow(next: LeasedDelivery | null): void {
    if (next === null) return
    next.endpoint.hold(next.deliveryId)
    this.submitNext(next.endpoint)
  }

  /** Null if a stop ended the request before a response. Another process may send it immediately. */
  async #attempt(delivery: LeasedDelivery): Promise<AttemptResult | null> {
    const { clock, log } = this.#world
    const { endpoint, deliveryId } = delivery
    let result: AttemptResult
    const starting = this.#startSpan(delivery)
    const span = starting && (await starting)
    try {
      result = await attemptDelivery(this.#http, log, {
        webhook: delivery.webhook,
        eventId: delivery.eventId,
        body: delivery.body,
        time: { now: clock.now(), offsetMs: clock.offsetMs },
        signal: this.#giveUp.signal,
        traceparent: span?.traceparent,
        prepare: this.#otherRequest(delivery),
      })
    } catch {
      endpoint.cancel(deliveryId)
      await this.release([delivery])
      return null
    }
    endSpan(span, delivery, result)
    const { durationMs, retryAfterMs } = result
    const answer = result.kind === 'success' ? 'success' : 'failure'
    const nowMs = clock.nowMs()
    endpoint.finish(deliveryId, answer, { nowMs, durationMs, retryAfterMs })
    // Its slot is free, although the record is not written yet.
    this.submitNext(endpoint)
    if (endpoint.wantsClaim(nowMs)) this.#options.onFree()
    return result
  }

  #otherRequest({ webhook, eventId, messageId, url, body }: LeasedDelivery) {
    const { other } = this.#options
    if (webhook.format === 'json' || other === null) return undefined
    const { accountId, format } = webhook
    const delivery = { format, accountId, eventId, messageId, url, body }
    const context = { now: this.#world.clock.now(), signal: this.#giveUp.signal }
    return () => prepareOther(other, this.#http, delivery, context)
  }

  /** Null if no trace follows its message. Most attempts wait for nothing here. */
  #startSpan({ messageId, endpoint }: LeasedDelivery): Promise<OutgoingSpan | null> | null {
    const { tracing } = this.#world
    if (messageId === null || !tracing?.mayFollow(messageId)) return null
    return tracing.startOutgoing(endpoint.accountId, messageId, 'webhook')
  }

  // No longer held from here on. The next claim may bring them again.
  async #releaseBuffer(endpoint: Endpoint): Promise<void> {
    const deliveries = endpoint.releaseBuffer().map((id) => this.#held.get(id)!)
    const followers = deliveries.flatMap((delivery) => this.#held.release(delivery))
    const releasing = this.release([...deliveries, ...followers])
    this.#releasing.add(releasing)
    await releasing
    this.#releasing.delete(releasing)
    const { accountId, webhookId } = endpoint
    this.#options.onReady([{ accountId, subscriberId: webhookId }])
  }

  // The lease brings them back in any case. A release only saves the wait.
  async release(deliveries: readonly LeasedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return
    const { db, clock } = this.#world
    const { accountId } = deliveries[0]!.endpoint
    const leased = deliveries.map((delivery) => ({ ...delivery, id: delivery.deliveryId }))
    await releaseLeased(db, accountId, leased, clock.now()).catch(() => {})
  }

  /** Nothing is held afterwards. */
  async drain(): Promise<void> {
    const timer = setTimeout(() => this.#giveUp.abort(new Error('stopping')), GRACE_MS)
    const endpoints = new Set([...this.#held.values()].map(({ endpoint }) => endpoint))
    for (const endpoint of endpoints) void this.#releaseBuffer(endpoint) // awaited below, with all others
    await this.#held.drain()
    clearTimeout(timer)
    await Promise.all(this.#releasing)
    await this.#http.close()
  }
}

function endSpan(span: OutgoingSpan | null, delivery: LeasedDelivery, result: AttemptResult): void {
  const attributes = {
    'longcode.webhook': delivery.webhook.id,
    'longcode.event': delivery.eventId,
    'longcode.attempt': delivery.attempts + 1,
    'http.response.status_code': result.responseStatus,
  }
  const error = result.kind === 'success' ? null : (result.error ?? `HTTP ${result.responseStatus}`)
  span?.end(attributes, error)
}
