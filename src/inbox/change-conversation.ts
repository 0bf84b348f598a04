// Changes of a conversation by the team: closed, assigned, read, and notes.

import type { AccountId } from '../accounts/account.js'
import { Refusal } from '../kit/contract/refusal.js'
import { newId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { findLastMessage } from '../messages/message-queries.js'
import { appendConversationChange, type ConversationChange } from './append-conversation-change.js'
import type { Conversation, ConversationKey } from './conversation.js'
import {
  findConversation,
  insertConversation,
  lockConversation,
  updateConversation,
} from './conversation-queries.js'

export type ConversationPatch = Partial<Pick<Conversation, 'status' | 'isUnread' | 'assignee'>>

/** One without a row is open, and nobody is waiting. Refused if there is no message either. */
export async function getConversation(
  db: Queryable,
  accountId: AccountId,
  key: ConversationKey,
): Promise<Conversation> {
  const found = await findConversation(db, accountId, key)
  if (found) return found
  const last = await findLastMessage(db, accountId, key.campaignId, key.recipient)
  if (!last) throw new Refusal('conversation_missing')
  const { createdAt: updatedAt } = last
  return { ...key, status: 'OPEN', isUnread: false, isWaiting: false, assignee: null, updatedAt }
}

/** No event if nothing changed. */
export async function changeConversation(
  tx: Transaction,
  accountId: AccountId,
  key: ConversationKey,
  patch: ConversationPatch,
  now: Date,
): Promise<Conversation> {
  const before = await lockOrAdd(tx, accountId, key, now)
  const after = { ...before, ...patch, updatedAt: now }
  const change = changeOf(before, after)
  if (change === null) return before
  await updateConversation(tx, accountId, after)
  await appendConversationChange(tx, accountId, change, { before, after })
  return after
}

/** The conversation of a new or deleted note, locked. Its event names no changed field. */
export async function noteInConversation(
  tx: Transaction,
  accountId: AccountId,
  key: ConversationKey,
  now: Date,
): Promise<void> {
  const before = await lockOrAdd(tx, accountId, key, now)
  const after = { ...before, updatedAt: now }
  await updateConversation(tx, accountId, after)
  await appendConversationChange(tx, accountId, 'noted', { before, after })
}

/** Locked, because two people may change it at once: the second waits for the first. */
async function lockOrAdd(
  tx: Transaction,
  accountId: AccountId,
  key: ConversationKey,
  now: Date,
): Promise<Conversation> {
  await getConversation(tx, accountId, key) // refuses one without messages
  await insertConversation(tx, accountId, key, { position: newId('msg', now), now })
  await lockConversation(tx, accountId, key)
  return getConversation(tx, accountId, key)
}

/** The most important one. Null if nothing changed. */
function changeOf(before: Conversation, after: Conversation): ConversationChange | null {
  if (before.status !== after.status) return after.status === 'CLOSED' ? 'closed' : 'reopened'
  if (before.assignee !== after.assignee) return 'assigned'
  if (before.isUnread !== after.isUnread) return after.isUnread ? 'unread' : 'read'
  return null
}
