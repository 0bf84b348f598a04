// How many sends one process handles at a time. If the database is slower than the clients, sends wait in memory.
// Beyond a limit, it is better to refuse them immediately than to make everyone wait longer and longer.

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

  /** Why no more sends are accepted right now. Null if there is capacity. A refusal is counted. */
  findOverload(): Refusal | null {
    if (this.#waiting < this.#max) return null
    this.#refused.value += 1
    return new Refusal('sends_too_many')
  }

  /** This many messages wait until the work is done. A batch is accepted as a whole or not at all. */
  async hold<T>(count: number, work: () => Promise<T>): Promise<T> {
    this.#waiting += count
    try {
      return await work()
    } finally {
      this.#waiting -= count
    }
  }
}
