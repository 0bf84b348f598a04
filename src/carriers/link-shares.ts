// The rate of a link that several processes share. Each process has a share under a lease in the database and
// renews it once a second. Shares that are valid at the same time never add up to more than the link's rate. A
// process that needs less leaves the rest to others. Messages need no extra statement.

import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { elapsedMs } from '../kit/clock.js'
import type { Database } from '../kit/postgres/db.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { deleteShare, lockShares, purgeShares, saveShare } from './link-queries.js'

export interface ShareRow {
  process: string
  perSecond: number
  /** The share until its last renewal, and at least what may still be in the carrier's last second. */
  perSecondBefore: number
  /** The rate it could use. */
  wanted: number
  /** If the count does not change, the process has ended. */
  renewals: number
}

/** The rate of a link, as used by its share. */
export interface SharedRate {
  /** Since the last call: how many left per second, and whether more would have. */
  demand: (now: number) => { perSecond: number; isLimited: boolean }
  /** How many may be in the carrier's last second or are still in transit. */
  recent: (now: number) => number
  /** May send this many per second until then, in real time. */
  setShare: (perSecond: number, until: number) => void
}

/** Longer than a second, so messages sent under the previous share have left the carrier's last second. */
const RENEW_MS = 1_050
/** A process that cannot renew its share stops sending after this time. Others wait longer before they use it. */
const LEASE_MS = 5_000
const DEAD_MS = 7_000
const PURGE_EVERY_MS = 60_000
/** More than was used, to leave room for growth. */
const HEADROOM = 1.25

/** Divides a total: each gets what it wants, or an equal part if there is not enough for all. */
export function divideRate(total: number, demands: readonly number[]): number[] {
  const shares = demands.map(() => 0)
  let open = demands.map((_, i) => i).filter((i) => demands[i]! > 0)
  let left = total
  while (open.length > 0 && left > 0) {
    const each = Math.floor(left / open.length)
    const modest = open.filter((i) => demands[i]! <= each)
    if (modest.length === 0) {
      open.forEach((i, n) => {
        shares[i] = each + (n < left - each * open.length ? 1 : 0)
      })
      break
    }
    for (const i of modest) shares[i] = demands[i]!
    left -= modest.reduce((sum, i) => sum + demands[i]!, 0)
    open = open.filter((i) => !modest.includes(i))
  }
  return shares
}

/** The share that a process may take from what others do not use. */
export function shareOf(total: number, own: ShareRow, others: readonly ShareRow[]): number {
  const all = [own, ...others].sort((a, b) => (a.process < b.process ? -1 : 1))
  const fair = divideRate(
    total,
    all.map(({ wanted }) => wanted),
  )[all.indexOf(own)]!
  const allocated = others.reduce(
    (sum, { perSecond, perSecondBefore }) => sum + Math.max(perSecond, perSecondBefore),
    0,
  )
  return Math.max(0, Math.min(fair, total - allocated))
}

/** Null: the rate is not shared, or there is no database to share it through (tests and tools). */
export function openShare(
  { db, clock, log }: Pick<World, 'clock' | 'log'> & { db?: Database },
  { link, perSecond, shared }: { link: string; perSecond: number | null; shared: boolean },
  rate: SharedRate,
): LinkShare | null {
  if (!shared || perSecond === null || !db) return null
  const holder = `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`
  return new LinkShare({ db, clock, log }, { link, perSecond, process: holder }, rate)
}

export class LinkShare {
  readonly loop: Loop
  readonly #db: Database
  readonly #clock: World['clock']
  readonly #link: string
  readonly #total: number
  readonly #rate: SharedRate
  #own: ShareRow
  #renewedAt = Number.NEGATIVE_INFINITY
  #purgedAt = Number.NEGATIVE_INFINITY
  /** The other processes' renewal counts, and when each was first seen, by this machine's clock. */
  readonly #seen = new Map<string, { renewals: number; at: number }>()

  constructor(
    { db, clock, log }: Pick<World, 'db' | 'clock' | 'log'>,
    { link, perSecond, process }: { link: string; perSecond: number; process: string },
    rate: SharedRate,
  ) {
    this.#db = db
    this.#clock = clock
    this.#link = link
    this.#total = Math.floor(perSecond)
    this.#rate = rate
    this.#own = { process, perSecond: 0, perSecondBefore: 0, wanted: 0, renewals: 0 }
    this.loop = {
      name: `share of ${link}`,
      idleMs: RENEW_MS,
      step: async () => {
        await this.renew()
        return 0
      },
      onError: (error) =>
        log.warn({ err: error, link }, 'the share of a shared link was not renewed'),
    }
  }

  /** At most once a second. */
  async renew(): Promise<void> {
    const startedAt = elapsedMs()
    if (startedAt - this.#renewedAt < RENEW_MS - 1) return
    const wanted = this.#demand(startedAt)
    const machineNow = this.#clock.machineNow()
    const own = await this.#db.transaction(async (tx) => {
      const rows = await lockShares(tx, this.#link)
      const others = this.#alive(rows, elapsedMs())
      const next = { ...this.#own, wanted, renewals: this.#own.renewals + 1 }
      const perSecond = shareOf(this.#total, next, others)
      // Slow requests can arrive later than a renewal.
      const perSecondBefore = Math.max(this.#own.perSecond, this.#rate.recent(elapsedMs()))
      const row = { ...next, perSecond, perSecondBefore }
      await saveShare(tx, this.#link, row, machineNow)
      return row
    })
    this.#own = own
    this.#renewedAt = elapsedMs()
    this.#rate.setShare(own.perSecond, startedAt + LEASE_MS)
    if (startedAt - this.#purgedAt < PURGE_EVERY_MS) return
    this.#purgedAt = startedAt
    await purgeShares(this.#db, this.#link, machineNow)
  }

  /** The link stops sending. Others get its share once its messages have left the carrier's last second. */
  release(): void {
    this.#rate.setShare(0, Number.POSITIVE_INFINITY)
    const { process } = this.#own
    // If the database is already closed, or messages are still in transit, the lease expires.
    const drop = () => {
      if (this.#rate.recent(elapsedMs()) > 0) return
      void deleteShare(this.#db, this.#link, process).catch(() => {})
    }
    setTimeout(drop, RENEW_MS).unref()
  }

  #demand(now: number): number {
    const { perSecond, isLimited } = this.#rate.demand(now)
    if (isLimited) return this.#total
    return Math.min(this.#total, Math.ceil(perSecond * HEADROOM) + 1)
  }

  /** By this machine's clock, because clocks of other machines may differ. */
  #alive(rows: readonly ShareRow[], now: number): ShareRow[] {
    return rows.filter(({ process, renewals }) => {
      if (process === this.#own.process) return false
      const seen = this.#seen.get(process)
      if (seen?.renewals !== renewals) {
        this.#seen.set(process, { renewals, at: now })
        return true
      }
      return now - seen.at < DEAD_MS
    })
  }
}
