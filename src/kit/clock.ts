// The service's time. Nothing else reads the system clock, so the sandbox can move time forward, and every
// schedule, retry, renewal, and retention follows.

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export class Clock {
  #offsetMs = 0

  now(): Date {
    return new Date(this.nowMs())
  }

  /** The same for comparisons thousands of times a second, without creating an object. */
  nowMs(): number {
    return Date.now() + this.#offsetMs
  }

  /** Real time, for what a jump of the test clock must not end. */
  machineNow(): Date {
    return new Date()
  }

  /** How far the service's time is ahead of the system clock. Never negative: time does not go back. */
  get offsetMs(): number {
    return this.#offsetMs
  }

  moveTo(offsetMs: number): void {
    this.#offsetMs = Math.max(this.#offsetMs, offsetMs)
  }
}

/** Elapsed real time, for durations in logs and metrics. The test clock does not affect it. */
export function elapsedMs(sinceMs = 0): number {
  return performance.now() - sinceMs
}
