// One run of a cluster under load and faults, up to the judge's findings.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Calm, calmDown, replayKeys } from './calm.js'
import { startClients } from './clients.js'
import { Cluster } from './cluster.js'
import { Injector, type InjectorPlan } from './injector.js'
import { Journal } from './journal.js'
import { countCases, type Observed, observeQuiet, observeRest, Watch } from './observe.js'
import type { ChaosOptions } from './options.js'
import { startPhones } from './phones.js'
import type { Running } from './running.js'

const SAY_EVERY_MS = 5_000
/** Time for the last responses after all faults are over. */
const ANSWERS_MS_MAX = 5 * 60_000
const POLL_EVERY_MS = 200
const EXTENDED_MS_MAX = 100_000

export interface Trial extends Pick<ChaosOptions, 'seed' | 'minutes' | 'rate' | 'database'> {
  /** The compiled service, or soon. */
  program: string | Promise<string>
  /** Continues on a slow machine until this many are accepted, for at most two minutes. */
  acceptedMin: number
  nodes: number
  faults: InjectorPlan
  /** How often the judge checks the working service. Null: only at rest, as on a cluster, which has no snapshots. */
  watchEveryMs: number | null
  calm: Pick<Calm, 'stepMsMax' | 'stallMsMax'>
  /** Ends once these kinds of findings are enough. Null: never. */
  until: ((kinds: ReadonlySet<string>) => boolean) | null
  say: (line: string) => void
}

export interface Outcome extends Observed {
  cluster: Cluster
  journal: Journal
  injector: Injector
  replayed: number
  /** By kind: from the start of the load to the first finding. */
  foundAfterMs: ReadonlyMap<string, number>
  /** From the start of the load to the end. */
  tookMs: number
}

export async function runTrial(trial: Trial, running: Running): Promise<Outcome> {
  const { seed, say } = trial
  const cluster = new Cluster()
  running.folder = cluster.folder
  running.closers.push((keepsFolder) => cluster.close(keepsFolder))
  await cluster.start(seed, trial.database, trial)
  say(`${cluster.nodes.length} nodes are up`)
  const journal = new Journal()
  const countAccepted = () => journal.count(({ answer }) => answer === 'accepted')
  const injector = new Injector(cluster, seed, trial.faults, countAccepted)
  const watch = new Watch()
  const isDone = () => trial.until?.(new Set(watch.found.keys())) ?? false
  const startedAtMs = Date.now()
  if (trial.watchEveryMs !== null) {
    watch.start(cluster, journal, trial.watchEveryMs, () => {
      say(`${countCases(watch.found)} findings so far: ${[...watch.found.keys()].join(', ')}`)
    })
  }
  await underFaults({ cluster, journal, injector, trial, isDone })
  say('all faults are over')
  const replayed = isDone() ? 0 : await replayKeys(cluster, journal, seed)
  const onQuiet = async () => watch.add(await observeQuiet(cluster, journal, startedAtMs))
  await calmDown(cluster, say, { ...trial.calm, isDone, onQuiet })
  await watch.end()
  const rest = isDone() ? null : await observeRest(cluster, journal, startedAtMs)
  const tookMs = Date.now() - startedAtMs
  if (rest) watch.add(rest.losses)
  const losses = new Map([...(rest?.losses ?? []), ...watch.found])
  const foundAfterMs = new Map(
    [...watch.foundAtMs].map(([kind, atMs]) => [kind, atMs - startedAtMs]),
  )
  const observed = rest ?? { facts: null!, taken: [] }
  return {
    ...{ cluster, journal, injector, replayed, tookMs, ...observed },
    ...{ losses, foundAfterMs },
  }
}

interface Stage {
  cluster: Cluster
  journal: Journal
  injector: Injector
  trial: Trial
  isDone: () => boolean
}

async function underFaults({ cluster, journal, injector, trial, isDone }: Stage): Promise<void> {
  const { seed, minutes, rate, say } = trial
  const abandon = new AbortController()
  const { customers, nodes } = cluster
  const crowd = { customers, nodes, journal, abandoned: abandon.signal }
  const clients = startClients(crowd, seed, rate)
  const phones = startPhones(crowd, cluster.carriers, seed)
  for (const receiver of cluster.receivers) receiver.isMoody = true
  injector.start()
  const untilMs = Date.now() + minutes * 60_000
  const latestMs = Math.max(untilMs, Date.now() + EXTENDED_MS_MAX)
  const countAccepted = () => journal.count(({ answer }) => answer === 'accepted')
  const isShort = () => countAccepted() < trial.acceptedMin && Date.now() < latestMs
  while ((Date.now() < untilMs || isShort()) && !isDone()) {
    const leftMs = untilMs - Date.now()
    await untilDone(leftMs > 0 ? Math.min(SAY_EVERY_MS, leftMs) : SAY_EVERY_MS, isDone)
    injector.assertHealed()
    const accepted = countAccepted()
    const taken = cluster.carriers.reduce((sum, carrier) => sum + carrier.taken.length, 0)
    say(`${accepted} accepted, ${taken} at the carriers, ${injector.total} faults`)
  }
  if (isDone()) {
    injector.stop() // all processes are ended next
    return abandon.abort()
  }
  await injector.end()
  for (const receiver of cluster.receivers) receiver.isMoody = false
  await cluster.untilUp()
  const answered = Promise.all([clients.end(), phones.end()])
  await Promise.race([answered, sleep(ANSWERS_MS_MAX, null, { ref: false })])
}

async function untilDone(ms: number, isDone: () => boolean): Promise<void> {
  for (const untilMs = Date.now() + ms; Date.now() < untilMs && !isDone(); ) {
    await sleep(Math.max(0, Math.min(POLL_EVERY_MS, untilMs - Date.now())))
  }
}
