// How long to wait before a carrier is tried again: from one second, doubling, to five minutes, with
// jitter so that messages refused together do not come back together.

const FIRST_MS = 1_000
const MAX_MS = 300_000

export const ATTEMPTS_MAX = 20
export const EXPIRY_MS = 4 * 60 * 60 * 1000

export function retryDelayMs(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(FIRST_MS * 2 ** (attempt - 1), MAX_MS)
  return Math.round(base * (0.8 + 0.4 * random()))
}
