// All endpoints that this process currently knows, and which may send how much next.

import type { AccountId } from '../../accounts/account.js'
import type { SubscriberKey } from '../../events/queue/delivery-claim-queries.js'
import { Endpoint, HEALTHY_SLOTS, UNHEALTHY_SLOTS } from './endpoint.js'

export interface EndpointClaim {
  endpoint: Endpoint
  /** How many to claim: for its free slots, and for its buffer. */
  count: number
}

/** Those that wait for nothing are remembered for seconds, and may be many. */
const EVICT_EVERY_MS = 1_000

export class EndpointBoard {
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #ofAccount = new Map<AccountId, Set<Endpoint>>()
  #evictedAtMs = Number.NEGATIVE_INFINITY
  /** All that may have requests in progress, and some that have none anymore. */
  readonly #busy = new Set<Endpoint>()
  /** The healthy ones that have or want slots, if one of them got none. Otherwise 0. */
  #crowd = 0

  get underWay(): number {
    let sum = 0
    for (const endpoint of this.#endpoints.values()) sum += endpoint.underWay
    return sum
  }

  /** Something of these may be due. */
  markReady(keys: readonly SubscriberKey[]): void {
    for (const { accountId, subscriberId } of keys) {
      const key = `${accountId} ${subscriberId}`
      let endpoint = this.#endpoints.get(key)
      if (!endpoint) {
        endpoint = new Endpoint(accountId, subscriberId)
        this.#endpoints.set(key, endpoint)
        const own = this.#ofAccount.get(accountId) ?? new Set()
        this.#ofAccount.set(accountId, own.add(endpoint))
      }
      endpoint.markReady()
    }
  }

  /** The webhooks of an account that take this many new deliveries without a claim. */
  findDirect(accountId: AccountId, count: number, nowMs: number): Endpoint[] {
    const own = this.#ofAccount.get(accountId)
    if (own === undefined) return []
    return [...own].filter((endpoint) => endpoint.takesDirectly(count, nowMs))
  }

  /** The slots of one that got deliveries without a claim: as many as are free, at most its share. */
  allotDirect(endpoint: Endpoint, nowMs: number): void {
    this.#busy.add(endpoint)
    let [left, sharing] = [HEALTHY_SLOTS, 1]
    for (const other of this.#busy) {
      if (other.underWay === 0) {
        if (other !== endpoint) this.#busy.delete(other)
      } else if (!other.isUnhealthy(nowMs)) {
        left -= other.underWay
        if (other !== endpoint) sharing += 1
      }
    }
    const share = Math.ceil(HEALTHY_SLOTS / Math.max(sharing, this.#crowd)) - endpoint.underWay
    endpoint.allot(Math.max(0, Math.min(share, left)))
  }

  /**
   * What to claim next, by account. Healthy endpoints share one set of slots, unhealthy ones another. An endpoint
   * that got its share goes to the end of the queue.
   */
  allotClaims(nowMs: number): Map<string, EndpointClaim[]> {
    this.#evictIdle(nowMs)
    const all: [string, Endpoint][] = []
    for (const entry of this.#endpoints) {
      if (entry[1].isReady || entry[1].underWay > 0) all.push(entry)
    }
    const claims = new Map<string, EndpointClaim[]>()
    for (const isUnhealthy of [false, true]) {
      const group = all.filter(([, endpoint]) => endpoint.isUnhealthy(nowMs) === isUnhealthy)
      const waiting = group.filter(([, endpoint]) => endpoint.wantsClaim(nowMs))
      let left = isUnhealthy ? UNHEALTHY_SLOTS : HEALTHY_SLOTS
      for (const [, endpoint] of group) left -= endpoint.underWay
      const share = Math.max(1, Math.ceil(left / Math.max(1, waiting.length)))
      let isAnyoneWithout = false
      for (const [key, endpoint] of waiting) {
        const slots = Math.max(0, Math.min(share, left, endpoint.freeSlots(nowMs)))
        if (slots + endpoint.underWay === 0) {
          isAnyoneWithout = true // and nothing in progress that would drain its buffer
          continue
        }
        const count = slots + endpoint.roomInBuffer(nowMs)
        if (count === 0) continue
        left -= slots
        endpoint.allot(slots)
        this.#busy.add(endpoint)
        claims.set(endpoint.accountId, [
          ...(claims.get(endpoint.accountId) ?? []),
          { endpoint, count },
        ])
        this.#endpoints.delete(key)
        this.#endpoints.set(key, endpoint)
      }
      if (!isUnhealthy) this.#crowd = isAnyoneWithout ? group.length : 0
      if (isAnyoneWithout) shrink(group, isUnhealthy)
    }
    return claims
  }

  #evictIdle(nowMs: number): void {
    if (Math.abs(nowMs - this.#evictedAtMs) < EVICT_EVERY_MS) return
    this.#evictedAtMs = nowMs
    for (const [key, endpoint] of this.#endpoints) {
      if (!endpoint.isEvictable(nowMs)) continue
      this.#endpoints.delete(key)
      this.#busy.delete(endpoint)
      const own = this.#ofAccount.get(endpoint.accountId)
      own?.delete(endpoint)
      if (own?.size === 0) this.#ofAccount.delete(endpoint.accountId)
    }
  }
}

/** Buffers refill slots as responses come, so those with more than their share leave some of them empty. */
function shrink(group: readonly [string, Endpoint][], isUnhealthy: boolean): void {
  const slots = isUnhealthy ? UNHEALTHY_SLOTS : HEALTHY_SLOTS
  for (const [, endpoint] of group) endpoint.shrinkTo(Math.ceil(slots / group.length))
}
