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
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #ownerOf: (number: string) => AccountId | null
  readonly #counters: Readonly<Record<CallScope, Counters>>
  readonly #perDay: CallLimitsConfig
  /** Accounts whose balance did not cover their last calls. */
  readonly unpaid = new Set<AccountId>()

  constructor(
    limits: CallLimitsConfig,
    clock: Pick<Clock, 'nowMs'>,
    ownerOf: (number: string) => AccountId | null,
  ) {
    this.#perDay = limits
    this.#clock = clock
    this.#ownerOf = ownerOf
    this.#counters = {
      number: new Counters(limits.number.perSecond),
      account: new Counters(limits.account.perSecond),
      trunk: new Counters(0),
    }
  }

  /** Null where the call may be forwarded. A repetition of a call that was counted is not limited. */
  admit(number: string, tag: string, nowMs: number): LimitFault | null {
    if (this.recent.peek(tag)) return null
    const owner = this.#ownerOf(number) ?? ''
    if (this.unpaid.size > 0 && this.unpaid.has(owner)) return 'balance'
    const day = this.#today()
    const ofNumber = this.#counters.number.get(number)
    if (isReached(this.#perDay.number.perDay, ofNumber, day)) return 'number limit'
    const ofAccount = this.#counters.account.get(owner)
    if (isReached(this.#perDay.account.perDay, ofAccount, day)) return 'account limit'
    if (ofNumber.bucket && ofNumber.bucket.left(nowMs) < 1) return 'number limit'
    if (ofAccount.bucket && !ofAccount.bucket.take(nowMs)) return 'account limit'
    ofNumber.bucket?.take(nowMs)
    return null
  }

  /** How many seconds a trunk that has had its calls of the day should stay away; null: it has not. */
  refuseTrunk({ name, limits: { callsPerDay } }: TrunkSettings): number | null {
    if (callsPerDay === 0) return null
    const nowMs = this.#clock.nowMs()
    const day = Math.floor(nowMs / DAY_MS)
    if (!isReached(callsPerDay, this.#counters.trunk.get(name), day)) return null
    const leftS = Math.ceil(((day + 1) * DAY_MS - nowMs) / 1000)
    return Math.min(RETRY_AFTER_SECONDS_MAX, leftS)
  }

  /** One more call was forwarded. */
  count(number: string, trunk: string): void {
    const day = this.#today()
    const { number: numbers, account: accounts, trunk: trunks } = this.#counters
    addTo(numbers.get(number), day)
    addTo(accounts.get(this.#ownerOf(number) ?? ''), day)
    addTo(trunks.get(trunk), day)
  }

  /** How many there were on all nodes by now. */
  observe(scope: CallScope, key: string, day: number, total: number): void {
    const counter = this.#counters[scope].get(key)
    if (day < counter.day) return
    counter.calls = day > counter.day ? total : Math.max(total, counter.calls)
    counter.day = day
  }

  #today(): number {
    return Math.floor(this.#clock.nowMs() / DAY_MS)
  }
}

/** What is known of one number, account or trunk. */
interface Counter {
  /** Null: no limit by the second. */
  bucket: TokenBucket | null
  /** The last day with calls, and how many it had. */
  day: number
  calls: number
}

function isReached(limit: number, { day, calls }: Counter, today: number): boolean {
  return limit > 0 && day === today && calls >= limit
}

function addTo(counter: Counter, day: number): void {
  counter.calls = day > counter.day ? 1 : counter.calls + 1
  counter.day = Math.max(day, counter.day)
}

/** A counter for each key, in two maps that take turns. */
class Counters {
  readonly #perSecond: number
  #young = new Map<string, Counter>()
  #old = new Map<string, Counter>()

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  get(key: string): Counter {
    const known = this.#young.get(key)
    if (known) return known
    const counter = this.#old.get(key) ?? this.#make()
    if (this.#young.size >= KEYS_MAX) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, counter)
    return counter
  }

  #make(): Counter {
    const bucket = this.#perSecond === 0 ? null : new TokenBucket(this.#perSecond)
    return { bucket, day: -1, calls: 0 }
  }
}
