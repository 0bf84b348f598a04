// Decides when there are more calls than this process should accept, before any work on them. The process has a rate.
// Each trunk is sure of its share of it, may use what the others leave, and may have a rate of its own on top. So a
// flood on one trunk never costs another trunk a call.

import { TokenBucket } from './token-bucket.js'

export interface SharingTrunk {
  name: string
  limits: { callsPerSecond: number; callsPerDay: number }
}

interface Share {
  /** What nobody else can take. */
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

  /** From now on. */
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

  /** Null where one more call is accepted now, else how many seconds the peer should stay away. */
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

  /** Only looked at once a trunk has used its share. */
  #reservedForOthers(name: string, nowMs: number): number {
    let sum = 0
    for (const [other, { reserved }] of this.#shares) {
      if (other !== name) sum += reserved.left(nowMs)
    }
    return sum
  }
}
