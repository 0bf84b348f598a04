// Saved replies over HTTP.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import { Refusal } from '../kit/contract/refusal.js'
import { Noun, PathText, RequiredText, Timestamp } from '../kit/contract/schema.js'
import { isId, newId } from '../kit/ids.js'
import type { World } from '../kit/world.js'
import { BODY_LENGTH_MAX } from '../text/segments.js'
import {
  deleteSavedReply,
  insertSavedReply,
  listSavedReplies,
  lockSavedReplies,
  SAVED_REPLIES_MAX,
  type SavedReply,
  updateSavedReply,
} from './saved-reply-queries.js'

const COMMON = { tag: 'Inbox', isExtension: true } as const
const REPLY_NAME_LENGTH_MAX = 80

const SavedReplyShape = Noun('SavedReply', {
  id: Type.String(),
  name: Type.String(),
  body: Type.String(),
  updatedAt: Timestamp,
})
const SAVED_REPLY_EXAMPLE = {
  id: 'rpl_01km3v9w8m0000pqv3t5x7z9bd',
  name: 'Order shipped',
  body: 'Hi {{name}}, your order {{orderNumber}} has shipped.',
  updatedAt: '2026-11-15T12:00:00.000Z',
}
const ReplyName = RequiredText(REPLY_NAME_LENGTH_MAX)
const ReplyBody = RequiredText(BODY_LENGTH_MAX, {
  description: 'The text. The console replaces {{name}} and the fields of the contact',
})

const REPLIES = operation({
  ...COMMON,
  id: 'listSavedReplies',
  summary: 'List saved replies by name',
  description: `An account has at most ${SAVED_REPLIES_MAX}, and the list has all of them.`,
  scope: 'read',
  reply: Type.Object({ savedReplies: Type.Array(SavedReplyShape) }),
  example: { savedReplies: [SAVED_REPLY_EXAMPLE] },
  failure: { savedReplies: [] },
})

const CREATE_REPLY = operation({
  ...COMMON,
  id: 'createSavedReply',
  summary: 'Save a reply',
  scope: 'send',
  body: Type.Object({ name: ReplyName, body: ReplyBody }),
  bodyExample: { name: SAVED_REPLY_EXAMPLE.name, body: SAVED_REPLY_EXAMPLE.body },
  reply: Type.Object({ success: Type.Literal(true), savedReply: SavedReplyShape }),
  example: { success: true, savedReply: SAVED_REPLY_EXAMPLE },
  failure: { success: false },
  refuses: ['saved_replies_full'],
})

const ReplyParams = Type.Object({ id: PathText({ description: 'The ID of the saved reply' }) })

const CHANGE_REPLY = operation({
  ...COMMON,
  id: 'changeSavedReply',
  summary: 'Change a saved reply',
  scope: 'send',
  params: ReplyParams,
  body: Type.Object({ name: Type.Optional(ReplyName), body: Type.Optional(ReplyBody) }),
  bodyExample: { name: SAVED_REPLY_EXAMPLE.name },
  reply: Type.Object({ success: Type.Literal(true), savedReply: SavedReplyShape }),
  example: { success: true, savedReply: SAVED_REPLY_EXAMPLE },
  failure: { success: false },
  refuses: ['saved_reply_missing'],
})

const DELETE_REPLY = operation({
  ...COMMON,
  id: 'deleteSavedReply',
  summary: 'Delete a saved reply',
  scope: 'send',
  params: ReplyParams,
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: SAVED_REPLY_EXAMPLE.id },
  failure: { success: false },
  refuses: ['saved_reply_missing'],
})

export const savedReplyRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/saved-reply/list', REPLIES, async ({ caller: { accountId } }) => ({
    savedReplies: (await listSavedReplies(db, accountId)).map(wireReply),
  }))

  app.post('/saved-reply/create', CREATE_REPLY, async ({ caller: { accountId }, body, once }) =>
    once(async (tx) => {
      const count = await lockSavedReplies(tx, accountId)
      if (count >= SAVED_REPLIES_MAX) throw new Refusal('saved_replies_full')
      const now = clock.now()
      const reply = { id: newId('rpl', now), name: body.name, body: body.body, updatedAt: now }
      await insertSavedReply(tx, accountId, reply)
      return { success: true as const, savedReply: wireReply(reply) }
    }),
  )

  app.patch(
    '/saved-reply/:id',
    CHANGE_REPLY,
    async ({ caller: { accountId }, params, body, once }) =>
      once(async (tx) => {
        const { name = null, body: text = null } = body
        const change = { id: params.id, name, body: text, updatedAt: clock.now() }
        const changed = isId('rpl', params.id) && (await updateSavedReply(tx, accountId, change))
        if (!changed) throw new Refusal('saved_reply_missing')
        return { success: true as const, savedReply: wireReply(changed) }
      }),
  )

  app.delete('/saved-reply/:id', DELETE_REPLY, async ({ caller: { accountId }, params, once }) =>
    once(async (tx) => {
      const isGone = isId('rpl', params.id) && (await deleteSavedReply(tx, accountId, params.id))
      if (!isGone) throw new Refusal('saved_reply_missing')
      return { success: true as const, id: params.id }
    }),
  )
}

function wireReply(reply: SavedReply) {
  return { ...reply, updatedAt: reply.updatedAt.toISOString() }
}
