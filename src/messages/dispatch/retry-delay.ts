// How long to wait before the next attempt: one second, doubling up to five minutes, with random jitter, so
// messages refused together do not retry in lockstep.

const FIRST_MS = 1_000
const MAX_MS = 300_000

export function retryDelayMs(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(FIRST_MS * 2 ** (attempt - 1), MAX_MS)
  return Math.round(base * (0.8 + 0.4 * random()))
}

/** The carrier's own delay if it gives one, but never zero. */
export function delayAfterMs(attempt: number, retryAfterMs: number | undefined): number {
  return retryAfterMs === undefined ? retryDelayMs(attempt) : Math.max(FIRST_MS, retryAfterMs)
}
