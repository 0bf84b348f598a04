// Decides which requests are traced: a share of all, and those whose client traces them, up to a limit. Clients are not
// trusted with our resources, so they cannot trace every request.

import type { TraceContext } from './trace-context.js'

const REQUESTED_PER_SECOND_MAX = 10

export class Sampler {
  readonly #ratio: number
  readonly #nowMs: () => number
  #second = -1
  #requested = 0

  constructor(ratio: number, nowMs: () => number = () => performance.now()) {
    this.#ratio = ratio
    this.#nowMs = nowMs
  }

  /** A client that does not sample its trace gets no spans in it. */
  isSampled(parent: TraceContext | null): boolean {
    if (parent === null) return Math.random() < this.#ratio
    if (!parent.isSampled) return false
    return Math.random() < this.#ratio || this.#mayRequest()
  }

  #mayRequest(): boolean {
    const second = Math.floor(this.#nowMs() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#requested = 0
    }
    this.#requested += 1
    return this.#requested <= REQUESTED_PER_SECOND_MAX
  }
}
