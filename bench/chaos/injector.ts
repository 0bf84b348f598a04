// Injects random faults, several at a time, each for a while, and counts them. It ends every fault, and at the end
// waits until all are over.

import { setTimeout as sleep } from 'node:timers/promises'
import { happens, type Random, seededRandom } from '../../src/smsc/random.js'
import { pick } from './clients.js'
import type { Cluster } from './cluster.js'
import type { Network } from './network.js'
import type { ServiceNode } from './service-node.js'

const AT_ONCE_MAX = 3
/** Longer than the leases of dispatchers (60 s) and deliverers (45 s). */
const LONG_FREEZE_MS = 65_000

export interface InjectorPlan {
  everyMsMax: number
  longFreezePercent: number
  /** Only faults with one of these words in their names. Null: all. */
  only: readonly string[] | null
  /** Waits for this many accepted messages after each fault, so a busy machine makes progress. */
  acceptedBetween: number
}

export const USUAL_FAULTS: InjectorPlan = {
  ...{ everyMsMax: 5_000, longFreezePercent: 25, only: null, acceptedBetween: 0 },
}
/** A database that keeps restarting would serve no requests. */
const DATABASE_REST_MS = 15_000

type Fault = (cluster: Cluster, random: Random, plan: InjectorPlan) => Promise<void> | null

const seconds = (random: Random, from: number, to: number) => (from + random() * (to - from)) * 1000

/** Null if there is nothing to break now. */
const FAULTS: Record<string, { weight: number; fault: Fault }> = {
  'node killed (kill -9)': {
    weight: 5,
    fault: (cluster, random) => toNode(cluster, random, (node, ms) => node.kill(ms)),
  },
  'node stopped and started': {
    weight: 2,
    fault: (cluster, random) => toNode(cluster, random, (node, ms) => node.restart(ms)),
  },
  'node frozen (SIGSTOP)': {
    weight: 4,
    fault: (cluster, random, { longFreezePercent }) =>
      toNode(cluster, random, (node) =>
        node.freeze(
          happens(random, longFreezePercent)
            ? LONG_FREEZE_MS + seconds(random, 0, 10)
            : seconds(random, 1, 10),
        ),
      ),
  },
  'database restarted': { weight: 1, fault: (cluster) => endDatabase(cluster, 'fast') },
  'database crashed': { weight: 1, fault: (cluster) => endDatabase(cluster, 'crash') },
  'node cut from its database': {
    weight: 3,
    fault: (cluster, random) =>
      cutOne(
        cluster.nodes.map(({ toDatabase }) => toDatabase),
        random,
      ),
  },
  'node cut from its clients': {
    weight: 3,
    fault: (cluster, random) =>
      cutOne(
        cluster.nodes.filter(({ isApi }) => isApi).map(({ toApi }) => toApi),
        random,
      ),
  },
  'carrier link cut': {
    weight: 4,
    fault: (cluster, random) =>
      cutOne(
        cluster.carriers.map(({ network }) => network),
        random,
      ),
  },
  'carrier misbehaving': {
    weight: 2,
    fault: async (cluster, random) => {
      const carrier = pick(cluster.carriers, random)
      carrier.misbehave()
      await sleep(seconds(random, 2, 8))
      carrier.behave()
    },
  },
  'receiver cut': {
    weight: 2,
    fault: (cluster, random) =>
      cutOne(
        cluster.receivers.map(({ network }) => network),
        random,
      ),
  },
}

function lotsOf({ only }: InjectorPlan): string[] {
  const isMeant = (name: string) => only === null || only.some((word) => name.includes(word))
  return Object.entries(FAULTS)
    .filter(([name]) => isMeant(name))
    .flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name))
}

function toNode(
  { nodes }: Cluster,
  random: Random,
  act: (node: ServiceNode, downMs: number) => Promise<void>,
): Promise<void> | null {
  const well = nodes.filter(({ isWell }) => isWell)
  // At least one node keeps working, so there is something to check.
  if (well.length < 2) return null
  return act(pick(well, random), seconds(random, 0, 4))
}

let databaseEndedAt = Number.NEGATIVE_INFINITY

function endDatabase({ database, nodes }: Cluster, how: 'fast' | 'crash'): Promise<void> | null {
  if (nodes.filter(({ isWell }) => isWell).length < 2) return null
  if (performance.now() - databaseEndedAt < DATABASE_REST_MS) return null
  databaseEndedAt = performance.now()
  return database.end(how)
}

function cutOne(networks: readonly Network[], random: Random): Promise<void> | null {
  const network = pick(networks, random)
  if (!network.isOpen) return null
  const isSilent = happens(random, 50)
  const healed = sleep(seconds(random, 0.5, 8)).then(() => network.heal())
  if (isSilent) network.silence()
  else network.cut()
  return healed
}

export class Injector {
  readonly counts = new Map<string, number>()
  readonly #cluster: Cluster
  readonly #random: Random
  readonly #underWay = new Set<Promise<void>>()
  #isOver = false
  #running: Promise<void> | null = null
  #failure: Error | null = null

  readonly #plan: InjectorPlan
  readonly #countAccepted: () => number
  #acceptedBefore = 0
  readonly #lots: readonly string[]

  /** `countAccepted`: messages so far. */
  constructor(cluster: Cluster, seed: number, plan: InjectorPlan, countAccepted: () => number) {
    this.#cluster = cluster
    this.#countAccepted = countAccepted
    this.#plan = plan
    this.#lots = lotsOf(plan)
    this.#random = seededRandom(seed)
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Starts no more faults. */
  stop(): void {
    this.#isOver = true
  }

  /** The same. Resolves when the last one is over. */
  async end(): Promise<void> {
    this.stop()
    await this.#running
    await Promise.all(this.#underWay)
    this.assertHealed()
  }

  /** Throws if a fault did not end, because later results would say nothing about the service. */
  assertHealed(): void {
    if (this.#failure) throw this.#failure
  }

  #fail(error: Error): void {
    this.#failure ??= error
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0)
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      await sleep(this.#random() * this.#plan.everyMsMax)
      if (this.#isOver || this.#underWay.size >= AT_ONCE_MAX || this.#lots.length === 0) continue
      const accepted = this.#countAccepted()
      if (accepted < this.#acceptedBefore + this.#plan.acceptedBetween) continue
      this.#acceptedBefore = accepted
      const name = pick(this.#lots, this.#random)
      const fault = FAULTS[name]!.fault(this.#cluster, this.#random, this.#plan)
      if (!fault) continue
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
      const done = fault
        .catch((error: Error) => this.#fail(new Error(`${name}: ${error.message}`)))
        .finally(() => this.#underWay.delete(done))
      this.#underWay.add(done)
    }
  }
}
