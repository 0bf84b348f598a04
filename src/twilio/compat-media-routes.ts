// Media of messages, for the Twilio-compatible API. The bytes are where our own API serves them: a client is redirected.

import { createHash } from 'node:crypto'
import type { FastifyPluginAsync } from 'fastify'
import type { Caller } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import { listMediaTypes, removeMedia } from '../messages/media-queries.js'
import type { Message } from '../messages/message.js'
import { type CompatOptions, compat, sidIn } from './compat-config.js'
import { getBySid, missing } from './get-message.js'
import { pageFields, readPage } from './message-list.js'
import { fileOf, messagePath, twilioDate } from './message-resource.js'
import { accountSid, messageSid } from './sids.js'
import { TwilioRefusal } from './twilio-error.js'

const LIST = '/Accounts/:account/Messages/:message/Media.json'
const ONE = '/Accounts/:account/Messages/:message/Media/:media'
const ANY_CAMPAIGN = { campaignAccess: 'handler' } as const
const HEX_LENGTH = 32

export const compatMediaRoutes: FastifyPluginAsync<CompatOptions> = async (app, { db, clock }) => {
  app.get(LIST, compat('read', ANY_CAMPAIGN), async ({ caller, params, query }) => {
    const message = await getBySid(db, caller, sidIn(params, 'message'))
    const at = readPage(query)
    const types = await listMediaTypes(db, message.accountId, [message.id])
    const media = message.mediaUrls.map((url) => mediaResource(message, url, types))
    const path = `${messagePath(message)}/Media.json`
    return { ...pageFields(path, query, at, media.length, null), media_list: media }
  })

  app.get(ONE, compat('read', ANY_CAMPAIGN), async ({ caller, params }, reply) => {
    const { message, url } = await getMedia(db, caller, params)
    const { media } = params as { media: string }
    if (!media.endsWith('.json')) return reply.redirect(url, 307)
    return mediaResource(message, url, await listMediaTypes(db, message.accountId, [message.id]))
  })

  app.delete(ONE, compat('send', ANY_CAMPAIGN), async ({ caller, params, once }, reply) => {
    await once(async (tx) => {
      const { message, url } = await getMedia(tx, caller, params)
      const { accountId, id, mediaUrls } = message
      const file = { accountId, messageId: id, id: fileOf(url) }
      const place = { position: mediaUrls.indexOf(url), url }
      if (!(await removeMedia(tx, file, place, clock.now()))) throw incomplete()
      return {}
    })
    return reply.code(204).send()
  })
}

function incomplete(): TwilioRefusal {
  const text = 'Media can only be deleted once the message was sent or failed.'
  return new TwilioRefusal(20009, text, 409)
}

async function getMedia(db: Queryable, caller: Caller, params: unknown) {
  const message = await getBySid(db, caller, sidIn(params, 'message'))
  const sid = sidIn(params, 'media')
  // Apps take the SID from the end of the URL in a webhook, where ours has its own ID.
  const url = message.mediaUrls.find((one) => mediaSid(message, one) === sid || fileOf(one) === sid)
  if (url === undefined) throw missing(`/Media/${sid}`)
  return { message, url }
}

/** Derived, because media of outbound messages have only a URL. */
function mediaSid({ id }: Message, url: string): string {
  return `ME${createHash('sha256').update(`${id} ${url}`).digest('hex').slice(0, HEX_LENGTH)}`
}

function mediaResource(message: Message, url: string, types: ReadonlyMap<string, string>) {
  const [sid, created] = [mediaSid(message, url), twilioDate(message.createdAt)]
  return {
    sid,
    account_sid: accountSid(message.accountId),
    parent_sid: messageSid(message),
    content_type: types.get(fileOf(url)) ?? 'application/octet-stream',
    date_created: created,
    date_updated: created,
    uri: `${messagePath(message)}/Media/${sid}.json`,
  }
}
