// Puts a reply into the inbox, in the transaction that stores it. A text that the service handled itself (STOP, HELP)
// needs nobody, so it does not open a conversation: a large send would otherwise fill the inbox with them.

import type { NoteReply } from '../messages/inbound/receive-message.js'
import { appendConversationChange } from './append-conversation-change.js'
import { upsertReplied } from './conversation-queries.js'

export const noteReply: NoteReply = async (tx, { accountId, campaignId, peer, id, now }) => {
  const key = { campaignId, recipient: peer }
  const after = await upsertReplied(tx, accountId, key, { messageId: id, now })
  await appendConversationChange(tx, accountId, 'replied', { before: null, after })
}
