// After the faults: waits until all work has finished. Work that is due in minutes or hours (webhook retries, receipts
// that came too early) is reached by moving the test clock, but only once nothing waits for a limit, because the
// carriers count limits in real time.

import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../src/smsc/random.js'
import { askOnce } from './clients.js'
import type { Cluster } from './cluster.js'
import { readLeftovers } from './facts.js'
import type { Journal, Request } from './journal.js'

const POLL_EVERY_MS = 2_000
/** Real time for queued work: leases, limits, and unknown outcomes, on a busy machine. */
const QUEUE_MS_MAX = 15 * 60_000
/** How far the clock is moved at a time, and in total, in seconds. */
const STEPS_S = [60, 60, 60, 300, 300, 600, 1200, 2400, 3600, 7200, 7200]
const REPLAYS_MAX = 300

type Say = (line: string) => void

export interface Calm {
  /** How long work that is due later may take before the clock is moved on. */
  stepMsMax: number
  /** The queue is not expected to move anymore if it has not for this long. */
  stallMsMax: number
  /** The result is known, so nobody has to wait. */
  isDone: () => boolean
  /** Nothing is queued, and the clock has not been moved. */
  onQuiet: () => Promise<void>
}

export async function calmDown(
  cluster: Cluster,
  say: Say,
  { stepMsMax, stallMsMax, isDone, onQuiet }: Calm,
): Promise<void> {
  const { db } = cluster.database
  const look = async () => {
    const left = await readLeftovers(db).catch(() => null)
    return left ?? new Map([['database', 1]])
  }
  const isQueued = (left: ReadonlyMap<string, number>) =>
    (left.get('queued') ?? 1) > 0 || (left.get('submits') ?? 1) > 0
  const hasStalled = stallTest(stallMsMax)
  const isQuiet = (left: ReadonlyMap<string, number>) => !isQueued(left) || hasStalled(left)
  await until(look, (left) => isDone() || isQuiet(left), QUEUE_MS_MAX, say)
  if (!isDone()) await onQuiet()
  for (const seconds of STEPS_S) {
    const left = await until(look, (rest) => isDone() || isOver(rest), stepMsMax, say)
    if (isDone() || isOver(left)) return
    await cluster.advanceClock(seconds).catch(() => {})
  }
}

/** Whether the number of queued messages has been the same for this long. */
function stallTest(stallMsMax: number): (left: ReadonlyMap<string, number>) => boolean {
  let [previous, sinceMs] = [-1, Date.now()]
  return (left) => {
    const queued = left.get('queued') ?? -1
    if (queued !== previous) [previous, sinceMs] = [queued, Date.now()]
    return Date.now() - sinceMs > stallMsMax
  }
}

function isOver(left: ReadonlyMap<string, number>): boolean {
  return [...left.values()].every((count) => count === 0)
}

async function until(
  look: () => Promise<Map<string, number>>,
  isThere: (left: ReadonlyMap<string, number>) => boolean,
  msMax: number,
  say: Say,
): Promise<Map<string, number>> {
  const untilMs = Date.now() + msMax
  for (let quiet = 0; ; quiet += 1) {
    const left = await look()
    if (isThere(left) || Date.now() > untilMs) return left
    if (quiet % 5 === 0) say(`calming down: ${wordsOf(left)}`)
    await sleep(POLL_EVERY_MS)
  }
}

function wordsOf(left: ReadonlyMap<string, number>): string {
  const words = [...left].filter(([, count]) => count > 0).map(([name, n]) => `${n} ${name}`)
  return words.join(', ') || 'nothing left'
}

/** Repeats some requests with keys: each must get the same response. Returns how many were repeated. */
export async function replayKeys(
  { nodes }: Pick<Cluster, 'nodes'>,
  journal: Journal,
  seed: number,
): Promise<number> {
  const random = seededRandom(seed)
  const isKeyed = ({ key, wanted }: Request) =>
    key !== null && wanted.every(({ answer }) => answer === 'accepted')
  const keyed = journal.requests.filter(isKeyed)
  const every = Math.max(1, Math.ceil(keyed.length / REPLAYS_MAX))
  const asked = keyed.filter((_, i) => i % every === 0)
  for (const request of asked) {
    while (!(await askOnce({ nodes, journal }, request, random))) await sleep(POLL_EVERY_MS / 10)
  }
  return asked.length
}
