// Conversations as the API and webhooks show them.

import { Type } from 'typebox'
import { Noun, NullableString, Timestamp } from '../kit/contract/schema.js'
import { E164 } from '../text/number-schema.js'
import { CONVERSATION_STATUSES, type Conversation } from './conversation.js'

const FIELDS = {
  campaignId: Type.String(),
  recipient: E164({ description: 'The other party' }),
  status: Type.Enum([...CONVERSATION_STATUSES]),
  unread: Type.Boolean({ description: 'Nobody has opened it since the last reply' }),
  waiting: Type.Boolean({ description: 'The recipient wrote last' }),
  assignee: {
    ...NullableString,
    description: 'The person in charge: a user, or a name that your own system uses',
  },
  updatedAt: Timestamp,
}

export const ConversationStateShape = Noun('ConversationState', FIELDS)

export const CONVERSATION_EXAMPLE = {
  campaignId: 'cmp_01km3v9w8m0000pqv3t5x7z9bd',
  recipient: '+14155550123',
  status: 'OPEN',
  unread: true,
  waiting: true,
  assignee: null,
  updatedAt: '2026-11-15T12:00:00.000Z',
} as const

export function wireConversation(conversation: Conversation) {
  const { campaignId, recipient, status, isUnread, isWaiting, assignee, updatedAt } = conversation
  return {
    ...{ campaignId, recipient, status },
    unread: isUnread,
    waiting: isWaiting,
    assignee,
    updatedAt: updatedAt.toISOString(),
  }
}
