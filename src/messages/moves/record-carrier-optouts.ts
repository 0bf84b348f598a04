// Some carriers act on STOP by themselves, and may know of one that never came to us: what they refuse because of it is
// an opt-out of ours from then on, so that the next send is refused before it costs.

import type { AccountId } from '../../accounts/account.js'
import type { World } from '../../kit/world.js'
import { optOut } from '../../optouts/opt-out.js'
import { listMessagesById } from '../message-queries.js'
import type { Move } from './move-queries.js'

const ACTOR = { source: 'carrier', tokenId: null } as const

/** Of messages that moved now: a repeat of what a carrier said long ago must not undo a START. */
export async function recordCarrierOptouts(
  { db, clock, hints }: Pick<World, 'db' | 'clock' | 'hints'>,
  accountId: AccountId,
  moves: readonly Pick<Move, 'messageId' | 'optedOutAs'>[],
): Promise<void> {
  const words = new Map(moves.map(({ messageId, optedOutAs }) => [messageId, optedOutAs]))
  const messages = await listMessagesById(db, accountId, [...words.keys()])
  const optedOutAt = clock.now()
  for (const { id, campaignId, number, peer: recipient } of messages) {
    const reason = `The carrier lets nothing through to this phone: ${words.get(id)}`.slice(0, 500)
    const optout = {
      campaignId,
      recipient,
      number,
      keyword: null,
      messageId: id,
      reason,
      optedOutAt,
    }
    const isNew = await db.transaction((tx) => optOut(tx, accountId, optout, ACTOR))
    if (isNew) hints.notify('deliveries')
  }
}
