// Keeps a hung worker from taking the connections of everybody else. Each pool gives the statements for one worker a part
// of its connections. Once a worker is known to hang, statements for its accounts are refused without a connection, and
// those that wait for it already are cut off, for nothing else would end them.

import { elapsedMs } from '../../clock.js'
import { type Connection, cutOff } from '../run-statement.js'
import { KeyedSlots, type SlotOptions } from '../slots.js'
import type { Statement } from '../sql.js'
import type { Place } from './places.js'
import type { Workers } from './workers.js'

/** A statement that has waited for less may have been sent before the worker hung, and be answered. */
const STUCK_MS = 500

type Cluster = Pick<Workers, 'places' | 'refusalOf'>

/** How many connections of a pool may be in use for one worker. One at least is left for the others. */
export function workerShare(size: number): number {
  return Math.max(1, size - Math.max(1, Math.floor(size / 4)))
}

/** Of one pool. */
export class WorkerBudget {
  readonly #cluster: Cluster
  readonly #slots: KeyedSlots

  constructor(cluster: Cluster, size: number, waiting: Omit<SlotOptions, 'count'>) {
    this.#cluster = cluster
    this.#slots = new KeyedSlots({ ...waiting, count: workerShare(size) })
  }

  ofStatement<T>(statement: Statement, work: () => Promise<T>): Promise<T> {
    const { places } = this.#cluster
    return places && places.workers > 1 ? this.#run(places.of(statement), work) : work()
  }

  ofAccount<T>(accountId: string | undefined, work: () => Promise<T>): Promise<T> {
    const { places } = this.#cluster
    if (accountId === undefined || !places || places.workers < 2) return work()
    return this.#run(places.ofAccount(accountId), work)
  }

  async #run<T>(place: Place, work: () => Promise<T>): Promise<T> {
    this.#assertReachable(place)
    return this.#take(place.groupIds, () => {
      this.#assertReachable(place) // it may have begun to hang while we waited
      return work()
    })
  }

  /** Always in the same order, so two that need the same workers do not wait for each other. */
  #take<T>([first, ...rest]: readonly number[], work: () => Promise<T>): Promise<T> {
    if (first === undefined) return work()
    return this.#slots.run(String(first), () => this.#take(rest, work))
  }

  #assertReachable(place: Place): void {
    const refusal = this.#cluster.refusalOf(place)
    if (refusal) throw refusal
  }
}

/** One connection while it is in use: which workers it depends on, and since when it waits. */
export class Lending {
  readonly client: Connection
  readonly groupIds = new Set<number>()
  readonly #cluster: Cluster
  #sinceMs: number | null = null

  constructor(cluster: Cluster, client: Connection) {
    this.#cluster = cluster
    this.client = client
  }

  async run<T>(statement: Statement, ask: () => Promise<T>): Promise<T> {
    const place = this.#cluster.places?.of(statement)
    if (place) this.#assertReachable(place)
    for (const groupId of place?.groupIds ?? []) this.groupIds.add(groupId)
    this.#sinceMs = elapsedMs()
    try {
      return await ask()
    } finally {
      this.#sinceMs = null
    }
  }

  isStuckOn(groupIds: ReadonlySet<number>): boolean {
    if (this.#sinceMs === null || elapsedMs(this.#sinceMs) < STUCK_MS) return false
    return [...this.groupIds].some((groupId) => groupIds.has(groupId))
  }

  /** Even to roll back, the coordinator would wait for a worker that takes part in the transaction. */
  #assertReachable(place: Place): void {
    const own = this.#cluster.refusalOf({ groupIds: [...this.groupIds], isSpread: false })
    if (own) cutOff(this.client, own)
    const refusal = own ?? this.#cluster.refusalOf(place)
    if (refusal) throw refusal
  }
}

/** All connections in use. */
export class Traffic {
  readonly #cluster: Cluster
  readonly #lent = new Set<Lending>()

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  begin(client: Connection): Lending {
    const lending = new Lending(this.#cluster, client)
    this.#lent.add(lending)
    return lending
  }

  end(lending: Lending): void {
    this.#lent.delete(lending)
  }

  /** Fails what waits for these workers. `cancel` makes sure that nothing of it is written later. */
  async cutStuck(
    groupIds: ReadonlySet<number>,
    cancel: (clients: readonly Connection[]) => Promise<void>,
  ): Promise<void> {
    const stuck = [...this.#lent].filter((one) => one.isStuckOn(groupIds))
    if (stuck.length === 0) return
    await cancel(stuck.map(({ client }) => client)).catch(() => {}) // cut off all the same
    for (const { client, groupIds: own } of stuck) {
      const failure = this.#cluster.refusalOf({ groupIds: [...own], isSpread: false })
      if (failure) cutOff(client, failure)
    }
  }
}
