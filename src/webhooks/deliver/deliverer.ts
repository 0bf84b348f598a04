// The deliverer: finds what is due, leases it, sends it, records how it went. No connection to the
// database is held during a call, and no endpoint waits for another: each has slots of its own,
// filled again as they come free, and a busy one has the next already in its buffer.

import { setImmediate } from 'node:timers/promises'
import { releaseDeliveries } from '../../events/queue/delivery-lease-queries.js'
import { createHttpClient, type HttpClient } from '../../kit/http-client/http-client.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import type { DescribeMessages } from '../event-body.js'
import { attemptDelivery } from './attempt-delivery.js'
import { AttemptRecorder } from './attempt-recorder.js'
import { claimAccount, type PreparedDelivery } from './claim-account.js'
import type { Endpoint } from './endpoint.js'
import { type Claim, EndpointBoard } from './endpoint-board.js'
import { DueFinder } from './find-due.js'
import { RecentBodies } from './recent-bodies.js'
import { Waker } from './waker.js'

const IDLE_MS = 150
/** However many hints come, looking around is not done more often than this. */
const LOOK_EVERY_MS = 20
const TIMEOUT_MS = 15_000
const RESPONSE_BYTES_MAX = 64 * 1024
const CONNECTIONS_PER_ORIGIN = 256 // several accounts may well use one host
/** Outlasts the timeout of a call by what a slow database may take to record it. */
const LEASE_MS = 45_000
/** What waited in a buffer for so long has too little of the lease left for a call. */
const BUFFER_MS_MAX = 20_000
/** How long a stopping process waits for answers before it gives its claims back. */
const GRACE_MS = 5_000
const CLAIMS_AT_ONCE = 3
/** So much waits to be recorded that the database is behind: nothing more is claimed. */
const UNRECORDED_MAX = 1_000

export interface DeliverOptions {
  timeoutMs?: number
}

export function deliverLoop(
  world: World,
  describeMessages: DescribeMessages,
  options: DeliverOptions = {},
): Loop {
  const deliverer = new Deliverer(world, describeMessages, options.timeoutMs ?? TIMEOUT_MS)
  return {
    name: 'deliver',
    hints: ['deliveries', 'clock'],
    idleMs: IDLE_MS,
    step: (signal) => deliverer.step(signal),
    onError: (error) => world.log.error({ err: error }, 'delivering events failed'),
  }
}

class Deliverer {
  readonly #world: World
  readonly #describe: DescribeMessages
  readonly #http: HttpClient
  readonly #recorder: AttemptRecorder
  readonly #board = new EndpointBoard()
  readonly #finder = new DueFinder()
  readonly #recentBodies = new RecentBodies()
  readonly #waker = new Waker()
  readonly #giveUp = new AbortController()
  /** Until their record is written, by delivery. */
  readonly #underWay = new Map<string, PreparedDelivery>()
  readonly #releasing = new Set<Promise<void>>()
  #isHinted = true
  #isBehind = false
  #lookedAtMs = 0

  constructor(world: World, describe: DescribeMessages, timeoutMs: number) {
    this.#world = world
    this.#describe = describe
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
    for (const hint of ['deliveries', 'clock'] as const) {
      world.hints.subscribe(hint, () => {
        this.#isHinted = true
        this.#waker.wake()
      })
    }
  }

  /** Stays as long as anything is under way, so that a stop finds it here and waits for the rest. */
  async step(signal: AbortSignal): Promise<number> {
    let handled = 0
    do {
      await this.#look()
      handled += await this.#claim()
      if (this.#underWay.size === 0) break
      await this.#waker.wait(Math.max(1, this.#msUntilLook()), signal)
      await setImmediate() // answers come by the dozen: one look at the board serves them all
    } while (!signal.aborted)
    if (signal.aborted) await this.#drain()
    return handled
  }

  #msUntilLook(): number {
    return this.#lookedAtMs + (this.#isHinted ? LOOK_EVERY_MS : IDLE_MS) - performance.now()
  }

  async #look(): Promise<void> {
    if (this.#msUntilLook() > 0) return
    this.#isHinted = false
    this.#lookedAtMs = performance.now()
    this.#recentBodies.forgetOld(this.#world.clock.nowMs())
    this.#board.markReady(await this.#finder.look(this.#world.db, this.#world.clock.now()))
  }

