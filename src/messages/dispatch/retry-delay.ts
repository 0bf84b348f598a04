// How long to wait before a carrier is tried again: from one second, doubling, to five minutes, with
// jitter so that messages refused together do not come back together.

const FIRST_MS = 1_000
const MAX_MS = 300_000

export function retryDelayMs(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(FIRST_MS * 2 ** (attempt - 1), MAX_MS)
  return Math.round(base * (0.8 + 0.4 * random()))
}

/** As long as the carrier says, where it says; a carrier that says "at once" is not taken at its word. */
export function delayAfterMs(attempt: number, retryAfterMs: number | undefined): number {
  return retryAfterMs === undefined ? retryDelayMs(attempt) : Math.max(FIRST_MS, retryAfterMs)
}
