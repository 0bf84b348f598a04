// Appends the event of a changed conversation, in the same transaction: for the live stream and for the subscribed
// webhooks of its campaign.

import type { AccountId } from '../accounts/account.js'
import { appendChanges, differenceOf } from '../events/append-changes.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { Conversation } from './conversation.js'
import { wireConversation } from './conversation-wire.js'

export const CONVERSATION_CHANGES = [
  'replied',
  'closed',
  'reopened',
  'assigned',
  'read',
  'unread',
  'noted',
] as const
export type ConversationChange = (typeof CONVERSATION_CHANGES)[number]

export async function appendConversationChange(
  tx: Transaction,
  accountId: AccountId,
  change: ConversationChange,
  { before, after }: { before: Conversation | null; after: Conversation },
): Promise<void> {
  const conversation = wireConversation(after)
  const difference = differenceOf(before && wireConversation(before), conversation)
  const data = { change, conversation, ...(difference ?? { changed: [] }) }
  const about = { campaignId: after.campaignId, number: null }
  const event = { eventType: 'conversation.changed', ...about, data } as const
  await appendChanges(tx, accountId, [event], after.updatedAt)
}
