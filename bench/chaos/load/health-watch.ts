// Requests /healthz continuously on a separate connection, and records the time of the slowest response.

import { setTimeout as sleep } from 'node:timers/promises'

const EVERY_MS = 100
const ANSWER_MS_MAX = 30_000

export class HealthWatch {
  #isOver = false
  readonly #watching: Promise<void>
  asked = 0
  unanswered = 0
  slowestMs = 0

  constructor(port: number) {
    this.#watching = this.#watch(`http://127.0.0.1:${port}/healthz`)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#watching
  }

  async #watch(url: string): Promise<void> {
    while (!this.#isOver) {
      const startedAt = performance.now()
      const isWell = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS_MAX) }).then(
        (reply) => reply.ok,
        () => false,
      )
      this.asked += 1
      if (!isWell) this.unanswered += 1
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt)
      await sleep(EVERY_MS)
    }
  }
}
