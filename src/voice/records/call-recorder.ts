// Collects call records in memory when calls are answered, and writes them every second by account. It never delays an
// answer. A killed process loses one second of records and their charges.

import type { AccountId } from '../../accounts/account.js'
import { DAY_MS } from '../../kit/clock.js'
import { dayOf } from '../../kit/contract/days.js'
import { Refusal } from '../../kit/contract/refusal.js'
import { newId } from '../../kit/ids.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { findBalances } from '../../ledger/balance-queries.js'
import type { PriceBook } from '../../ledger/price-book.js'
import type { SipAnswer } from '../../sip/answer/answer-message.js'
import type { CallLimits } from '../call-limits.js'
import type { Forwardings } from '../forwardings.js'
import type { CallAnswer } from '../sip-meter.js'
import { writeLoop } from '../write-loop.js'
import { type CallRecord, callerOf, callIdOf, outcomeOf } from './call-record.js'
import { addTrunkCalls } from './call-record-queries.js'
import { recordCalls } from './record-calls.js'

/** Calls waiting for the database: about 50 MB. Further calls are not recorded. */
const WAITING_MAX = 100_000
/** Calls of one account in one transaction. */
const PORTION = 2_000
/** Accounts written concurrently. */
const LANES = 2
const UNPAID_CHECKED_MAX = 1_000

export interface RecorderParts {
  forwardings: Pick<Forwardings, 'ownerOf' | 'isStopped'>
  limits: Pick<CallLimits, 'observe' | 'unpaid'>
  prices: Pick<PriceBook, 'get'>
}

export class CallRecorder {
  readonly loop: Loop
  readonly #world: World
  readonly #parts: RecorderParts
  #waiting = new Map<AccountId, CallRecord[]>()
  #waitingSize = 0
  #lost = 0
  /** Forwarded calls by trunk, not yet written. */
  readonly #trunks = new Map<string, number>()

  constructor(world: World, parts: RecorderParts) {
    this.#world = world
    this.#parts = parts
    this.loop = writeLoop(
      'call records',
      world.log,
      () => this.write(),
      'calls could not be recorded: retrying later',
    )
  }

  /** A call counted for the first time. Calls refused by a limit are counted but not recorded. */
  note(answered: SipAnswer, answer: CallAnswer): void {
    const { number, request, trunk } = answered
    if (number === null || (answer !== 'redirected' && answer !== 'refused')) return
    const accountId = this.#parts.forwardings.ownerOf(number)
    if (accountId === null) return
    const { clock, config } = this.#world
    this.#add({
      id: newId('cal', clock.now()),
      accountId,
      phoneNumber: number,
      trunk,
      callId: callIdOf(request),
      outcome: outcomeOf(answered, this.#parts.forwardings.isStopped(number)),
      caller: config.callRecords.callerDays > 0 ? callerOf(request) : null,
      priceMicros: 0n,
    })
  }

  /** Writes everything that waits; also the last step of a stop. What fails is kept for the next time. */
  async write(): Promise<void> {
    const waiting = [...this.#waiting]
    this.#waiting = new Map()
    this.#waitingSize = 0
    const failures: unknown[] = []
    const lane = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        await this.#writeAccount(...next).catch((error: unknown) => failures.push(error))
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    if (failures.length > 0) throw failures[0]
    await this.#writeTrunks()
    await this.#checkUnpaid()
    if (this.#lost > 0) {
      this.#world.log.warn({ calls: this.#lost }, 'calls were not recorded: too many were waiting')
      this.#lost = 0
    }
  }

  async #writeAccount(accountId: AccountId, calls: CallRecord[]): Promise<void> {
    const { db, clock } = this.#world
    const { limits, prices } = this.#parts
    while (calls.length > 0) {
      const portion = calls.slice(0, PORTION)
      try {
        const { callPriceMicros } = await prices.get(accountId)
        const now = clock.now()
        const done = await recordCalls(db, accountId, portion, callPriceMicros, now)
        for (const { trunk } of done.forwarded) {
          this.#trunks.set(trunk, (this.#trunks.get(trunk) ?? 0) + 1)
        }
        const day = Math.floor(now.getTime() / DAY_MS)
        limits.observe('account', accountId, day, done.forwardedToday)
        if (!done.isPaid) limits.unpaid.add(accountId)
      } catch (error) {
        // The account was deleted in the meantime: nobody is left to see or pay for the call.
        if (error instanceof Refusal && error.code === 'account_missing') return
        for (const call of calls) this.#add(call)
        throw error
      }
      calls.splice(0, portion.length)
    }
  }

  async #writeTrunks(): Promise<void> {
    if (this.#trunks.size === 0) return
    const now = this.#world.clock.now()
    const counts = [...this.#trunks].map(([trunk, forwarded]) => ({ trunk, forwarded }))
    const sums = await addTrunkCalls(this.#world.db, dayOf(now), counts)
    this.#trunks.clear()
    const day = Math.floor(now.getTime() / DAY_MS)
    for (const { trunk, forwarded } of sums) {
      this.#parts.limits.observe('trunk', trunk, day, forwarded)
    }
  }

  /** Accounts that can pay for calls again are forwarded again. */
  async #checkUnpaid(): Promise<void> {
    const { limits, prices } = this.#parts
    if (limits.unpaid.size === 0) return
    const accounts = [...limits.unpaid].slice(0, UNPAID_CHECKED_MAX)
    const balances = await findBalances(this.#world.db, accounts)
    for (const accountId of accounts) {
      const { callPriceMicros } = await prices.get(accountId)
      limits.unpaid.delete(accountId)
      if ((balances.get(accountId) ?? 0n) < callPriceMicros) limits.unpaid.add(accountId)
    }
  }

  #add(call: CallRecord): void {
    if (this.#waitingSize >= WAITING_MAX) {
      this.#lost += 1
      return
    }
    const calls = this.#waiting.get(call.accountId)
    if (calls) calls.push(call)
    else this.#waiting.set(call.accountId, [call])
    this.#waitingSize += 1
  }
}
