// How long a message is worth sending. The time counts from when it was due, whatever keeps it waiting: a
// limit, a carrier that asks to slow down, a link that is down, a service that is off. Only while its campaign
// holds it at the daily cap does it stand still. Pure.

import { nextPacificMidnight } from './lane.js'

export const VALIDITY_SECONDS_MIN = 60
export const VALIDITY_SECONDS_MAX = 4 * 60 * 60
/** Where the send gives none. */
export const VALIDITY_SECONDS = VALIDITY_SECONDS_MAX

/** A time in between, in milliseconds: a hold of a lane at its cap, an outage of the link. */
export type Span = readonly [from: number, until: number]

export function expiryOf(dueAt: Date, validitySeconds: number | null): Date {
  return new Date(dueAt.getTime() + (validitySeconds ?? VALIDITY_SECONDS) * 1000)
}

/**
 * The holds of a lane that has been waiting since then, with this last one. It ends at midnight, though
 * nobody may have looked at the lane since: what a dispatcher missed is a wait like any other.
 */
export function withLastHold(holds: readonly Span[], waitingSince: Date | null, now: Date): Span[] {
  if (waitingSince === null) return [...holds]
  const until = Math.min(now.getTime(), nextPacificMidnight(waitingSince).getTime())
  return [...holds, [waitingSince.getTime(), until]]
}

/** For how long of these something that was due then has waited. */
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
