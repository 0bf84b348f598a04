// Remembers which unpaid campaigns were tried with which balance, so that one whose wallet covers the
// fee but not the rent of its numbers is not tried every two seconds.

import { elapsedMs } from '../kit/clock.js'

// A number may be released meanwhile, and then the same balance suffices.
const KEPT_MS = 60_000

export interface RenewalMemory {
  recordShort: (campaignId: string, balanceMicros: bigint | null) => void
  wasShort: (campaignId: string, balanceMicros: bigint) => boolean
}

export function createMemory(nowMs: () => number = elapsedMs): RenewalMemory {
  const balances = new Map<string, bigint | null>()
  let clearedMs = nowMs()
  return {
    recordShort: (campaignId, balanceMicros) => balances.set(campaignId, balanceMicros),
    wasShort: (campaignId, balanceMicros) => {
      if (nowMs() - clearedMs > KEPT_MS) {
        balances.clear()
        clearedMs = nowMs()
      }
      return balances.get(campaignId) === balanceMicros
    },
  }
}
