// All endpoints that this process currently knows, and which may send how much next.

import type { SubscriberKey } from '../../events/queue/delivery-claim-queries.js'
import { Endpoint, HEALTHY_SLOTS, UNHEALTHY_SLOTS } from './endpoint.js'

export interface EndpointClaim {
  endpoint: Endpoint
  /** How many to claim: for its free slots, and for its buffer. */
  count: number
}

export class EndpointBoard {
  readonly #endpoints = new Map<string, Endpoint>()

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
      }
      endpoint.markReady()
    }
  }

  /**
   * What to claim next, by account. Healthy endpoints share one set of slots, unhealthy ones another. An endpoint
   * that got its share goes to the end of the queue.
   */
  allotClaims(nowMs: number): Map<string, EndpointClaim[]> {
    this.#evictIdle(nowMs)
    const all = [...this.#endpoints]
    const claims = new Map<string, EndpointClaim[]>()
    for (const isUnhealthy of [false, true]) {
      const group = all.filter(([, endpoint]) => endpoint.isUnhealthy(nowMs) === isUnhealthy)
      const waiting = group.filter(([, endpoint]) => endpoint.wantsClaim(nowMs))
      let left = isUnhealthy ? UNHEALTHY_SLOTS : HEALTHY_SLOTS
      for (const [, endpoint] of group) left -= endpoint.underWay
      const share = Math.max(1, Math.ceil(left / Math.max(1, waiting.length)))
      for (const [key, endpoint] of waiting) {
        const slots = Math.max(0, Math.min(share, left, endpoint.freeSlots(nowMs)))
        if (slots + endpoint.underWay === 0) continue // nothing in progress that would drain the buffer
        const count = slots + endpoint.roomInBuffer(nowMs)
        if (count === 0) continue
        left -= slots
        endpoint.allot(slots)
        claims.set(endpoint.accountId, [
          ...(claims.get(endpoint.accountId) ?? []),
          { endpoint, count },
        ])
        this.#endpoints.delete(key)
        this.#endpoints.set(key, endpoint)
      }
    }
    return claims
  }

  #evictIdle(nowMs: number): void {
    for (const [key, endpoint] of this.#endpoints) {
      if (endpoint.isEvictable(nowMs)) this.#endpoints.delete(key)
    }
  }
}
