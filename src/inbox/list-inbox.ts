// A page of the inbox: conversations with their last message, their contact, and whether the recipient has opted out.

import type { AccountId } from '../accounts/account.js'
import type { Store } from '../kit/postgres/db.js'
import { listMessagesById } from '../messages/message-queries.js'
import { wireMessage } from '../messages/message-wire.js'
import { findOptouts } from '../optouts/optout-queries.js'
import { wireOptout } from '../optouts/optout-routes.js'
import { wireContact } from './contact.js'
import { findContacts } from './contact-queries.js'
import { keyOf } from './conversation.js'
import { type InboxFilter, listInboxRows, settleAnswered } from './conversation-queries.js'
import { wireConversation } from './conversation-wire.js'

export async function listInbox(
  db: Store,
  accountId: AccountId,
  filter: InboxFilter,
  page: { limit: number; after: string | null },
) {
  const { rows, answered, next } = await listInboxRows(db, accountId, filter, page)
  // The next reader need not look them up again.
  if (answered.length > 0) await settleAnswered(db, accountId, answered)
  if (rows.length === 0) return { conversations: [], next }
  const ids = rows.flatMap(({ lastMessageId }) => lastMessageId ?? [])
  const messages = new Map(
    (ids.length > 0 ? await listMessagesById(db, accountId, ids) : []).map((m) => [m.id, m]),
  )
  const optouts = new Map(
    (await findOptouts(db, accountId, rows)).map((optout) => [keyOf(optout), optout]),
  )
  const contacts = new Map(
    (await findContacts(db, accountId, [...new Set(rows.map((row) => row.recipient))])).map(
      (contact) => [contact.phoneNumber, contact],
    ),
  )
  const conversations = rows.map((row) => {
    const lastMessage = messages.get(row.lastMessageId ?? '')
    const optout = optouts.get(keyOf(row))
    const contact = contacts.get(row.recipient)
    return {
      ...wireConversation(row),
      contact: contact ? wireContact(contact) : null,
      lastMessage: lastMessage ? wireMessage(lastMessage) : null,
      optout: optout ? wireOptout(optout) : null,
    }
  })
  return { conversations, next }
}
