// Shows the judge the state of a run: at any moment while the service works, and at rest.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.js'
import { readCounters } from './counters.js'
import { type Facts, readFacts } from './facts.js'
import type { Journal } from './journal.js'
import type { Evidence } from './judge/evidence.js'
import { judge, type Losses } from './judge/judge.js'
import { judgeCounters } from './judge/judge-counters.js'

/** Acknowledgements closer to the read than this are judged the next time. */
const MARGIN_MS = 500
const RECEIPTS_MS_MAX = 20_000
const POLL_EVERY_MS = 2_000
const QUIET_ATTEMPTS = 5

export interface Observed {
  facts: Facts
  taken: Evidence['taken']
  losses: Losses
}

/** Null if the database is down. */
async function observeWork(cluster: Cluster, journal: Journal): Promise<Observed | null> {
  const cutoffMs = Date.now() - MARGIN_MS
  const facts = await readFacts(cluster.database.db).catch(() => null)
  return facts && judgeNow(cluster, journal, facts, { counters: null, cutoffMs })
}

/**
 * Counters against rows, before the clock is moved: the service corrects wrong counters after each hour. No findings if
 * a counter changes meanwhile, because the rows may be of another moment then.
 */
export async function observeQuiet(
  cluster: Cluster,
  journal: Journal,
  startedAtMs: number,
): Promise<Losses> {
  const read = () => readCounters(cluster.apiAddress, cluster.customers, startedAtMs)
  for (let attempt = 0; attempt < QUIET_ATTEMPTS; attempt += 1) {
    const [before, facts, after] = [
      await read(),
      await readFacts(cluster.database.db),
      await read(),
    ]
    if (JSON.stringify([...before]) !== JSON.stringify([...after])) continue
    return new Map([['wrong counters', judgeCounters({ journal, facts, counters: after })]])
  }
  return new Map()
}

/** Receipts that waited for an id, and counters, take a moment longer than the rest. */
export async function observeRest(
  cluster: Cluster,
  journal: Journal,
  startedAtMs: number,
): Promise<Observed> {
  for (const untilMs = Date.now() + RECEIPTS_MS_MAX; ; await sleep(POLL_EVERY_MS)) {
    const counters = await readCounters(cluster.apiAddress, cluster.customers, startedAtMs)
    const facts = await readFacts(cluster.database.db)
    const cutoffMs = Number.POSITIVE_INFINITY
    const observed = judgeNow(cluster, journal, facts, { counters, cutoffMs })
    const isWell = [...observed.losses.values()].every((cases) => cases.length === 0)
    if (isWell || Date.now() > untilMs) return observed
  }
}

function judgeNow(
  cluster: Cluster,
  journal: Journal,
  facts: Facts,
  moment: Pick<Evidence, 'counters' | 'cutoffMs'>,
): Observed {
  const { carriers, clockAheadMs } = cluster
  const taken = carriers.flatMap((carrier) => carrier.taken)
  const fragments = carriers.flatMap((carrier) => carrier.fragments)
  const refused = carriers.flatMap((carrier) => carrier.refused)
  const seen = { journal, facts, taken, fragments, refused, clockAheadMs }
  return { facts, taken, losses: judge({ ...seen, ...moment }) }
}

export function countCases(losses: Losses): number {
  return [...losses.values()].reduce((sum, cases) => sum + cases.length, 0)
}

/** Checks again and again until it is ended. A finding that is gone later was still wrong. */
export class Watch {
  readonly found: Losses = new Map()
  #isOver = false
  #running: Promise<void> | null = null
  /** By kind: when its first case was found. */
  readonly foundAtMs = new Map<string, number>()

  /** `onFound`: called for each check with findings. */
  start(cluster: Cluster, journal: Journal, everyMs: number, onFound: () => void): void {
    this.#running = this.#run(cluster, journal, everyMs, onFound)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#running
  }

  async #run(
    cluster: Cluster,
    journal: Journal,
    everyMs: number,
    onFound: () => void,
  ): Promise<void> {
    while (!this.#isOver) {
      await sleep(everyMs)
      const observed = this.#isOver ? null : await observeWork(cluster, journal)
      if (!observed || countCases(observed.losses) === 0) continue
      this.add(observed.losses)
      onFound()
    }
  }

  add(losses: Losses): void {
    for (const [kind, cases] of losses) {
      if (cases.length > 0 && !this.foundAtMs.has(kind)) this.foundAtMs.set(kind, Date.now())
      const known = this.found.get(kind) ?? []
      const more = cases.filter((one) => !known.includes(one))
      if (known.length + more.length > 0) this.found.set(kind, [...known, ...more])
    }
  }
}
