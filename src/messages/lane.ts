// A lane is one campaign's path to one class of carrier, with its limit. Pure: what a lane has used, what it may
// still send, and when it may send more. lane-queries.ts stores it in a row.

import { HOUR_MS } from '../kit/clock.js'
import { measureText } from '../text/segments.js'
import type { Network } from './carrier-port.js'
import type { MessageType } from './message.js'

export const ROUTES = ['att-sms', 'att-mms', 'tmo', 'open'] as const
export type Route = (typeof ROUTES)[number]

/** As far as routes distinguish them. All others, mainly Verizon, share the unlimited one. */
export const CARRIERS = ['att', 'tmo', 'other'] as const
export type CarrierName = (typeof CARRIERS)[number]

export interface CarrierLimits {
  smsTpmAtt: number | null
  mmsTpmAtt: number | null
  dailyTmoCap: number | null
}

/** Second of the epoch (AT&T) or day in Pacific time (T-Mobile), with the parts that left in it. */
export type LaneSlots = Readonly<Record<string, number>>

/**
 * How long a claimed message belongs to one process. Longer than a carrier's response and a full backlog take, and
 * no longer than the shortest validity, so a message that was handed off cannot expire before its lease.
 */
export const LEASE_MS = 60_000

/** Toward AT&T, a message leaves this soon after it was counted, or its share is returned. */
export const SEND_WITHIN_MS = 1_000

// A slot counts until everything counted in its second left more than a minute ago, so no 60 seconds exceed the
// limit.
const WINDOW_SLOTS = 61 + SEND_WITHIN_MS / 1000

/** AT&T limits are counted when a message leaves, T-Mobile's daily cap when it is claimed. */
export function isCountedAtSend(route: Route): boolean {
  return route === 'att-sms' || route === 'att-mms'
}

export function routeOf(network: Network | null, type: MessageType): Route {
  if (network === 'att') return type === 'MMS' ? 'att-mms' : 'att-sms'
  return network === 'tmo' ? 'tmo' : 'open'
}

export function carrierOf(route: Route): CarrierName {
  if (route === 'open') return 'other'
  return route === 'tmo' ? 'tmo' : 'att'
}

export function limitOf(route: Route, limits: CarrierLimits): number | null {
  if (route === 'att-sms') return limits.smsTpmAtt
  if (route === 'att-mms') return limits.mmsTpmAtt
  return route === 'tmo' ? limits.dailyTmoCap : null
}

export function describeLimit(route: Route, limit: number): string {
  if (route === 'tmo') return `the T-Mobile daily cap of ${limit}`
  return `the AT&T limit of ${limit}/min`
}

/** A text this short always fits in one part, in any encoding. */
const ONE_PART_CHARACTERS = 70

/** What a carrier counts: the parts on the wire, regardless of the bill. An MMS is one. */
export function partsOf({ type, body }: { type: MessageType; body: string }): number {
  if (type === 'MMS' || body.length <= ONE_PART_CHARACTERS) return 1
  return measureText(body).parts
}

/** Without the slots that no longer count. */
export function currentSlots(route: Route, slots: LaneSlots, now: Date): Record<string, number> {
  const oldest = secondOf(now) - WINDOW_SLOTS + 1
  const isCurrent =
    route === 'tmo'
      ? (slot: string) => slot === pacificDay(now)
      : (slot: string) => Number(slot) >= oldest
  return Object.fromEntries(Object.entries(slots).filter(([slot]) => isCurrent(slot)))
}

export function usedIn(slots: LaneSlots): number {
  return Object.values(slots).reduce((sum, used) => sum + used, 0)
}

export function withUse(
  route: Route,
  slots: LaneSlots,
  now: Date,
  parts: number,
): Record<string, number> {
  const slot = slotOf(route, now)
  return { ...slots, [slot]: (slots[slot] ?? 0) + parts }
}

/** The slot that counts what leaves, or is claimed, now. */
export function slotOf(route: Route, now: Date): string {
  return route === 'tmo' ? pacificDay(now) : String(secondOf(now))
}

/** When part of the current use stops counting. Null if nothing is used and no day ends. */
export function resetOf(route: Route, slots: LaneSlots, now: Date): Date | null {
  if (route === 'tmo') return nextPacificMidnight(now)
  const seconds = Object.keys(slots).map(Number)
  return seconds.length === 0 ? null : endOf(Math.min(...seconds))
}

/** When `parts` more will fit under the limit. The slots must be current. */
export function freeAt(
  route: Route,
  slots: LaneSlots,
  limit: number,
  parts: number,
  now: Date,
): Date {
  if (usedIn(slots) + parts <= limit) return now
  if (route === 'tmo') return nextPacificMidnight(now)
  let used = usedIn(slots)
  for (const slot of Object.keys(slots)
    .map(Number)
    .sort((a, b) => a - b)) {
    used -= slots[slot]!
    if (used + parts <= limit) return endOf(slot)
  }
  return now
}

function endOf(slot: number): Date {
  return new Date((slot + WINDOW_SLOTS) * 1000)
}

/**
 * When messages claimed now must have reached the carrier to count in the right period. Null if the lease ends
 * first, or if they are counted only when they leave.
 */
export function submitByOf(route: Route, now: Date, leaseUntil: Date): Date | null {
  if (route !== 'tmo' || pacificDay(leaseUntil) === pacificDay(now)) return null
  return new Date(nextPacificMidnight(now).getTime() - 1)
}

function secondOf(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}

const PACIFIC = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Los_Angeles',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
})

/** The day of T-Mobile's cap, for example 2026-11-15. */
export function pacificDay(moment: Date): string {
  return PACIFIC.format(moment)
}

/** The first moment of the next Pacific day. Such a day has 23, 24, or 25 hours. */
export function nextPacificMidnight(now: Date): Date {
  const today = pacificDay(now)
  let after = now.getTime()
  let before = after + 26 * HOUR_MS // at most 25 hours away, so this is past it
  while (before - after > 1) {
    const middle = Math.floor((after + before) / 2)
    if (pacificDay(new Date(middle)) === today) after = middle
    else before = middle
  }
  return new Date(before)
}
