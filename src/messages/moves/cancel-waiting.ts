// Cancels and refunds the queued messages of an ended campaign, a portion at a time. Messages that a dispatcher has
// in flight are still sent.

import type { AccountId } from '../../accounts/account.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { ENDED_TEXT } from '../message-errors.js'
import { encodeEntry } from '../timeline.js'
import { moveMessages } from './move-queries.js'
import { lockWaiting } from './waiting-queries.js'

/**
 * The messages are locked first. One that is being claimed has a lease when it is read again and is left alone. A
 * claim no longer finds a canceled message due.
 */
export async function cancelWaiting(
  tx: Transaction,
  accountId: AccountId,
  campaignId: string,
  limit: number,
  now: Date,
): Promise<{ canceled: number; refundedMicros: bigint }> {
  const waiting = await lockWaiting(tx, accountId, campaignId, limit, now)
  const entry = encodeEntry(now, 'failed', '1410 its campaign has ended')
  const move = {
    target: 'FAILED' as const,
    errorCode: 1410 as const,
    errorMessage: ENDED_TEXT,
    entry,
  }
  const moves = waiting.map(({ id }) => ({ messageId: id, ...move }))
  const { moved } = await moveMessages(tx, accountId, moves, now)
  const refundedMicros = waiting
    .filter(({ id }) => moved.has(id))
    .reduce((sum, { priceMicros }) => sum + priceMicros, 0n)
  return { canceled: moved.size, refundedMicros }
}
