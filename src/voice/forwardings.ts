// All numbers and their forwarding targets, in memory: loaded at the start of the process, then updated from the change
// log. While the database is down, calls are answered from the last known state.

import type { AccountId } from '../accounts/account.js'
import { elapsedMs } from '../kit/clock.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import {
  findSettledBelow,
  listForwardingChanges,
  listForwardingStops,
  listForwardings,
} from '../numbers/forwarding-queries.js'
import type { FindTarget } from '../sip/forwarding/forwarding-policy.js'
import { ForwardingTable } from '../sip/forwarding/forwarding-table.js'

const PAGE = 5_000
const POLL_MS = 300
/** After this long without updates, everything is loaded again: the change log is kept longer, but not forever. */
const AWAY_MS_MAX = 30 * 60 * 1000
/**
 * A standby that takes over may lack the last transactions and reuse their ids. After every failure all numbers are
 * loaded again, but not more often than this.
 */
const RELOAD_MS_MIN = 30_000
const START = { changedIn: '0', phoneNumber: '' }

export class Forwardings {
  readonly loop: Loop
  /** Always uses the current numbers. */
  readonly find: FindTarget = (number) => {
    const target = this.#table.get(number)
    return target && this.#stopped.size > 0 && this.isStopped(number) ? null : target
  }
  readonly #world: World
  #table = new ForwardingTable()
  readonly #owners = new Owners()
  /** Suspended accounts, by their index in `#owners`. */
  #stopped = new Set<number>()
  /** Every transaction below this id has been read; null before the first load. */
  #seenBelow: bigint | null = null
  #followedAtMs = Number.NEGATIVE_INFINITY
  /** The same by the wall clock, which keeps running while the machine sleeps. */
  #followedOnMs = 0
  #loadedAtMs = Number.NEGATIVE_INFINITY
  /** The database failed since the last full load. */
  #isDoubtful = false
  #isAway = false

  constructor(world: World) {
    this.#world = world
    this.loop = {
      name: 'forwardings',
      hints: ['forwardings'],
      idleMs: POLL_MS,
      errorDelayMsMax: 1_000,
      step: () => this.#step(),
      onError: (error) => this.#note(error),
    }
  }

  /** Number of phone numbers in memory. */
  get size(): number {
    return this.#table.size
  }

  /** Their size in memory. */
  get bytes(): number {
    return this.#table.bytes
  }

  /** Time since the last update from the database; infinite before the first. */
  get ageMs(): number {
    return elapsedMs(this.#followedAtMs)
  }

  /** Whether the number is not forwarded because its account is suspended. */
  readonly isStopped = (number: string): boolean => this.#stopped.has(this.#table.ownerOf(number))

  /** The account that holds the number; null if none does. */
  ownerOf(number: string): AccountId | null {
    return this.#owners.idOf(this.#table.ownerOf(number))
  }

  /** Loads all numbers. The previous ones stay in use until the last page is loaded. */
  async load(): Promise<void> {
    const { db } = this.#world
    // Read this first: changes committed while the pages are read are applied afterwards.
    const seenBelow = await findSettledBelow(db)
    const begun = this.#timesNow()
    const table = new ForwardingTable()
    let after = ''
    for (let isMore = true; isMore; ) {
      const page = await listForwardings(db, after, PAGE)
      for (const { phoneNumber, forwardNumber, accountId } of page) {
        table.set(phoneNumber, forwardNumber, this.#owners.numberOf(accountId))
      }
      after = page.at(-1)?.phoneNumber ?? after
      isMore = page.length === PAGE
    }
    const stopped = new Set<number>()
    await this.#readStops(0n, stopped)
    this.#table = table
    this.#stopped = stopped
    this.#loadedAtMs = begun.atMs
    this.#isDoubtful = false
    this.#followed(seenBelow, begun)
  }

  async #step(): Promise<number> {
    if (this.#seenBelow === null || this.#isTooOld() || this.#mustReload()) await this.load()
    const begun = this.#timesNow()
    const settledBelow = await this.#follow(this.#seenBelow!)
    if (settledBelow === null) await this.load()
    else this.#followed(settledBelow, begun)
    if (this.#isAway) this.#world.log.info('call forwarding is in sync with the database again')
    this.#isAway = false
    return 0
  }

  /** Page by page. Null if this is a different database server than before. */
  async #follow(since: bigint): Promise<bigint | null> {
    let first: bigint | null = null
    let last = START
    for (;;) {
      const { changes, settledBelow } = await listForwardingChanges(
        this.#world.db,
        since,
        last,
        PAGE,
      )
      if (settledBelow < since) return null
      for (const { phoneNumber, forwardNumber, isHeld, accountId } of changes) {
        const owner = this.#owners.numberOf(accountId)
        if (isHeld) this.#table.set(phoneNumber, forwardNumber, owner)
        else this.#table.delete(phoneNumber)
      }
      // Changes committed between two pages are at or above the position of the first page.
      first ??= settledBelow
      if (changes.length < PAGE) break
      last = changes.at(-1)!
    }
    await this.#readStops(since, this.#stopped)
    return first
  }

  /** Accounts suspended or resumed by transactions from `since` on. */
  async #readStops(since: bigint, stopped: Set<number>): Promise<void> {
    let after = ''
    for (let isMore = true; isMore; ) {
      const page = await listForwardingStops(this.#world.db, since, after, PAGE)
      for (const { accountId, isStopped } of page) {
        const owner = this.#owners.numberOf(accountId)
        if (isStopped) stopped.add(owner)
        else stopped.delete(owner)
      }
      after = page.at(-1)?.accountId ?? after
      isMore = page.length === PAGE
    }
  }

  #isTooOld(): boolean {
    const { atMs, onMs } = this.#timesNow()
    return Math.max(atMs - this.#followedAtMs, onMs - this.#followedOnMs) > AWAY_MS_MAX
  }

  #mustReload(): boolean {
    return this.#isDoubtful && elapsedMs(this.#loadedAtMs) >= RELOAD_MS_MIN
  }

  #timesNow(): { atMs: number; onMs: number } {
    return { atMs: elapsedMs(), onMs: this.#world.clock.machineNow().getTime() }
  }

  #followed(seenBelow: bigint, { atMs, onMs }: { atMs: number; onMs: number }): void {
    this.#seenBelow = seenBelow
    this.#followedAtMs = atMs
    this.#followedOnMs = onMs
  }

  /** Logged once per database outage, not for each attempt. */
  #note(error: unknown): void {
    this.#isDoubtful = true
    if (this.#isAway) return
    this.#isAway = true
    this.#world.log.warn(
      { err: error },
      'call forwarding cannot be updated from the database: calls use the last known targets',
    )
  }
}

/** A small index for each account, starting at 1; 0 is none. An account keeps its index while the process runs. */
class Owners {
  readonly #numbers = new Map<AccountId, number>()
  readonly #ids: (AccountId | null)[] = [null]

  numberOf(accountId: AccountId | null): number {
    if (accountId === null) return 0
    const count = this.#numbers.get(accountId)
    if (count !== undefined) return count
    this.#numbers.set(accountId, this.#ids.length)
    this.#ids.push(accountId)
    return this.#ids.length - 1
  }

  idOf(number: number): AccountId | null {
    return this.#ids[number] ?? null
  }
}
