// Messages over HTTP: send, batch, preview, cancel, and the reads.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { hashRequest, KEY_LENGTH_MAX } from '../accounts/idempotency.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import { isId } from '../kit/ids.js'
import { toDollars } from '../kit/money.js'
import { checkTargetUrl } from '../kit/public-address.js'
import { fieldRefusal, Refusal } from '../kit/refusal.js'
import { cutPage, pageOf } from '../kit/schema.js'
import { compileBodyCheck } from '../kit/validation.js'
import type { World } from '../kit/world.js'
import { cancelMessage } from './cancel-message.js'
import { MESSAGE_ERRORS } from './message-errors.js'
import {
  BATCH,
  CANCEL,
  ERRORS,
  GET,
  LIST,
  PREVIEW,
  SEND,
  SendBody,
  TIMELINE,
} from './message-operations.js'
import { findTimeline, getMessage, listMessages } from './message-queries.js'
import type { MessageRoom } from './message-room.js'
import { wireMessage } from './message-wire.js'
import { previewMessage } from './preview-message.js'
import { idOrRefusal, type OnceKey, type SendInput } from './send-message.js'
import { readTimeline } from './timeline.js'

type Options = World & { room: MessageRoom }

export const messageRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { db, clock, room, config } = options

  const checkInput = compileBodyCheck(SendBody)
  const checkMedia = (input: Pick<SendInput, 'mediaUrls'>): void => {
    input.mediaUrls?.forEach((url, i) => {
      const check = checkTargetUrl(url, { allowPrivate: config.mode === 'sandbox' })
      if (!check.ok) throw fieldRefusal(`mediaUrls[${i}]`, check.problem)
    })
  }

  app.post('/message/send', SEND, async (request, reply) => {
    if (request.body.mediaUrls) checkMedia(request.body)
    const once = onceKey(request)
    const accepted = idOrRefusal(await room.send(request.caller.accountId, request.body, once))
    if (accepted.isReplay) reply.header('idempotent-replayed', 'true')
    return { success: true as const, id: accepted.id }
  })

  app.post('/message/batch', BATCH, async (request) => {
    const once = onceKey(request)
    const sendOne = async (input: object, i: number) => {
      try {
        const refusal = checkInput(input)
        if (refusal) throw refusal
        const send = input as SendInput
        checkMedia(send)
        const entryKey = keyOfEntry(once, i)
        const { id } = idOrRefusal(await room.send(request.caller.accountId, send, entryKey))
        return { success: true as const, id }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return { success: false as const, error: error.message, code: error.code }
      }
    }
    return {
      success: true as const,
      results: await Promise.all(request.body.messages.map(sendOne)),
    }
  })

  app.post('/message/preview', PREVIEW, async ({ body }) => {
    const { priceMicros, ...preview } = previewMessage(options, body)
    return { success: true as const, ...preview, price: toDollars(priceMicros) }
  })

  app.get('/message/list', LIST, async ({ caller, query }) => {
    await getCampaign(db, caller.accountId, query.campaign)
    const page = pageOf(query)
    const filter = {
      campaignId: query.campaign,
      direction: query.direction ?? null,
      phone: query.number ?? null,
      status: query.status ?? null,
      since: query.since === undefined ? null : new Date(query.since),
      until: query.until === undefined ? null : new Date(query.until),
    }
    const { rows, hasMore } = cutPage(await listMessages(db, caller.accountId, filter, page), page)
    return { messages: rows.map(wireMessage), hasMore }
  })

  app.get('/message/:id', GET, async ({ caller, params }) => ({
    message: wireMessage(await getMessage(db, caller.accountId, params.id)),
  }))

  app.get('/message/:id/timeline', TIMELINE, async ({ caller, params }) => {
    const message = await getMessage(db, caller.accountId, params.id)
    const entries = await findTimeline(db, caller.accountId, params.id)
    const timeline = readTimeline(message, entries)
    return { timeline: timeline.map((entry) => ({ ...entry, at: entry.at.toISOString() })) }
  })

  app.delete('/message/:id', CANCEL, async ({ caller, params, once }) =>
    once(async (tx) => {
      if (!isId('msg', params.id)) throw new Refusal('message_missing')
      await cancelMessage(tx, caller.accountId, params.id, clock.now())
      return { success: true as const, id: params.id }
    }),
  )

  app.get('/error/list', ERRORS, async () => ({
    errors: Object.entries(MESSAGE_ERRORS).map(([code, { text, isCharged }]) => ({
      code: Number(code),
      text,
      charged: isCharged,
    })),
  }))
}

interface KeyedRequest {
  headers: Record<string, string | string[] | undefined>
  method: string
  url: string
  rawBody: string
}

// Sends write their key in the statement that accepts them, not through `once`.
function onceKey(request: KeyedRequest): OnceKey | null {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string') return null
  return { key, requestHash: hashRequest(request.method, request.url, request.rawBody) }
}

/** Each message of a batch has a key of its own, so that a repeated batch repeats each answer. */
function keyOfEntry(once: OnceKey | null, index: number): OnceKey | null {
  if (!once) return null
  const suffix = `#${index}`
  return { ...once, key: once.key.slice(0, KEY_LENGTH_MAX - suffix.length) + suffix }
}
