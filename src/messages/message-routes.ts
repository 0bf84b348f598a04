// Messages over HTTP: send, batch, preview, cancel, and the reads.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Caller } from '../accounts/account.js'
import { hashRequest, keyedText } from '../accounts/idempotency.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import { readTime } from '../kit/contract/iso-time.js'
import { Refusal } from '../kit/contract/refusal.js'
import { cutPage, pageOf } from '../kit/contract/schema.js'
import type { Check } from '../kit/contract/validation.js'
import { isId } from '../kit/ids.js'
import { toDollars } from '../kit/money.js'
import type { World } from '../kit/world.js'
import { readPhoneQuery } from '../text/number-schema.js'
import type { RoutePort } from './carrier-port.js'
import { getTimeline } from './get-timeline.js'
import { MESSAGE_ERRORS, type MessageError } from './message-errors.js'
import { BATCH, CANCEL, ERRORS, GET, LIST, SEND, TIMELINE } from './message-operations.js'
import { getMessage, listMessages } from './message-queries.js'
import type { MessageRoom } from './message-room.js'
import { wireMessage } from './message-wire.js'
import { cancelMessage } from './moves/cancel-message.js'
import { PREVIEW, PREVIEW_BATCH } from './preview-operations.js'
import { EVERY_MESSAGE, searchMessages } from './reads/search-queries.js'
import type { IdempotencyKey } from './send/accept-queries.js'
import { createPreviewCheck, createSendCheck } from './send/check-send.js'
import { previewBatch, previewMessage, sumOf } from './send/preview-message.js'
import { findSentBatch, sendBatch, wireRefusal } from './send/send-batch.js'
import { idOrRefusal } from './send/send-message.js'

/** A preview finds what a send of the same body did. */
const BATCH_URL = '/v1/message/batch'

type Options = World & { room: MessageRoom; carrier: Pick<RoutePort, 'canSend'> }

export const messageRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { db, clock, room, config } = options

  const check = createSendCheck(config)

  app.post('/message/send', { ...SEND, ...checkedBy(check) }, async (request, reply) => {
    const once = onceKey(request)
    const accepted = idOrRefusal(
      await room.sendService.send(
        request.caller.accountId,
        request.body,
        once,
        request.caller.campaigns,
        request.trace,
      ),
    )
    if (accepted.isReplay) reply.header('idempotent-replayed', 'true')
    return { success: true as const, id: accepted.id }
  })

  app.post('/message/batch', BATCH, async (request, reply) => {
    const { accountId, campaigns } = request.caller
    const deps = { sendService: room.sendService, check, campaigns }
    const { messages } = request.body
    const batch = await sendBatch(options, deps, accountId, messages, onceKey(request))
    if (batch.isReplay) reply.header('idempotent-replayed', 'true')
    return { success: true as const, results: batch.results }
  })

  const previewCheck = checkedBy(createPreviewCheck(config))
  app.post('/message/preview', { ...PREVIEW, ...previewCheck }, async ({ caller, body }) => {
    const prices = await room.prices.get(caller.accountId)
    const { withoutUnicode, ...preview } = previewMessage(options, prices, body)
    return {
      success: true as const,
      ...inDollars(preview),
      withoutUnicode: withoutUnicode && inDollars(withoutUnicode),
    }
  })

  app.post('/message/batch/preview', PREVIEW_BATCH, async (request) => {
    const { caller, body } = request
    const prices = await room.prices.get(caller.accountId)
    const entries = previewBatch(options, prices, check, body.messages)
    const results = entries.map((entry) =>
      entry instanceof Refusal
        ? wireRefusal(entry)
        : { success: true as const, ...inDollars(entry) },
    )
    const once = onceKey(request, BATCH_URL)
    const sent = once && { sent: await findSentBatch(options, caller.accountId, once) }
    return { success: true as const, ...inDollars(sumOf(entries)), results, ...sent }
  })

  app.get('/message/list', LIST, async ({ caller: { accountId }, query }) => {
    await getCampaign(db, accountId, query.campaign)
    const page = pageOf(query)
    const filter = {
      campaignId: query.campaign,
      direction: query.direction ?? null,
      phone: readPhoneQuery(query.number),
      since: query.since === undefined ? null : readTime('since', query.since),
      until: query.until === undefined ? null : readTime('until', query.until),
    }
    if (query.status !== undefined) {
      const search = { ...EVERY_MESSAGE, ...filter, status: query.status }
      const { messages, next } = await searchMessages(db, accountId, search, page)
      return { messages: messages.map(wireMessage), hasMore: next !== null, next }
    }
    const { rows, hasMore } = cutPage(await listMessages(db, accountId, filter, page), page)
    return { messages: rows.map(wireMessage), hasMore }
  })

  app.get('/message/:id', GET, async ({ caller, params }) => ({
    message: wireMessage(await getMessage(db, caller.accountId, params.id)),
  }))

  app.get('/message/:id/timeline', TIMELINE, async ({ caller, params }) => {
    const message = await getMessage(db, caller.accountId, params.id)
    const timeline = await getTimeline(options, message, clock.now())
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
    errors: Object.entries(MESSAGE_ERRORS).map(([code, error]: [string, MessageError]) => ({
      code: Number(code),
      text: error.text,
      charged: error.isCharged,
      note: error.note ?? null,
    })),
  }))
}

function inDollars<T extends { priceMicros: bigint }>({ priceMicros, ...rest }: T) {
  return { ...rest, price: toDollars(priceMicros) }
}

interface KeyedRequest {
  headers: Record<string, string | string[] | undefined>
  method: string
  url: string
  rawBody: string
  caller: Caller
}

// Sends write their key in the statement that accepts them, not through `once`.
function onceKey(request: KeyedRequest, url = request.url): IdempotencyKey | null {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string') return null
  const { method, rawBody, caller } = request
  return { key, requestHash: hashRequest(method, url, keyedText(rawBody, caller.campaigns)) }
}

/** Replaces the schema's check, for rules that a schema cannot express. */
function checkedBy(check: Check) {
  return {
    validatorCompiler: () => (value: unknown) => {
      const refusal = check(value)
      return refusal ? { error: refusal } : { value }
    },
  }
}
