// The deliverer finds due deliveries, leases them, sends them, and records the results. It holds no database
// connection during a request, and no endpoint waits for another. Each endpoint has its own slots, refilled as they
// become free, and a busy one has the next deliveries in its buffer.

import { setImmediate } from 'node:timers/promises'
import { releaseDeliveries } from '../../events/queue/delivery-lease-queries.js'
import { DueFinder } from '../../events/queue/due-finder.js'
import { Cache } from '../../kit/cache.js'
import { createHttpClient, type HttpClient } from '../../kit/http-client/http-client.js'
import { InFlight } from '../../kit/in-flight.js'
import { KeyedBackoff } from '../../kit/keyed-backoff.js'
import { isWorkerAway } from '../../kit/postgres/db-failure.js'
import type { OutgoingSpan } from '../../kit/tracing/tracing.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import type { DescribeMessages } from '../event-body.js'
import type { OtherFormat } from '../other-format.js'
import { type AttemptResult, attemptDelivery } from './attempt-delivery.js'
import { AttemptRecorder } from './attempt-recorder.js'
import { claimAccount, type LeasedDelivery, type MakeRequest } from './claim-account.js'
import type { Endpoint } from './endpoint.js'
import { EndpointBoard, type EndpointClaim } from './endpoint-board.js'
import { prepareOther } from './other-request.js'
import { Waker } from './waker.js'

const HINTS = ['deliveries', 'clock'] as const
const IDLE_MS = 150
/** The minimum interval between checks, however many hints arrive. */
const POLL_EVERY_MS = 20
const TIMEOUT_MS = 15_000
const RESPONSE_BYTES_MAX = 64 * 1024
const CONNECTIONS_PER_ORIGIN = 256 // several accounts may use one host
/** The timeout of a request plus the time that a slow database may take to record it. */
const LEASE_MS = 45_000
/** After this long in a buffer, too little of the lease is left for a request. */
const BUFFER_MS_MAX = 20_000
/** How long a stopping process waits for responses before it releases what is in flight. */
const GRACE_MS = 5_000
const CLAIMS_AT_ONCE = 3
const BODIES_KEPT_MAX = 2_000
const BODY_KEPT_MS = 5_000
/** With this many records waiting, the database is behind and nothing more is claimed. */
const UNRECORDED_MAX = 1_000

export interface DelivererOptions {
  /** For webhooks with another format than ours. */
  other?: OtherFormat
  timeoutMs?: number
}

export class Deliverer {
  readonly loop: Loop
  readonly #world: World
  readonly #describe: DescribeMessages
  readonly #http: HttpClient
  readonly #other: OtherFormat | null
  readonly #recorder: AttemptRecorder
  readonly #board = new EndpointBoard()
  readonly #finder: DueFinder
  /** The webhooks of a campaign get the same events at about the same time, so each is serialized once. */
  readonly #recentBodies: Cache<string, MakeRequest>
  readonly #waker = new Waker()
  readonly #giveUp = new AbortController()
  /** Until they are recorded or released, by delivery. */
  readonly #inFlight = new InFlight<LeasedDelivery>()
  readonly #releasing = new Set<Promise<void>>()
  readonly #aside: KeyedBackoff
  #isHinted = true
  #isBehind = false
  /** Everything that a claim found waits behind earlier events, so the next ones are claimed immediately. */
  #isMore = false
  #polledAtMs = 0

