// A message while this process holds it: its lease, when it must have left, and what was recorded for it.

import { LEASE_MS, SEND_WITHIN_MS } from '../lane.js'
import type { QueuedMessage } from '../lane-queries.js'
import type { JournalRow } from './submit-journal.js'

/** A claim this close to its end may pass to another process, so it is left alone. */
const LEASE_MARGIN_MS = 15_000
/** A link that has not responded by then counts as giving no response. */
export const SUBMIT_MS_MAX = LEASE_MS - LEASE_MARGIN_MS

/** A claim made while the message is in flight renews its lease. */
export interface Leased {
  message: QueuedMessage
  leaseUntil: Date
  /** The message must not leave later than this: its validity or its day has passed. */
  submitBy: Date | null
  /** The value in the message's row while it is leased. Null if its handoff is the lease. */
  dueAt: Date | null
  /** It is counted toward a limit when it leaves. */
  isLimited: boolean
  /** Claimed from a limited lane and not counted yet (lane-load.ts). */
  isReserved?: boolean
  /** How it was counted, once it was. */
  counted?: { slot: string; parts: number; atMs: number } | null
  /** Where it is in the submit journal. */
  journal?: JournalRow
  /** It may be on the wire. Before that, nobody can have received it. */
  hasPermit?: boolean
  /** Since when this process holds it, for its trace. */
  heldSinceMs?: number
  /** Nothing waits for its link anymore, so it gets no permit. */
  isRevoked?: boolean
}

export function isLeased(leaseUntil: Date, now: Date): boolean {
  return now.getTime() <= leaseUntil.getTime() - LEASE_MARGIN_MS
}

/** Whether its first byte may leave now. */
export function isTimely({ leaseUntil, submitBy, counted, isRevoked }: Leased, now: Date): boolean {
  if (isRevoked || !isLeased(leaseUntil, now)) return false
  if (counted && now.getTime() > counted.atMs + SEND_WITHIN_MS) return false
  return submitBy === null || now <= submitBy
}
