// A page of conversations: their last messages, and which recipients have opted out.

import type { AccountId } from '../../accounts/account.js'
import type { Store } from '../../kit/postgres/db.js'
import { findOptouts } from '../../optouts/optout-queries.js'
import { wireOptout } from '../../optouts/optout-routes.js'
import { wireMessage } from '../message-wire.js'
import { type ConversationFilter, listLastMessages } from './conversation-queries.js'

export async function listConversations(
  db: Store,
  accountId: AccountId,
  filter: ConversationFilter,
  page: { limit: number; after: string | null },
) {
  const { messages, next } = await listLastMessages(db, accountId, filter, page)
  const pairs = messages.map(({ campaignId, peer }) => ({ campaignId, recipient: peer }))
  const optouts = new Map(
    (await findOptouts(db, accountId, pairs)).map((optout) => [keyOf(optout), optout]),
  )
  const conversations = messages.map((message) => {
    const { campaignId, peer: recipient, number } = message
    const optout = optouts.get(keyOf({ campaignId, recipient }))
    return {
      campaignId,
      recipient,
      number,
      lastMessage: wireMessage(message),
      optout: optout ? wireOptout(optout) : null,
    }
  })
  return { conversations, next }
}

function keyOf({ campaignId, recipient }: { campaignId: string; recipient: string }): string {
  return `${campaignId} ${recipient}`
}
