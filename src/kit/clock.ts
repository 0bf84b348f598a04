// The service's time. Nothing else reads the system clock, so that the sandbox can move time forward
// and every schedule, retry, renewal and retention follows.

export class Clock {
  #offsetMs = 0

  now(): Date {
    return new Date(this.nowMs())
  }

  /** The same for whoever only compares: thousands of times a second, an object less. */
  nowMs(): number {
    return Date.now() + this.#offsetMs
  }

  /** The machine's own time, for what a jump of the test clock must not end. */
  machineNow(): Date {
    return new Date()
  }

  /** How far ahead of the system clock the service lives. Never negative: time does not go back. */
  get offsetMs(): number {
    return this.#offsetMs
  }

  moveTo(offsetMs: number): void {
    this.#offsetMs = Math.max(this.#offsetMs, offsetMs)
  }
}

/** Time that has passed for the machine, for durations in logs and metrics; the test clock leaves it alone. */
export function elapsedMs(sinceMs = 0): number {
  return performance.now() - sinceMs
}
