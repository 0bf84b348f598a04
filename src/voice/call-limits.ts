// Limits of forwarded calls per number, account, and trunk: per second in this process, and per day over all nodes. Each
// write of this node's counts returns the counts of the other nodes, so a daily limit can be exceeded by about a second of
// calls. Memory is bounded.

import type { AccountId } from '../accounts/account.js'
import { type Clock, DAY_MS } from '../kit/clock.js'
import type { CallLimitsConfig } from '../kit/settings/voice-config.js'
import type { CallLimiter, LimitFault } from '../sip/answer/answer-message.js'
import type { TrunkSettings } from '../sip/answer/trunk.js'
import { RecentCalls } from './recent-calls.js'

/** Size of each of the two maps of numbers and accounts. A forgotten one starts at 0. */
const KEYS_MAX = 50_000
const RETRY_AFTER_SECONDS_MAX = 3_600

export type CallScope = 'number' | 'account' | 'trunk'

export class CallLimits implements CallLimiter {
  readonly recent = new RecentCalls()
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #ownerOf: (number: string) => AccountId | null
  readonly #counters: Readonly<Record<CallScope, Counters>> = {
    number: new Counters(),
    account: new Counters(),
    trunk: new Counters(),
  }
  readonly #limits: CallLimitsConfig
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
  }

  /** Null if the call may be forwarded. Repetitions of a counted call are not limited. */
  admit(number: string, tag: string, nowMs: number): LimitFault | null {
    if (this.recent.peek(tag)) return null
    const owner = this.#ownerOf(number) ?? ''
    if (this.unpaid.size > 0 && this.unpaid.has(owner)) return 'balance'
    const day = this.#today()
    const ofNumber = this.#counters.number.get(number)
    if (isReached(this.#limits.number.perDay, ofNumber, day)) return 'number limit'
    const ofAccount = this.#counters.account.get(owner)
    if (isReached(this.#limits.account.perDay, ofAccount, day)) return 'account limit'
    const second = Math.floor(nowMs / 1000)
    if (isBusy(this.#limits.number.perSecond, ofNumber, second)) return 'number limit'
    if (isBusy(this.#limits.account.perSecond, ofAccount, second)) return 'account limit'
    ofNumber.inSecond += 1
    ofAccount.inSecond += 1
    return null
  }

  /** Retry-After in seconds for a trunk that reached its daily limit; null if it did not. */
  refuseTrunk({ name, limits: { callsPerDay } }: TrunkSettings): number | null {
    if (callsPerDay === 0) return null
    const nowMs = this.#clock.nowMs()
    const day = Math.floor(nowMs / DAY_MS)
    if (!isReached(callsPerDay, this.#counters.trunk.get(name), day)) return null
    const leftS = Math.ceil(((day + 1) * DAY_MS - nowMs) / 1000)
    return Math.min(RETRY_AFTER_SECONDS_MAX, leftS)
  }

  /** Counts one forwarded call. */
  count(number: string, trunk: string): void {
    const day = this.#today()
    const { number: numbers, account: accounts, trunk: trunks } = this.#counters
    addTo(numbers.get(number), day)
    addTo(accounts.get(this.#ownerOf(number) ?? ''), day)
    addTo(trunks.get(trunk), day)
  }

  /** Sets the counts over all nodes. */
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

/** Counts of one number, account, or trunk. Only small integers, because every called number has one. */
interface Counter {
  /** The last second with calls, and their number. */
  second: number
  inSecond: number
  /** The last day with calls, and their number. */
  day: number
  calls: number
}

function isReached(limit: number, { day, calls }: Counter, today: number): boolean {
  return limit > 0 && day === today && calls >= limit
}

/** Resets the count in a new second. */
function isBusy(limit: number, counter: Counter, second: number): boolean {
  if (counter.second !== second) {
    counter.second = second
    counter.inSecond = 0
  }
  return limit > 0 && counter.inSecond >= limit
}

function addTo(counter: Counter, day: number): void {
  counter.calls = day > counter.day ? 1 : counter.calls + 1
  counter.day = Math.max(day, counter.day)
}

/** A counter for each key, in two maps that take turns. */
class Counters {
  #young = new Map<string, Counter>()
  #old = new Map<string, Counter>()

  get(key: string): Counter {
    const existing = this.#young.get(key)
    if (existing) return existing
    const counter = this.#old.get(key) ?? { second: -1, inSecond: 0, day: -1, calls: 0 }
    if (this.#young.size >= KEYS_MAX) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, counter)
    return counter
  }
}
