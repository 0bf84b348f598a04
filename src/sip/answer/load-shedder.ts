// Decides when there are more calls than this process should accept, before any work on them. The process has a rate.
// Each trunk has a guaranteed share of it, can use what the others leave, and can have its own limit in addition. A flood
// on one trunk never costs another trunk a call.

import { TokenBucket } from './token-bucket.js'

export interface SharingTrunk {
  name: string
  limits: { callsPerSecond: number; callsPerDay: number }
}

interface Share {
  /** The guaranteed share. */
  reserved: TokenBucket
  /** The trunk's own limit; null: none. */
  own: TokenBucket | null
}

export class LoadShedder {
  readonly #perSecond: number
  readonly #retryAfterSeconds: number
  readonly #all: TokenBucket
  #shares = new Map<string, Share>()

  constructor(perSecond: number, retryAfterSeconds: number, trunks: readonly SharingTrunk[] = []) {
    this.#perSecond = perSecond
    this.#retryAfterSeconds = retryAfterSeconds
    this.#all = new TokenBucket(perSecond)
    this.useTrunks(trunks)
  }

  /** Replaces the trunks. */
  useTrunks(trunks: readonly SharingTrunk[]): void {
    const share = this.#perSecond / Math.max(1, trunks.length)
    this.#shares = new Map(
      trunks.map(({ name, limits: { callsPerSecond } }) => [
        name,
        {
          reserved: new TokenBucket(share),
          own: callsPerSecond === 0 ? null : new TokenBucket(callsPerSecond),
        },
      ]),
    )
  }

  /** Null if the call is accepted, otherwise Retry-After in seconds. */
  refuse({ name }: Pick<SharingTrunk, 'name'>, nowMs: number): number | null {
    const share = this.#shares.get(name)
    if (share?.own?.take(nowMs) === false) return this.#retryAfterSeconds
    return this.#admit(name, share, nowMs) ? null : this.#retryAfterSeconds
  }

  #admit(name: string, share: Share | undefined, nowMs: number): boolean {
    if (share?.reserved.take(nowMs)) {
      this.#all.owe(nowMs)
      return true
    }
    if (this.#all.left(nowMs) - this.#reservedForOthers(name, nowMs) < 1) return false
    return this.#all.take(nowMs)
  }

  /** Checked only after a trunk has used its share. */
  #reservedForOthers(name: string, nowMs: number): number {
    let sum = 0
    for (const [other, { reserved }] of this.#shares) {
      if (other !== name) sum += reserved.left(nowMs)
    }
    return sum
  }
}
