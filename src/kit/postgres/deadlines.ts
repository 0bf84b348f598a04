// Deadlines without a timer each. Thousands of responses a second are awaited, and hardly one is late, so one
// slow clock checks them all. It stops while the process does: after a pause of a minute, the process first
// reads what has arrived.

const TICK_MS = 250

export interface Wait {
  /** The tick at which it is over. */
  until: number
  expire: () => void
}

export class Deadlines {
  readonly #waits = new Set<Wait>()
  #ticks = 0
  #timer: NodeJS.Timeout | null = null

  /** Runs `expire` once, a little later than the limit, unless the wait has ended. */
  begin(limitMs: number, expire: () => void): Wait {
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref()
    const wait = { until: this.#ticks + Math.ceil(limitMs / TICK_MS) + 1, expire }
    this.#waits.add(wait)
    return wait
  }

  end(wait: Wait): void {
    this.#waits.delete(wait)
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  #tick(): void {
    this.#ticks += 1
    for (const wait of this.#waits) {
      if (wait.until > this.#ticks) continue
      this.#waits.delete(wait)
      wait.expire()
    }
  }
}
