// How many sends one process takes on at a time. While the database is slower than its callers, what has come waits
// in memory; beyond a number of them it is better to say so at once than to let everybody wait ever longer.

import { Refusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'

export class SendCapacity {
  readonly #max: number
  readonly #refused: { value: number }
  #waiting = 0

  constructor({ config, metrics }: Pick<World, 'config' | 'metrics'>) {
    this.#max = config.sendsWaitingMax
    this.#refused = metrics
      .counter('longcode_sends_refused_total', 'Sends refused because too many were waiting')
      .cell()
  }

  /** Why nothing more is taken just now; null where there is capacity. What it finds is counted as refused. */
  findOverload(): Refusal | null {
    if (this.#waiting < this.#max) return null
    this.#refused.value += 1
    return new Refusal('sends_too_many')
  }

  /** So many messages wait until the work is done. A batch is let in whole, or not at all. */
  async hold<T>(count: number, work: () => Promise<T>): Promise<T> {
    this.#waiting += count
    try {
      return await work()
    } finally {
      this.#waiting -= count
    }
  }
}
