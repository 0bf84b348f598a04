// The network of a phone number, or that it is a landline, without a wait. Carriers report it in responses and inbound
// messages, and the database stores it with its age for every process. Prefixes from the settings are the fallback. Recent
// rows are read at startup. A number that is not in memory counts as unknown and is read in the background for the next send.
// If nothing is stored, nothing is read. If enabled, a carrier looks up unknown numbers for a fee, a few at a time.

import { BatchWriter } from '../../kit/batch-writer.js'
import { Cache } from '../../kit/cache.js'
import { DAY_MS, elapsedMs, HOUR_MS } from '../../kit/clock.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import type { Network, PhoneFacts } from '../../messages/carrier-port.js'
import type { NetworkSettings } from '../settings/carrier-settings.js'
import {
  deleteNumberLookups,
  findNumberLookups,
  listNumberLookups,
  type NumberLookup,
  saveNumberLookups,
} from './number-lookup-queries.js'

/** Unchanged data is written again after this time. */
const REWRITE_MS = DAY_MS
const KEPT_MAX = 200_000
/** Another process may learn more in the meantime. */
const KEPT_MS = HOUR_MS
const KEPT_UNKNOWN_MS = 5 * 60 * 1000
const READ_AT_START_MAX = 50_000
/** How long an empty table is assumed to stay empty. */
const EMPTY_MS = 60 * 1000
const NETWORKS_PER_QUERY_MAX = 1_000
const WRITE_EVERY_MS = 500
/** Beyond this, lookups and results are dropped. They come up again. */
const WAITING_MAX = 20_000

const LOOKUPS_AT_ONCE = 4
/** A lookup without a response is not repeated before this. */
const LOOKED_UP_MS = HOUR_MS

type CachedLookup = Pick<NumberLookup, 'network' | 'isLandline' | 'seenAt'>

/** Paid lookups at carriers. */
interface LookUps {
  hasLookUps: () => boolean
  /** Stores the results. Never rejects. */
  lookUp: (number: string) => Promise<void>
}

