// The receipts of the simulated carrier. As a real one does, it repeats what was not acknowledged, less and less
// often, and tells of a message in order: the next receipt leaves when the one before it is kept.

import type { Log } from '../kit/log.js'
import type { CarrierListener, Receipt } from '../messages/carrier-port.js'

const RECEIPT_MS = 50
const REPEAT_MS = 500
const REPEAT_MS_MAX = 30_000
/** Messages whose receipts wait to be repeated. What is more is forgotten until the next start asks for it. */
const REPEATED_MAX = 100_000

/** What is still to be said of a message, in order; never empty. */
type Told = readonly Receipt[]

export class SimulatedReceipts {
  readonly #log: Log
  readonly #waiting = new Map<NodeJS.Timeout, () => Promise<void>>()
  readonly #underWay = new Set<Promise<void>>()
  #listener: CarrierListener | null = null
  #isStopping = false
  #repeated = 0

  constructor(log: Log) {
    this.#log = log
  }

  start(listener: CarrierListener): void {
    this.#listener = listener
    this.#isStopping = false
  }

  /** For each message what is to be said of it, which may be nothing. */
  send(messages: readonly Told[]): void {
    const told = messages.filter(({ length }) => length > 0)
    if (told.length > 0) this.#later(RECEIPT_MS, () => this.#tell(told, 0))
  }

  /** What waits is said now, once; who does not keep it asks for it at the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const waiting = [...this.#waiting]
    for (const [timer, tell] of waiting) {
      clearTimeout(timer)
      this.#waiting.delete(timer)
      this.#run(tell)
    }
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async #tell(messages: readonly Told[], failures: number): Promise<void> {
    const listener = this.#listener
    if (!listener) return
    const rest: Told[] = []
    const lost: Told[] = []
    let reason: unknown
    const tellOne = async (told: Told) => {
      try {
        await listener.receipt(told[0]!)
        if (told.length > 1) rest.push(told.slice(1))
      } catch (error) {
        lost.push(told)
        reason = error
      }
    }
    await Promise.all(messages.map(tellOne))
    this.send(rest)
    if (lost.length > 0) this.#repeat(lost, failures + 1, reason)
  }

  #repeat(lost: readonly Told[], failures: number, reason: unknown): void {
    if (this.#isStopping) return
    const kept = lost.slice(0, REPEATED_MAX - this.#repeated)
    const delayMs = Math.min(REPEAT_MS_MAX, REPEAT_MS * 2 ** (failures - 1))
    const counts = { repeated: kept.length, forgotten: lost.length - kept.length }
    this.#log.warn({ err: reason, ...counts, delayMs }, 'receipts were not kept: they come again')
    if (kept.length === 0) return
    this.#repeated += kept.length
    this.#later(delayMs, () => {
      this.#repeated -= kept.length
      return this.#tell(kept, failures)
    })
  }

  #later(ms: number, tell: () => Promise<void>): void {
    if (this.#isStopping) {
      this.#run(tell)
      return
    }
    const timer = setTimeout(() => {
      this.#waiting.delete(timer)
      this.#run(tell)
    }, ms)
    this.#waiting.set(timer, tell)
  }

  #run(tell: () => Promise<void>): void {
    const running = tell().finally(() => this.#underWay.delete(running))
    this.#underWay.add(running)
  }
}
