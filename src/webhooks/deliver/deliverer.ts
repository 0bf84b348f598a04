// The deliverer finds due deliveries and leases them, and its sender sends them. It holds no database connection during a request,
// and no endpoint waits for another. A busy endpoint has the next deliveries in its buffer, and one that keeps up gets new ones
// without a claim (events/queue/direct-deliveries.ts).

import { setImmediate } from 'node:timers/promises'
import { findEndedBatches, requeueBatch } from '../../events/queue/delivery-batch-queries.js'
import type { SubscriberKey } from '../../events/queue/delivery-claim-queries.js'
import type { DirectDeliveries, DirectOffer } from '../../events/queue/direct-deliveries.js'
import { DueFinder } from '../../events/queue/due-finder.js'
import { Cache } from '../../kit/cache.js'
import { newId } from '../../kit/ids.js'
import { KeyedBackoff } from '../../kit/keyed-backoff.js'
import { isWorkerAway } from '../../kit/postgres/db-failure.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import type { DescribeMessages } from '../event-body.js'
import type { OtherFormat } from '../other-format.js'
import { claimAccount, type LeasedDelivery, prepareDeliveries } from './claim-account.js'
import { DeliverySender, LEASE_MS } from './delivery-sender.js'
import { type DirectRow, directRows } from './direct-rows.js'
import type { Endpoint } from './endpoint.js'
import { EndpointBoard, type EndpointClaim } from './endpoint-board.js'
import type { MakeRequest } from './make-requests.js'
import { Waker } from './waker.js'

const HINTS = ['deliveries', 'clock'] as const
const IDLE_MS = 150
/** The minimum interval between checks, however many hints arrive. */
const POLL_EVERY_MS = 20
const TIMEOUT_MS = 15_000
const CLAIMS_AT_ONCE = 3
const BODIES_KEPT_MAX = 2_000
const BODY_KEPT_MS = 5_000
/** With this many records waiting, the database is behind and nothing more is claimed. */
const UNRECORDED_MAX = 1_000

/** Deliveries without a claim, of all webhooks together: each has its body in memory. */
const DIRECT_MAX = 4_000

export interface DelivererOptions {
  /** For webhooks with another format than ours. */
  other?: OtherFormat
  /** What creates deliveries in this process. */
  direct?: DirectDeliveries
  timeoutMs?: number
}

export class Deliverer {
  readonly loop: Loop
  readonly #world: World
  readonly #describe: DescribeMessages
  readonly #other: OtherFormat | null
  readonly #sender: DeliverySender
  readonly #board = new EndpointBoard()
  readonly #finder: DueFinder
  /** The webhooks of a campaign get the same events at about the same time, so each is serialized once. */
  readonly #recentBodies: Cache<string, MakeRequest>
  readonly #waker = new Waker()
  readonly #direct: DirectDeliveries | null
  /** Statements that may lease deliveries for us. */
  readonly #offers = new Set<Promise<void>>()
  readonly #aside: KeyedBackoff
  /** Deliveries that running statements may lease for us. */
  #promised = 0
  #isHinted = true
  #isBehind = false
  /** Everything that a claim found waits behind earlier events, so the next ones are claimed immediately. */
  #isMore = false
  #polledAtMs = 0

