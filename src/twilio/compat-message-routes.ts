// Messages of the Twilio-compatible API: create, list, and fetch.

import type { FastifyPluginAsync } from 'fastify'
import { Refusal } from '../kit/contract/refusal.js'
import { timeOfId } from '../kit/ids.js'
import type { Message } from '../messages/message.js'
import type { NewMessage } from '../messages/send/accept-queries.js'
import { createSendCheck } from '../messages/send/check-send.js'
import { type CompatOptions, compat, formOf, keyOfForm, sidIn } from './compat-config.js'
import { createCredentialFinder } from './find-credential.js'
import { getBySid, getShown } from './get-message.js'
import { listForTwilio, pageFields, readPage } from './message-list.js'
import { accountPath, messageResource } from './message-resource.js'
import { readCreate } from './read-create.js'
import { TwilioRefusal } from './twilio-error.js'

const LIST = '/Accounts/:account/Messages.json'
const ONE = '/Accounts/:account/Messages/:message'
const ANY_CAMPAIGN = { campaignAccess: 'handler' } as const

export const compatMessageRoutes: FastifyPluginAsync<CompatOptions> = async (app, options) => {
  const { db, room, config } = options
  const check = createSendCheck(config)
  const findCredential = createCredentialFinder(options)

  app.post(
    LIST,
    compat('send', { ...ANY_CAMPAIGN, databaseClass: 'send' }),
    async (request, reply) => {
      const { caller } = request
      const input = readCreate(formOf(request), config, check)
      if (input.metadata && !(await findCredential(caller.accountId))) throw unsigned()
      const key = keyOfForm(request)
      const sent = await room.sendService.sendShown(
        ...[caller.accountId, input, key, caller.campaigns, request.trace],
      )
      if (sent instanceof Refusal) throw asSender(sent, input.from, input.campaign)
      const { id, message, isReplay } = sent
      if (isReplay) reply.header('idempotent-replayed', 'true')
      reply.code(201)
      return messageResource(
        message ? acceptedMessage(caller.accountId, id, message) : await getShown(db, caller, id),
      )
    },
  )

  app.get(LIST, compat('read', ANY_CAMPAIGN), async ({ caller, query }) => {
    const at = readPage(query)
    const { messages, nextToken } = await listForTwilio(db, caller, query, at)
    const path = `${accountPath(caller.accountId)}/Messages.json`
    return {
      ...pageFields(path, query, at, messages.length, nextToken),
      messages: messages.map(messageResource),
    }
  })

  app.get(ONE, compat('read', ANY_CAMPAIGN), async ({ caller, params }) =>
    messageResource(await getBySid(db, caller, sidIn(params, 'message'))),
  )
}

function unsigned(): Refusal {
  const text =
    'StatusCallback needs a credential that signs it. Create one with POST /v1/account/twilio.'
  return new TwilioRefusal(21609, text)
}

/** Without a campaign, an unknown number is a problem of the number. */
function asSender(
  refusal: Refusal,
  from: string | undefined,
  campaign: string | undefined,
): Refusal {
  const isNumber = refusal.code === 'campaign_missing' && campaign === undefined
  if (!isNumber) return refusal
  return new TwilioRefusal(
    21606,
    `The 'From' phone number ${from} is not a number of this account.`,
  )
}

/** A message as it was just accepted, without reading it again. */
function acceptedMessage(accountId: string, id: string, message: NewMessage): Message {
  const { campaignId, type, from, to, body, mediaUrls, metadata, numSegments } = message
  return {
    ...{ accountId, id, campaignId, type, body, numSegments },
    direction: 'OUTBOUND',
    automatic: null,
    number: from,
    peer: to,
    mediaUrls: [...mediaUrls],
    metadata: { ...metadata },
    priceMicros: message.priceMicros,
    isRefunded: false,
    status: message.scheduledAt ? 'SCHEDULED' : 'QUEUED',
    errorCode: null,
    errorMessage: null,
    scheduledAt: message.scheduledAt,
    validitySeconds: message.validitySeconds,
    sentAt: null,
    createdAt: timeOfId(id),
    updatedAt: null,
  }
}
