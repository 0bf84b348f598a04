// A conversation in the inbox: the messages between one campaign and one recipient, and what the team does about them.

export const CONVERSATION_STATUSES = ['OPEN', 'CLOSED'] as const
type ConversationStatus = (typeof CONVERSATION_STATUSES)[number]

/** Which conversation. */
export interface ConversationKey {
  campaignId: string
  recipient: string
}

export interface Conversation extends ConversationKey {
  status: ConversationStatus
  /** Nobody has opened it since the last reply. */
  isUnread: boolean
  /** The recipient wrote last. */
  isWaiting: boolean
  /** A user, or a name that the customer's own system uses. */
  assignee: string | null
  updatedAt: Date
}

/** unread, waiting, and open: those that are not closed. */
export const VIEWS = ['open', 'unread', 'waiting', 'closed'] as const
export type View = (typeof VIEWS)[number]

export function keyOf({ campaignId, recipient }: ConversationKey): string {
  return `${campaignId} ${recipient}`
}