export class NumberLookupCache {
  readonly #world: Pick<World, 'db' | 'clock' | 'log'>
  #settings: NetworkSettings
  readonly #lookups = new Cache<string, CachedLookup | null>({
    max: KEPT_MAX,
    keptMs: (lookup) => (lookup ? KEPT_MS : KEPT_UNKNOWN_MS),
  })
  readonly #reading = new Set<string>()
  /** The table counts as empty until then, including before the first read. */
  #isEmptyUntilMs = Number.POSITIVE_INFINITY
  readonly #reader: BatchWriter<string, undefined>
  readonly #writer: BatchWriter<NumberLookup, undefined>
  readonly #lookUps: LookUps
  readonly #lookedUp = new Cache<string, true>({ max: KEPT_MAX, keptMs: LOOKED_UP_MS })
  readonly #asker: BatchWriter<string, undefined>

  constructor(
    world: Pick<World, 'db' | 'clock' | 'log'>,
    settings: NetworkSettings,
    lookUps: LookUps,
  ) {
    this.#world = world
    this.#settings = settings
    this.#lookUps = lookUps
    this.#asker = new BatchWriter({
      batchMax: 1,
      concurrency: LOOKUPS_AT_ONCE,
      write: async ([number]) => [await lookUps.lookUp(number!).then(() => undefined)],
    })
    this.#reader = new BatchWriter({
      batchMax: NETWORKS_PER_QUERY_MAX,
      write: (batch) => this.#read(batch),
    })
    this.#writer = new BatchWriter({
      batchMax: NETWORKS_PER_QUERY_MAX,
      everyMs: WRITE_EVERY_MS,
      write: (batch) => this.#write(batch),
    })
  }

  /** In the background: nobody waits for it. */
  start(): void {
    void this.#look(READ_AT_START_MAX)
  }

  /** After a reload. */
  follow(settings: NetworkSettings): void {
    this.#settings = settings
  }

  networkOf(number: string): Network | null {
    const lookup = this.#find(number)
    return lookup ? lookup.network : this.#byPrefix(number)
  }

  isLandline(number: string): boolean {
    return this.#find(number)?.isLandline ?? false
  }

  #find(number: string): CachedLookup | null {
    const lookup = this.#lookups.peek(number)
    if (lookup === undefined) this.#ask(number)
    return lookup && this.#isFresh(lookup) ? lookup : null
  }

  /** A phone with a network is not a landline, and vice versa. */
  learn(number: string, facts: PhoneFacts, link: string): void {
    const { network = null, isLandline = false } = facts
    if (facts.network === undefined && !isLandline) return
    const seenAt = this.#world.clock.now()
    const previous = this.#lookups.peek(number)
    const isOld = (at: Date) => seenAt.getTime() - at.getTime() >= REWRITE_MS
    const isSame = previous?.network === network && previous.isLandline === isLandline
    if (previous && isSame && !isOld(previous.seenAt)) return
    this.#lookups.set(number, { network, isLandline, seenAt })
    this.#isEmptyUntilMs = 0
    if (this.#writer.depth >= WAITING_MAX) return
    this.#writer
      .add({ number, network, isLandline, link, seenAt })
      .catch((error) => this.#world.log.warn({ err: error }, 'number lookups not stored'))
  }

  async drain(): Promise<void> {
    await this.#asker.drain()
    await this.#reader.drain()
    await this.#writer.drain()
  }

  #isFresh({ seenAt }: CachedLookup): boolean {
    return this.#world.clock.nowMs() - seenAt.getTime() < this.#settings.learnedMs
  }

  #byPrefix(number: string): Network | null {
    const { prefixes } = this.#settings
    if (prefixes.size === 0) return null
    for (let length = number.length; length > 1; length -= 1) {
      const network = prefixes.get(number.slice(0, length))
      if (network) return network
    }
    return null
  }

  /** Loads the most recent rows, and notes if there are none. A failure is logged and retried. */
  async #look(limit: number): Promise<void> {
    this.#isEmptyUntilMs = Number.POSITIVE_INFINITY
    try {
      const rows = await listNumberLookups(this.#world.db, limit)
      this.#isEmptyUntilMs = rows.length === 0 ? elapsedMs() + EMPTY_MS : 0
      for (const { number, link: _, ...lookup } of rows.reverse()) {
        if (!this.#lookups.peek(number)) this.#lookups.set(number, lookup)
      }
    } catch (error) {
      this.#isEmptyUntilMs = elapsedMs() + EMPTY_MS
      this.#world.log.warn({ err: error }, 'number lookups not read')
    }
  }

  #ask(number: string): void {
    if (this.#isEmptyUntilMs > 0) {
      if (elapsedMs() >= this.#isEmptyUntilMs) void this.#look(1) // its failures are its own
      if (this.#isEmptyUntilMs < Number.POSITIVE_INFINITY) this.#lookUp(number)
      return
    }
    if (this.#reading.has(number) || this.#reading.size >= WAITING_MAX) return
    this.#reading.add(number)
    this.#reader
      .add(number)
      .catch((error) => this.#world.log.warn({ err: error }, 'number lookups not read'))
      .finally(() => this.#reading.delete(number))
  }

  /** Looks up a number that is unknown or whose data is too old. */
  #lookUp(number: string): void {
    if (!this.#lookUps.hasLookUps() || this.#lookedUp.peek(number)) return
    if (this.#asker.depth >= WAITING_MAX) return
    this.#lookedUp.set(number, true)
    this.#asker
      .add(number)
      .catch((error) => this.#world.log.warn({ err: error }, 'a number could not be looked up'))
  }

  async #read(numbers: string[]): Promise<undefined[]> {
    const found = await findNumberLookups(this.#world.db, numbers)
    const byNumber = new Map(found.map((row) => [row.number, row]))
    for (const number of numbers) {
      const row = byNumber.get(number)
      // Data learned during the read is newer.
      if (this.#lookups.peek(number)) continue
      this.#lookups.set(number, row ?? null)
      if (!row || !this.#isFresh(row)) this.#lookUp(number)
    }
    return numbers.map(() => undefined)
  }

  async #write(learned: NumberLookup[]): Promise<undefined[]> {
    const latest = new Map(learned.map((row) => [row.number, row]))
    // In the same order everywhere, so two processes do not wait for each other.
    const rows = [...latest.values()].sort((a, b) => (a.number < b.number ? -1 : 1))
    const staleBefore = new Date(this.#world.clock.nowMs() - REWRITE_MS)
    await saveNumberLookups(this.#world.db, rows, staleBefore)
    return learned.map(() => undefined)
  }
}

const PORTION = 1_000
const IDLE_MS = 10 * 60 * 1000

/** Deletes data that is too old. `learnedMs` is read each time because a reload may change it. */
export function networkRetentionLoop(
  world: Pick<World, 'db' | 'clock' | 'log'>,
  learnedMs: () => number,
): Loop {
  return {
    name: 'number lookups',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => world.log.error({ err: error }, 'deleting number lookups failed'),
    step: () => {
      const before = new Date(world.clock.nowMs() - learnedMs())
      return deleteNumberLookups(world.db.patient, before, PORTION)
    },
  }
}
