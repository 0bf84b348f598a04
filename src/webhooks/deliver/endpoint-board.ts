// All endpoints that this process knows of at the moment, and who may send how much next.

import type { SubscriberKey } from '../../events/subscription-queries.js'
import { Endpoint, UNWELL_PLACES, WELL_PLACES } from './endpoint.js'

export interface Turn {
  endpoint: Endpoint
  /** How many to claim: what it has places for now, and what waits in line for them. */
  wanted: number
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
      endpoint.isReady = true
    }
  }

  /**
   * Whose turn it is, by account. Endpoints that are well share one set of places and those that are
   * not another; whoever had a turn goes to the end of the line.
   */
  takeTurns(nowMs: number): Map<string, Turn[]> {
    this.#forgetIdle(nowMs)
    const all = [...this.#endpoints]
    const turns = new Map<string, Turn[]>()
    for (const isUnwell of [false, true]) {
      const group = all.filter(([, endpoint]) => endpoint.isUnwell(nowMs) === isUnwell)
      const waiting = group.filter(([, endpoint]) => endpoint.wantsTurn(nowMs))
      let left = isUnwell ? UNWELL_PLACES : WELL_PLACES
      for (const [, endpoint] of group) left -= endpoint.underWay
      const share = Math.max(1, Math.ceil(left / Math.max(1, waiting.length)))
      for (const [key, endpoint] of waiting) {
        const places = Math.max(0, Math.min(share, left, endpoint.freePlaces(nowMs)))
        if (places + endpoint.underWay === 0) continue // nothing that could make room in line
        const wanted = places + endpoint.wantedInLine(nowMs)
        if (wanted === 0) continue
        left -= places
        endpoint.grant(places)
        turns.set(endpoint.accountId, [
          ...(turns.get(endpoint.accountId) ?? []),
          { endpoint, wanted },
        ])
        this.#endpoints.delete(key)
        this.#endpoints.set(key, endpoint)
      }
    }
    return turns
  }

  /** Whether somebody waits only for a rest to end. */
  get isWaiting(): boolean {
    for (const endpoint of this.#endpoints.values()) if (endpoint.isReady) return true
    return false
  }

  #forgetIdle(nowMs: number): void {
    for (const [key, endpoint] of this.#endpoints) {
      if (endpoint.isForgettable(nowMs)) this.#endpoints.delete(key)
    }
  }
}