  constructor(
    world: World,
    describe: DescribeMessages,
    { other, timeoutMs = TIMEOUT_MS }: DelivererOptions = {},
  ) {
    this.#world = world
    this.#other = other ?? null
    this.#describe = describe
    this.#finder = new DueFinder({ db: world.db, hints: world.hints, kind: 'webhook' })
    this.#recentBodies = new Cache({
      max: BODIES_KEPT_MAX,
      keptMs: BODY_KEPT_MS,
      nowMs: () => world.clock.nowMs(),
    })
    this.#http = createHttpClient({
      allowPrivate: world.config.mode === 'sandbox',
      allow: world.config.webhookAllow,
      timeoutMs,
      maxResponseBytes: RESPONSE_BYTES_MAX,
      connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
    })
    this.#recorder = new AttemptRecorder(world, (keys) => {
      this.#board.markReady(keys)
      this.#waker.wake()
    })
    for (const hint of HINTS) {
      world.hints.subscribe(hint, (accountIds) => {
        this.#isHinted = true
        this.#finder.hint(accountIds)
        this.#waker.wake()
      })
    }
    this.loop = {
      name: 'deliver',
      hints: HINTS,
      idleMs: IDLE_MS,
      step: (signal) => this.#step(signal),
      onError: (error) => world.log.error({ err: error }, 'delivering events failed'),
    }
    this.#aside = new KeyedBackoff(this.loop.onError)
  }

  /** Keeps running while anything is in progress, so a stop waits for the rest. */
  async #step(signal: AbortSignal): Promise<number> {
    let handled = 0
    do {
      await this.#look()
      handled += await this.#claim()
      if (this.#inFlight.size === 0 && !this.#isMore) break
      await this.#waker.wait(Math.max(1, this.#msUntilLook()), signal)
      await setImmediate() // responses arrive in groups, and one check serves them all
    } while (!signal.aborted)
    if (signal.aborted) await this.#drain()
    return handled
  }

  #msUntilLook(): number {
    return this.#polledAtMs + (this.#isHinted ? POLL_EVERY_MS : IDLE_MS) - performance.now()
  }

  async #look(): Promise<void> {
    if (this.#msUntilLook() > 0) return
    this.#isHinted = false
    this.#polledAtMs = performance.now()
    this.#recentBodies.evictExpired() // also when nothing is sent, because payloads must not stay in memory
    this.#board.markReady(await this.#finder.look(this.#world.clock.now()))
  }

  async #claim(): Promise<number> {
    this.#isMore = false
    this.#isBehind = this.#recorder.depth >= UNRECORDED_MAX
    if (this.#isBehind) return 0
    const now = this.#world.clock.now()
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    const accounts = [...this.#board.allotClaims(now.getTime())]
    let claimed = 0
    const claimNext = async (): Promise<void> => {
      for (let next = accounts.pop(); next; next = accounts.pop()) {
        const [accountId, claims] = next
        const claim = () => this.#claimOf(accountId, claims, now, leaseUntil)
        const count = await this.#aside.attempt(accountId, claim)
        claimed += count ?? 0 // after the wait, because others add to it, too
      }
    }
    await Promise.all(Array.from({ length: CLAIMS_AT_ONCE }, claimNext))
    return claimed
  }

  async #claimOf(
    accountId: string,
    claims: EndpointClaim[],
    now: Date,
    leaseUntil: Date,
  ): Promise<number> {
    const recentBodies = this.#recentBodies
    const claim = { accountId, claims, now, leaseUntil, recentBodies, other: this.#other }
    const leased = await claimAccount(this.#world, this.#describe, claim).catch((error) => {
      // Found again by the sweep once its worker is back. Until then it takes no slots from others.
      if (isWorkerAway(error)) for (const { endpoint } of claims) endpoint.markExhausted()
      throw error
    })
    for (const delivery of leased) this.#hold(delivery)
    for (const { endpoint } of claims) this.#submitNext(endpoint)
    if (leased.length === 0 && claims.some(({ endpoint }) => endpoint.wantsClaim(now.getTime()))) {
      this.#isMore = true
      this.#waker.wake()
    }
    return leased.length
  }

  #hold(delivery: LeasedDelivery): void {
    const current = this.#inFlight.get(delivery.deliveryId)
    if (current) {
      // A clock jump ended its lease while it is in flight, so it gets a new one.
      current.leaseUntil = delivery.leaseUntil
      return
    }
    this.#inFlight.hold(delivery.deliveryId, delivery)
    delivery.endpoint.hold(delivery.deliveryId)
  }

  /** As many from the buffer as there are slots. Nothing stays in the buffer if it could take long. */
  #submitNext(endpoint: Endpoint): void {
    const nowMs = this.#world.clock.nowMs()
    for (let id = endpoint.next; id !== undefined; id = endpoint.next) {
      if (!endpoint.maySubmit(nowMs)) break
      const delivery = this.#inFlight.get(id)!
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
    try {
      if (result) await this.#recorder.record(delivery, result)
    } catch (error) {
      // A delivery that may have arrived and could not be recorded is left to its lease. Released immediately, it
      // would be sent again and again while recording fails.
      const trace = delivery.messageId && this.#world.tracing?.logFields(delivery.messageId)
      this.#world.log.error({ err: error, delivery: deliveryId, ...trace }, 'delivery not recorded')
    }
    this.#inFlight.release(deliveryId)
    if (this.#inFlight.size === 0 || this.#isBehind) this.#waker.wake()
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
        ...(span && { traceparent: span.traceparent }),
        ...this.#inOtherFormat(delivery),
      })
    } catch {
      endpoint.cancel(deliveryId)
      await this.#release([delivery])
      return null
    }
    endSpan(span, delivery, result)
    const { durationMs, retryAfterMs } = result
    const answer = result.kind === 'success' ? 'success' : 'failure'
    const nowMs = clock.nowMs()
    endpoint.finish(deliveryId, answer, { nowMs, durationMs, retryAfterMs })
    // Its slot is free, although the record is not written yet.
    this.#submitNext(endpoint)
    if (endpoint.wantsClaim(nowMs)) this.#waker.wake()
    return result
  }

  #inOtherFormat({ webhook, eventId, messageId, url, body }: LeasedDelivery) {
    const other = this.#other
    if (webhook.format === 'json' || other === null) return {}
    const { accountId, format } = webhook
    const delivery = { format, accountId, eventId, messageId, url, body }
    const context = { now: this.#world.clock.now(), signal: this.#giveUp.signal }
    return { prepare: () => prepareOther(other, this.#http, delivery, context) }
  }

  /** Null if no trace follows its message. Most attempts wait for nothing here. */
  #startSpan({ messageId, endpoint }: LeasedDelivery): Promise<OutgoingSpan | null> | null {
    const { tracing } = this.#world
    if (messageId === null || !tracing?.mayFollow(messageId)) return null
    return tracing.startOutgoing(endpoint.accountId, messageId, 'webhook')
  }

  // No longer in flight from here on. The next claim may bring them again.
  async #releaseBuffer(endpoint: Endpoint): Promise<void> {
    const deliveries = endpoint.releaseBuffer().map((id) => this.#inFlight.get(id)!)
    for (const { deliveryId } of deliveries) this.#inFlight.release(deliveryId)
    const releasing = this.#release(deliveries)
    this.#releasing.add(releasing)
    await releasing
    this.#releasing.delete(releasing)
    endpoint.markReady()
    this.#waker.wake()
  }

  // The lease brings them back in any case. A release only saves the wait.
  async #release(deliveries: readonly LeasedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return
    const { db, clock } = this.#world
    const { accountId } = deliveries[0]!.endpoint
    const ids = deliveries.map((delivery) => delivery.deliveryId)
    const leases = deliveries.map((delivery) => delivery.leaseUntil)
    await releaseDeliveries(db, accountId, ids, leases, clock.now()).catch(() => {})
  }

  async #drain(): Promise<void> {
    const timer = setTimeout(() => this.#giveUp.abort(new Error('stopping')), GRACE_MS)
    const endpoints = new Set([...this.#inFlight.values()].map(({ endpoint }) => endpoint))
    for (const endpoint of endpoints) void this.#releaseBuffer(endpoint) // awaited below, with all others
    await this.#inFlight.drain()
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
