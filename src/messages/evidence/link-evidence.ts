// How reliable each link's evidence is: how many messages get receipts, and how messages without a response were
// settled. Counted in memory and added to the hour's row within a second, so a crash loses little.

import { DAY_MS } from '../../kit/clock.js'
import type { Counter } from '../../kit/metrics.js'
import type { World } from '../../kit/world.js'
import { addEvidence, type EvidenceCounts, findEvidence } from './link-evidence-queries.js'

const FLUSH_AFTER_MS = 1_000
/** The share of the last day's messages. With fewer receipts, a missing receipt means nothing. */
const RECEIPTED_SHARE_MIN = 0.9
/** If the link is unknown. */
const NO_LINK = ''

/** Exposed as metrics. The link's own metrics count `sent` and `receipted`. */
const SHOWN = ['unknown', 'matched', 'resent', 'refunded', 'recharged', 'forgiven'] as const

type Deps = Pick<World, 'db' | 'clock' | 'log' | 'metrics'>

export class LinkEvidence {
  readonly #world: Deps
  readonly #outcomes: Counter
  #counts = new Map<string, EvidenceCounts>()
  #timer: NodeJS.Timeout | null = null
  #flushing: Promise<void> = Promise.resolve()

  constructor(world: Deps) {
    this.#world = world
    this.#outcomes = world.metrics.counter(
      'longcode_unknown_outcomes_total',
      'Messages without a response from the carrier, by link and outcome',
      ['link', 'outcome'],
    )
  }

  count(link: string | null, what: keyof EvidenceCounts, by = 1): void {
    if (by === 0) return
    const name = link ?? NO_LINK
    const shown = SHOWN.find((one) => one === what)
    if (shown) this.#outcomes.add(by, name, shown)
    const counts = this.#counts.get(name) ?? {}
    counts[what] = (counts[what] ?? 0) + by
    this.#counts.set(name, counts)
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS)
  }

  /** Never rejects. Counts that cannot be written now are written with the next ones. */
  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#flushing = this.#flushing.then(() => this.#write())
    return this.#flushing
  }

  /** Whether enough of the last day's messages got receipts for a missing one to mean something. */
  async isReceipted(link: string): Promise<boolean> {
    const { db, clock } = this.#world
    await this.flush()
    const since = new Date(clock.now().getTime() - DAY_MS)
    const [counts] = await findEvidence(db, since, link)
    return (
      counts !== undefined &&
      counts.sent > 0 &&
      counts.receipted / counts.sent >= RECEIPTED_SHARE_MIN
    )
  }

  async #write(): Promise<void> {
    const counts = this.#counts
    if (counts.size === 0) return
    this.#counts = new Map()
    try {
      await addEvidence(this.#world.db, counts, this.#world.clock.now())
    } catch (error) {
      this.#world.log.warn({ err: error }, 'counts of unknown outcomes will be written later')
      for (const [link, one] of counts) this.#putBack(link, one)
    }
  }

  #putBack(link: string, counts: EvidenceCounts): void {
    const sum = this.#counts.get(link) ?? {}
    for (const what of Object.keys(counts) as (keyof EvidenceCounts)[]) {
      sum[what] = (sum[what] ?? 0) + (counts[what] ?? 0)
    }
    this.#counts.set(link, sum)
  }
}