  async #claim(): Promise<number> {
    this.#isBehind = this.#recorder.depth >= UNRECORDED_MAX
    if (this.#isBehind) return 0
    const now = this.#world.clock.now()
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    const accounts = [...this.#board.allotClaims(now.getTime())]
    let claimed = 0
    const claimNext = async (): Promise<void> => {
      for (let next = accounts.pop(); next; next = accounts.pop()) {
        claimed += await this.#claimOf(next[0], next[1], now, leaseUntil)
      }
    }
    await Promise.all(Array.from({ length: CLAIMS_AT_ONCE }, claimNext))
    return claimed
  }

  async #claimOf(accountId: string, claims: Claim[], now: Date, leaseUntil: Date): Promise<number> {
    const prepared = await claimAccount(this.#world, this.#describe, {
      accountId,
      claims,
      now,
      leaseUntil,
      recentBodies: this.#recentBodies,
    })
    for (const delivery of prepared) this.#take(delivery)
    for (const { endpoint } of claims) this.#startNext(endpoint)
    return prepared.length
  }

  #take(delivery: PreparedDelivery): void {
    const known = this.#underWay.get(delivery.deliveryId)
    if (known) {
      // A jump of the clock ended the lease of a call that is still under way: it has a new one.
      known.leaseUntil = delivery.leaseUntil
      return
    }
    this.#underWay.set(delivery.deliveryId, delivery)
    delivery.endpoint.buffer.push(delivery.deliveryId)
  }

  /** As many from the buffer as there are slots. Nothing stays in the buffer where it could take long. */
  #startNext(endpoint: Endpoint): void {
    const { buffer } = endpoint
    const nowMs = this.#world.clock.nowMs()
    while (buffer.length > 0 && endpoint.maySubmit(nowMs)) {
      const delivery = this.#underWay.get(buffer[0]!)!
      if (delivery.leaseUntil.getTime() < nowMs + LEASE_MS - BUFFER_MS_MAX) break
      buffer.shift()
      void this.#start(delivery, nowMs)
    }
    if (buffer.length === 0) return
    if (endpoint.isUnhealthy(nowMs) || endpoint.underWay === 0) void this.#giveBack(endpoint)
  }

  async #start(delivery: PreparedDelivery, nowMs: number): Promise<void> {
    delivery.endpoint.start(delivery.deliveryId, nowMs)
    try {
      await this.#deliver(delivery)
    } catch (error) {
      await this.#abandon(delivery, error)
    }
    this.#underWay.delete(delivery.deliveryId)
    if (this.#underWay.size === 0 || this.#isBehind) this.#waker.wake()
  }

  async #deliver(delivery: PreparedDelivery): Promise<void> {
    const { clock, log } = this.#world
    const result = await attemptDelivery(this.#http, log, {
      webhook: delivery.webhook,
      eventId: delivery.eventId,
      body: delivery.body,
      time: { now: clock.now(), offsetMs: clock.offsetMs },
      signal: this.#giveUp.signal,
    })
    const { durationMs, retryAfterMs } = result
    const answer = result.kind === 'success' ? 'success' : 'failure'
    const nowMs = clock.now().getTime()
    delivery.endpoint.finish(delivery.deliveryId, answer, { nowMs, durationMs, retryAfterMs })
    // Its slot is free, though the record is still to be written.
    this.#startNext(delivery.endpoint)
    if (delivery.endpoint.wantsClaim(nowMs)) this.#waker.wake()
    await this.#recorder.record(delivery, result)
  }

  // What may have arrived and could not be recorded is left to its lease: given back at once, it would
  // be sent again and again for as long as records fail.
  async #abandon(delivery: PreparedDelivery, error: unknown): Promise<void> {
    const { endpoint, deliveryId } = delivery
    endpoint.cancel(deliveryId)
    if (this.#giveUp.signal.aborted) await this.#release([delivery])
    else this.#world.log.error({ err: error, delivery: deliveryId }, 'delivery not recorded')
    this.#startNext(endpoint)
  }

  // No longer ours from here on: the next claim may bring them again.
  async #giveBack(endpoint: Endpoint): Promise<void> {
    const deliveries = endpoint.buffer.splice(0).map((id) => this.#underWay.get(id)!)
    for (const { deliveryId } of deliveries) this.#underWay.delete(deliveryId)
    const releasing = this.#release(deliveries)
    this.#releasing.add(releasing)
    await releasing
    this.#releasing.delete(releasing)
    endpoint.isReady = true
    this.#waker.wake()
  }

  // The lease brings them back in any case; giving them back only spares the wait.
  async #release(deliveries: readonly PreparedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return
    const { db, clock } = this.#world
    const { accountId } = deliveries[0]!.endpoint
    const ids = deliveries.map((delivery) => delivery.deliveryId)
    const leases = deliveries.map((delivery) => delivery.leaseUntil)
    await releaseDeliveries(db, accountId, ids, leases, clock.now()).catch(() => {})
  }

  async #drain(): Promise<void> {
    const timer = setTimeout(() => this.#giveUp.abort(new Error('stopping')), GRACE_MS)
    const never = new AbortController().signal
    const endpoints = new Set([...this.#underWay.values()].map(({ endpoint }) => endpoint))
    for (const endpoint of endpoints) void this.#giveBack(endpoint)
    while (this.#underWay.size > 0) await this.#waker.wait(IDLE_MS, never)
    clearTimeout(timer)
    await Promise.all(this.#releasing)
    await this.#http.close()
  }
}