  constructor(
    world: World,
    describe: DescribeMessages,
    { other, direct, timeoutMs = TIMEOUT_MS }: DelivererOptions = {},
  ) {
    this.#world = world
    this.#other = other ?? null
    this.#describe = describe
    this.#finder = new DueFinder({
      db: world.db,
      hints: world.hints,
      kind: 'webhook',
      recover: (now) => this.#requeueEnded(now),
    })
    this.#recentBodies = new Cache({
      max: BODIES_KEPT_MAX,
      keptMs: BODY_KEPT_MS,
      nowMs: () => world.clock.nowMs(),
    })
    this.#sender = new DeliverySender(world, {
      ...{ other: this.#other, timeoutMs },
      onReady: (keys) => {
        this.#board.markReady(keys)
        this.#waker.wake()
      },
      onFree: () => this.#waker.wake(),
      onDone: () => {
        if (this.#sender.held === 0 || this.#isBehind) this.#waker.wake()
      },
    })
    this.#direct = direct ?? null
    direct?.open((accountId, count, now) => this.#offer(accountId, count, now))
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
      end: () => this.#drain(),
      onError: (error) => world.log.error({ err: error }, 'delivering events failed'),
    }
    this.#aside = new KeyedBackoff(this.loop.onError)
  }

  /** Keeps running while anything is in progress. */
  async #step(signal: AbortSignal): Promise<number> {
    let handled = 0
    do {
      await this.#look()
      handled += await this.#claim()
      if (this.#sender.held === 0 && !this.#isMore) break
      await this.#waker.wait(Math.max(1, this.#msUntilLook()), signal)
      await setImmediate() // responses arrive in groups, and one check serves them all
    } while (!signal.aborted)
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

  /** What a process that died had in progress. */
  async #requeueEnded(now: Date): Promise<SubscriberKey[]> {
    const { db } = this.#world
    const ended = await findEndedBatches(db, now)
    for (const batch of ended) {
      await this.#aside.attempt(batch.accountId, () =>
        db.transaction((tx) => requeueBatch(tx, batch, now)),
      )
    }
    return ended
  }

  async #claim(): Promise<number> {
    this.#isMore = false
    this.#isBehind = this.#sender.unrecorded >= UNRECORDED_MAX
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
    for (const delivery of leased) this.#sender.hold(delivery)
    for (const { endpoint } of claims) this.#sender.submitNext(endpoint)
    if (leased.length === 0 && claims.some(({ endpoint }) => endpoint.wantsClaim(now.getTime()))) {
      this.#isMore = true
      this.#waker.wake()
    }
    return leased.length
  }

  #offer(accountId: string, count: number, now: Date): DirectOffer | null {
    if (this.#sender.unrecorded >= UNRECORDED_MAX) return null
    const room = Math.floor((DIRECT_MAX - this.#sender.held - this.#promised) / count)
    if (room < 1) return null
    const endpoints = this.#board.findDirect(accountId, count, now.getTime()).slice(0, room)
    if (endpoints.length === 0) return null
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    const subscriberIds = endpoints.map(({ webhookId }) => webhookId)
    const batchIds = endpoints.map(() => newId('bat', now))
    let settle: DirectOffer['settle'] = () => {}
    const settled = new Promise<Parameters<DirectOffer['settle']>>((resolve) => {
      settle = (...created) => resolve(created)
    })
    this.#promise(endpoints, count)
    const take = async () => {
      const [created, change] = await settled
      const rows = directRows(created, change, { subscriberIds, batchIds })
      if (rows.length > 0) await this.#take({ accountId, endpoints, now, leaseUntil }, rows)
    }
    const taken = take()
      .catch(this.loop.onError) // left to the lease
      .finally(() => {
        this.#promise(endpoints, -count)
        this.#offers.delete(taken)
      })
    this.#offers.add(taken)
    return { subscriberIds, batchIds, leaseUntil, settle }
  }

  #promise(endpoints: readonly Endpoint[], count: number): void {
    this.#promised += count * endpoints.length
    for (const endpoint of endpoints) endpoint.promise(count)
  }

  /** Deliveries that were leased for us when they were created. */
  async #take(
    leased: { accountId: string; endpoints: readonly Endpoint[]; now: Date; leaseUntil: Date },
    rows: readonly DirectRow[],
  ): Promise<void> {
    const behind = new Set(rows.filter(({ isBehind }) => isBehind).map(({ id }) => id))
    const preparation = { ...leased, recentBodies: this.#recentBodies, other: this.#other }
    const lost: LeasedDelivery[] = []
    try {
      const prepared = await prepareDeliveries(this.#world, this.#describe, preparation, rows)
      for (const delivery of prepared) {
        const isLost = behind.has(delivery.deliveryId) && !this.#sender.knowsEarlier(delivery)
        if (isLost) lost.push(delivery)
        else this.#sender.hold(delivery)
      }
    } catch (error) {
      this.loop.onError(error) // released, or left to the lease
    }
    for (const endpoint of leased.endpoints) {
      this.#board.allotDirect(endpoint, this.#world.clock.nowMs())
      this.#sender.submitNext(endpoint)
    }
    if (lost.length === 0) return
    await this.#sender.release(lost)
    this.#world.hints.receive('deliveries', [leased.accountId])
  }

  async #drain(): Promise<void> {
    this.#direct?.close()
    await Promise.all(this.#offers)
    await this.#sender.drain()
  }
}
