// How many calls may be forwarded for a number, an account and a trunk: so many in a second, in this process, and so
// many in a day, on all nodes together. What other nodes forwarded is learned from the database each time this one
// writes its own counts, so a day's limit may be exceeded by about a second of calls. Memory stays bounded.

import type { AccountId } from '../accounts/account.js'
import type { Clock } from '../kit/clock.js'
import { DAY_MS } from '../kit/contract/days.js'
import type { CallLimitsConfig } from '../kit/settings/voice-config.js'
import type { CallLimiter, LimitFault } from '../sip/answer/answer-message.js'
import { TokenBucket } from '../sip/answer/token-bucket.js'
import type { TrunkSettings } from '../sip/answer/trunk.js'
import { RecentCalls } from './recent-calls.js'

/** Numbers and accounts that are remembered, twice over. One that is forgotten starts with a full bucket. */
const KEYS_MAX = 50_000
const RETRY_AFTER_SECONDS_MAX = 3_600

export type CallScope = 'number' | 'account' | 'trunk'

export class CallLimits implements CallLimiter {
  readonly recent = new RecentCalls()
  readonly #limits: CallLimitsConfig
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #ownerOf: (number: string) => AccountId | null
  readonly #numbers: Buckets
  readonly #accounts: Buckets
  readonly #days = new DayCounts()
  /** Accounts whose balance did not cover their last calls. */
  readonly unpaid = new Set<AccountId>()

  constructor(
    limits: CallLimitsConfig,
    clock: Pick<Clock, 'nowMs'>,
    ownerOf: (number: string) => AccountId | null,
  ) {
    this.#limits = limits
    this.#clock = clock
    this.#ownerOf = ownerOf
    this.#numbers = new Buckets(limits.number.perSecond)
    this.#accounts = new Buckets(limits.account.perSecond)
  }

  /** Null where the call may be forwarded. A repetition of a call that was counted is not limited. */
  admit(number: string, tag: string, nowMs: number): LimitFault | null {
    if (this.recent.peek(tag)) return null
    const owner = this.#ownerOf(number) ?? ''
    if (this.unpaid.size > 0 && this.unpaid.has(owner)) return 'balance'
    const day = this.#today()
    if (isReached(this.#limits.number.perDay, this.#days.get('number', number, day)))
      return 'number limit'
    if (isReached(this.#limits.account.perDay, this.#days.get('account', owner, day)))
      return 'account limit'
    const [ofNumber, ofAccount] = [this.#numbers.get(number), this.#accounts.get(owner)]
    if (ofNumber && ofNumber.left(nowMs) < 1) return 'number limit'
    if (ofAccount && !ofAccount.take(nowMs)) return 'account limit'
    ofNumber?.take(nowMs)
    return null
  }

  /** How many seconds a trunk that has had its calls of the day should stay away; null: it has not. */
  refuseTrunk({ name, limits: { callsPerDay } }: TrunkSettings): number | null {
    if (callsPerDay === 0) return null
    const nowMs = this.#clock.nowMs()
    const day = Math.floor(nowMs / DAY_MS)
    if (!isReached(callsPerDay, this.#days.get('trunk', name, day))) return null
    const leftS = Math.ceil(((day + 1) * DAY_MS - nowMs) / 1000)
    return Math.min(RETRY_AFTER_SECONDS_MAX, leftS)
  }

  /** One more call was forwarded. */
  count(number: string, trunk: string): void {
    const day = this.#today()
    this.#days.add('number', number, day)
    this.#days.add('account', this.#ownerOf(number) ?? '', day)
    this.#days.add('trunk', trunk, day)
  }

  /** How many there were on all nodes by now. */
  observe(scope: CallScope, key: string, day: number, total: number): void {
    this.#days.observe(scope, key, day, total)
  }

  #today(): number {
    return Math.floor(this.#clock.nowMs() / DAY_MS)
  }
}

function isReached(limit: number, count: number): boolean {
  return limit > 0 && count >= limit
}

/** A bucket for each key, in two maps that take turns. */
class Buckets {
  readonly #perSecond: number
  #young = new Map<string, TokenBucket>()
  #old = new Map<string, TokenBucket>()

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** Null where there is no limit. */
  get(key: string): TokenBucket | null {
    if (this.#perSecond === 0) return null
    const known = this.#young.get(key)
    if (known) return known
    const bucket = this.#old.get(key) ?? new TokenBucket(this.#perSecond)
    if (this.#young.size >= KEYS_MAX) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, bucket)
    return bucket
  }
}

/** The calls of one day, by what they are counted for. */
class DayCounts {
  #day = -1
  #young = new Map<string, number>()
  #old = new Map<string, number>()

  get(scope: CallScope, key: string, day: number): number {
    if (day !== this.#day) return 0
    const name = `${scope} ${key}`
    return this.#young.get(name) ?? this.#old.get(name) ?? 0
  }

  add(scope: CallScope, key: string, day: number): void {
    this.observe(scope, key, day, this.get(scope, key, day) + 1)
  }

  /** At least so many. */
  observe(scope: CallScope, key: string, day: number, total: number): void {
    if (day < this.#day) return
    if (day > this.#day) {
      this.#day = day
      this.#young = new Map()
      this.#old = new Map()
    }
    if (this.#young.size >= KEYS_MAX) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(`${scope} ${key}`, Math.max(total, this.get(scope, key, day)))
  }
}
