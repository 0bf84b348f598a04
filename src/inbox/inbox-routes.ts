// The inbox over HTTP: lists, counts, and what a team does with a conversation.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getCampaign } from '../campaigns/campaign-queries.js'
import { Refusal } from '../kit/contract/refusal.js'
import { isId, newId } from '../kit/ids.js'
import type { World } from '../kit/world.js'
import { digitsToE164 } from '../text/phone-number.js'
import { changeConversation, getConversation, noteInConversation } from './change-conversation.js'
import { wireContact } from './contact.js'
import { findContacts } from './contact-queries.js'
import type { ConversationKey } from './conversation.js'
import { countInbox } from './conversation-queries.js'
import { wireConversation } from './conversation-wire.js'
import {
  ADD_NOTE,
  CHANGE,
  CONVERSATION,
  COUNTS,
  DELETE_NOTE,
  INBOX,
  NOTES,
} from './inbox-operations.js'
import { listInbox } from './list-inbox.js'
import { type ConversationNote, deleteNote, insertNote, listNotes } from './note-queries.js'

const PATH = '/campaign/:id/conversations/:number'

export const inboxRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/inbox/list', INBOX, async ({ caller: { accountId }, query }) => {
    const { view = 'open', campaign, assignee = null, limit = 10, after = null } = query
    if (campaign !== undefined) await getCampaign(db, accountId, campaign)
    const filter = { view, campaignId: campaign ?? null, assignee }
    const { conversations, next } = await listInbox(db, accountId, filter, { limit, after })
    return { conversations, hasMore: next !== null, next }
  })

  app.get('/inbox/counts', COUNTS, async ({ caller: { accountId }, query }) => {
    const { campaign, assignee = null } = query
    if (campaign !== undefined) await getCampaign(db, accountId, campaign)
    const counts = await countInbox(db, accountId, { campaignId: campaign ?? null, assignee })
    return { counts }
  })

  app.get(PATH, CONVERSATION, async ({ caller: { accountId }, params }) => {
    await getCampaign(db, accountId, params.id)
    const key = keyIn(params)
    const conversation = await getConversation(db, accountId, key)
    const [contact] = await findContacts(db, accountId, [key.recipient])
    return {
      conversation: wireConversation(conversation),
      contact: contact ? wireContact(contact) : null,
    }
  })

  app.patch(PATH, CHANGE, async ({ caller: { accountId }, params, body, once }) =>
    once(async (tx) => {
      await getCampaign(tx, accountId, params.id)
      const patch = {
        ...(body.status !== undefined && { status: body.status }),
        ...(body.unread !== undefined && { isUnread: body.unread }),
        ...(body.assignee !== undefined && { assignee: body.assignee }),
      }
      const key = keyIn(params)
      const changed = await changeConversation(tx, accountId, key, patch, clock.now())
      return { success: true as const, conversation: wireConversation(changed) }
    }),
  )

  app.get(`${PATH}/notes`, NOTES, async ({ caller: { accountId }, params, query }) => {
    await getCampaign(db, accountId, params.id)
    const { limit = 10, after = null } = query
    const notes = await listNotes(db, accountId, keyIn(params), { limit, after })
    return { notes: notes.slice(0, limit).map(wireNote), hasMore: notes.length > limit }
  })

  app.post(`${PATH}/notes`, ADD_NOTE, async ({ caller: { accountId }, params, body, once }) =>
    once(async (tx) => {
      await getCampaign(tx, accountId, params.id)
      const key = keyIn(params)
      const now = clock.now()
      await noteInConversation(tx, accountId, key, now)
      const author = body.author?.trim() || null
      const note = { id: newId('nte', now), author, body: body.body, createdAt: now }
      await insertNote(tx, accountId, key, note)
      return { success: true as const, note: wireNote(note) }
    }),
  )

  app.delete(`${PATH}/notes/:noteId`, DELETE_NOTE, async ({ caller, params, once }) =>
    once(async (tx) => {
      const { accountId } = caller
      await getCampaign(tx, accountId, params.id)
      const { noteId } = params
      const key = keyIn(params)
      const isGone = isId('nte', noteId) && (await deleteNote(tx, accountId, key, noteId))
      if (!isGone) throw new Refusal('note_missing')
      await noteInConversation(tx, accountId, key, clock.now())
      return { success: true as const, id: noteId }
    }),
  )
}

function keyIn({ id, number }: { id: string; number: string }): ConversationKey {
  const recipient = digitsToE164(number)
  if (!recipient) throw new Refusal('conversation_missing')
  return { campaignId: id, recipient }
}

function wireNote(note: ConversationNote) {
  return { ...note, createdAt: note.createdAt.toISOString() }
}
