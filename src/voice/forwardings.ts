// Every number and where its calls go, in memory: loaded whole when the process starts, then followed. While
// the database is away it stays as it is, so calls are answered as they were.

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
/** Who has not followed for so long loads again: changes are kept for longer, but not for ever. */
const AWAY_MS_MAX = 30 * 60 * 1000
/**
 * A standby that takes over may lack the last transactions, and uses their ids again: after every failure all
 * numbers are read again, but no more often than this.
 */
const RELOAD_MS_MIN = 30_000
const START = { changedIn: '0', phoneNumber: '' }

export class Forwardings {
  readonly loop: Loop
  /** Always of the numbers as they are known now. */
  readonly find: FindTarget = (number) => {
    const target = this.#table.get(number)
    return target && this.#stopped.size > 0 && this.isStopped(number) ? null : target
  }
  readonly #world: World
  #table = new ForwardingTable()
  readonly #owners = new Owners()
  /** Accounts that are suspended, by their numbers in `#owners`. */
  #stopped = new Set<number>()
  /** Every transaction below it has been seen; null before the first load. */
  #seenBelow: bigint | null = null
  #followedAtMs = Number.NEGATIVE_INFINITY
  /** The same by the machine's calendar, which goes on while the machine sleeps. */
  #followedOnMs = 0
  #loadedAtMs = Number.NEGATIVE_INFINITY
  /** The database has been away since all numbers were read. */
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

  /** How many numbers are known. */
  get size(): number {
    return this.#table.size
  }

  /** What they take in memory. */
  get bytes(): number {
    return this.#table.bytes
  }

  /** How long ago they were last compared with the database; endless before the first time. */
  get ageMs(): number {
    return elapsedMs(this.#followedAtMs)
  }

  /** Whether the number is not forwarded because its account is suspended. */
  readonly isStopped = (number: string): boolean => this.#stopped.has(this.#table.ownerOf(number))

  /** The account that holds the number; null where nobody does. */
  ownerOf(number: string): AccountId | null {
    return this.#owners.idOf(this.#table.ownerOf(number))
  }

  /** All of them, from the table of numbers. What is known stays in use until the last page is there. */
  async load(): Promise<void> {
    const { db } = this.#world
    // First of all: what commits while the pages are read is followed afterwards.
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
    if (this.#isAway) this.#world.log.info('forwarding follows the database again')
    this.#isAway = false
    return 0
  }

  /** Page by page. Null where the database is another than the one that was followed so far. */
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
      // What commits between two pages is at or above what the first one says.
      first ??= settledBelow
      if (changes.length < PAGE) break
      last = changes.at(-1)!
    }
    await this.#readStops(since, this.#stopped)
    return first
  }

  /** Accounts that were suspended or resumed by transactions from `since` on. */
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

  /** Once for each time that the database is away, not for each attempt. */
  #note(error: unknown): void {
    this.#isDoubtful = true
    if (this.#isAway) return
    this.#isAway = true
    this.#world.log.warn(
      { err: error },
      'forwarding cannot be followed: calls are answered as before',
    )
  }
}

/** A small number for each account, from 1 on; 0 is nobody. An account keeps its number while the process runs. */
class Owners {
  readonly #numbers = new Map<AccountId, number>()
  readonly #ids: (AccountId | null)[] = [null]

  numberOf(accountId: AccountId | null): number {
    if (accountId === null) return 0
    const known = this.#numbers.get(accountId)
    if (known !== undefined) return known
    this.#numbers.set(accountId, this.#ids.length)
    this.#ids.push(accountId)
    return this.#ids.length - 1
  }

  idOf(number: number): AccountId | null {
    return this.#ids[number] ?? null
  }
}
