// Receipts that came before the response that names their message. They are looked up again, soon at first and then
// less often, for some days. Also purges old carrier IDs and unmatched receipts.

import { DAY_MS, HOUR_MS } from '../../kit/clock.js'
import type { Queryable } from '../../kit/postgres/db.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { deleteOldEvidence } from '../evidence/link-evidence-queries.js'
import type { OutboundMessage } from '../message.js'
import { purgeCarrierIds } from './carrier-id-queries.js'
import {
  checkLater,
  deleteOldReceipts,
  deleteUnmatchedReceipts,
  findReceiptsBetween,
  takeWaitingReceipts,
  type WaitingReceipt,
} from './receipt-queries.js'
import type { ReceiptReceiver } from './receive-receipts.js'

const PORTION = 200
const LEASE_MS = 60_000
const POLL_EVERY_MS = 1_000
const PROBE_MS_MAX = HOUR_MS
/** Soon after the account's worker is back. */
const AWAY_MS_MAX = 30_000
const LOOKED_FOR_MS = 3 * DAY_MS
const KEPT_MS = 30 * DAY_MS

export function waitingReceiptsLoop(
  { db, clock, log }: World,
  receipts: Pick<ReceiptReceiver, 'receiveLate'>,
): Loop {
  return {
    name: 'waiting receipts',
    hints: ['clock'],
    idleMs: POLL_EVERY_MS,
    onError: (error) => log.error({ err: error }, 'matching waiting receipts failed'),
    step: async () => {
      const now = clock.now()
      const leaseUntil = new Date(now.getTime() + LEASE_MS)
      const waiting = await takeWaitingReceipts(db, now, { limit: PORTION, leaseUntil })
      const { left, away } = await match(db, receipts, waiting)
      const later = [
        ...left.map((one) => nextCheck(one, now)),
        ...away.map((one) => nextCheck(one, now, true)),
      ]
      if (later.length > 0) await checkLater(db, later)
      return waiting.length
    },
  }
}

/** How many receipts between the numbers of a group of messages are read. */
const BETWEEN_MAX = 500

/**
 * Matches waiting receipts that may be about messages between these numbers, before the messages are settled.
 * Receipts without a match stay.
 */
export async function receiveBetween(
  db: Queryable,
  receipts: Pick<ReceiptReceiver, 'receiveLate'>,
  pairs: readonly Pick<OutboundMessage, 'from' | 'to'>[],
): Promise<{ received: number; left: WaitingReceipt[] }> {
  return match(db, receipts, await findReceiptsBetween(db, pairs, BETWEEN_MAX))
}

/** Records the receipts whose message is found and can be reached now, and deletes them from those that wait. */
async function match(
  db: Queryable,
  receipts: Pick<ReceiptReceiver, 'receiveLate'>,
  waiting: readonly WaitingReceipt[],
): Promise<{ received: number; left: WaitingReceipt[]; away: WaitingReceipt[] }> {
  const results = await Promise.all(
    waiting.map(({ receipt, receivedAt }) => receipts.receiveLate(receipt, receivedAt)),
  )
  const done = waiting.filter((_, i) => results[i] === 'recorded').map(({ id }) => id)
  if (done.length > 0) await deleteUnmatchedReceipts(db, done)
  return {
    received: done.length,
    left: waiting.filter((_, i) => results[i] === 'unknown'),
    away: waiting.filter((_, i) => results[i] === 'away'),
  }
}

/** As long again as it has waited. */
function nextCheck({ id, receivedAt }: WaitingReceipt, now: Date, isAway = false) {
  const ageMs = now.getTime() - receivedAt.getTime()
  if (ageMs >= LOOKED_FOR_MS && !isAway) return { id, checkAt: null }
  const delayMs = Math.min(isAway ? AWAY_MS_MAX : PROBE_MS_MAX, Math.max(POLL_EVERY_MS, ageMs))
  return { id, checkAt: new Date(now.getTime() + delayMs) }
}

export function purgeIdsLoop(
  { db, clock, log }: World,
  purgeInbound: typeof purgeCarrierIds,
): Loop {
  return {
    name: 'carrier ID purge',
    hints: ['clock'],
    idleMs: HOUR_MS,
    onError: (error) => log.error({ err: error }, 'purging carrier IDs failed'),
    step: async () => {
      const now = clock.now()
      await purgeInbound(db.patient, now)
      await deleteOldEvidence(db.patient, new Date(now.getTime() - KEPT_MS))
      const before = new Date(now.getTime() - KEPT_MS)
      const deleted = await deleteOldReceipts(db.patient, before, PORTION)
      // Last, because it fails while a worker is away.
      await purgeCarrierIds(db.patient, now)
      return deleted
    },
  }
}
