// How long a message stays valid. The time runs from when it was due, no matter why it waits: a limit, throttling,
// a link that is down, or a stopped service. It is suspended only while its campaign holds it at the daily cap.
// Pure.

import { nextPacificMidnight } from './lane.js'

export const VALIDITY_SECONDS_MIN = 60
export const VALIDITY_SECONDS_MAX = 4 * 60 * 60
/** If the send gives none. */
export const VALIDITY_SECONDS = VALIDITY_SECONDS_MAX

/** A time range in milliseconds: a hold of a lane at its cap, or an outage of the link. */
export type Span = readonly [from: number, until: number]

export function expiryOf(dueAt: Date, validitySeconds: number | null): Date {
  return new Date(dueAt.getTime() + (validitySeconds ?? VALIDITY_SECONDS) * 1000)
}

/**
 * The holds of a lane that has waited since then, including the current one. It ends at midnight even if nobody
 * checked the lane since: what a dispatcher missed is an ordinary wait.
 */
export function withLastHold(holds: readonly Span[], waitingSince: Date | null, now: Date): Span[] {
  if (waitingSince === null) return [...holds]
  const until = Math.min(now.getTime(), nextPacificMidnight(waitingSince).getTime())
  return [...holds, [waitingSince.getTime(), until]]
}

/** How much of these holds a message that was due then has waited. */
export function waitedMs(holds: readonly Span[], dueAt: Date): number {
  let sum = 0
  for (const [from, until] of holds) sum += Math.max(0, until - Math.max(from, dueAt.getTime()))
  return sum
}

/** "4 hours", "90 seconds" */
export function describeValidity(validitySeconds: number | null): string {
  const seconds = validitySeconds ?? VALIDITY_SECONDS
  for (const [unit, size] of [
    ['hour', 3600],
    ['minute', 60],
  ] as const) {
    if (seconds % size === 0) return `${seconds / size} ${unit}${seconds === size ? '' : 's'}`
  }
  return `${seconds} seconds`
}
