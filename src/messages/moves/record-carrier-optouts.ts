// Some carriers act on STOP themselves and may know of one that never reached us. If they refuse a message for this
// reason, we record an opt-out, so the next send is refused before it costs anything.

import type { AccountId } from '../../accounts/account.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { optOut } from '../../optouts/opt-out.js'
import { listMessagesById } from '../message-queries.js'
import type { Move } from './move-queries.js'

const ACTOR = { source: 'carrier', tokenId: null } as const

/**
 * Returns how many are new. Only for messages that moved now, because an old repeated report must not undo a START.
 */
export async function recordCarrierOptouts(
  tx: Transaction,
  accountId: AccountId,
  moves: readonly Pick<Move, 'messageId' | 'optedOutAs'>[],
  optedOutAt: Date,
): Promise<number> {
  if (moves.length === 0) return 0
  let count = 0
  const reasons = new Map(moves.map(({ messageId, optedOutAs }) => [messageId, optedOutAs]))
  const messages = await listMessagesById(tx, accountId, [...reasons.keys()])
  for (const { id, campaignId, number, peer: recipient } of messages) {
    const reason = `The carrier blocks messages to this phone: ${reasons.get(id)}`.slice(0, 500)
    const optout = {
      campaignId,
      recipient,
      number,
      keyword: null,
      messageId: id,
      reason,
      optedOutAt,
    }
    if (await optOut(tx, accountId, optout, ACTOR)) count += 1
  }
  return count
}
