// Deadlines without a timer each. Answers are awaited thousands of times a second and hardly one comes
// late, so one slow clock looks at everything that is waited for. It stands still while the process
// does: whoever was stopped for a minute first reads what has arrived meanwhile.

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

  /** Calls `expire` once, a little later than the limit, unless the wait has ended. */
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
