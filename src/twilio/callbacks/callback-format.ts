// The twilio format of webhooks, for the deliverer: what is posted where, its signature, and what its answer means.

import { timeOfId } from '../../kit/ids.js'
import type { World } from '../../kit/world.js'
import { listFetching } from '../../messages/media/fetch-queries.js'
import { listMediaTypes } from '../../messages/media-queries.js'
import { findMessage } from '../../messages/message-queries.js'
import { createSendCheck } from '../../messages/send/check-send.js'
import type { SendService } from '../../messages/send/send-message.js'
import type { OtherDetails, OtherFormat } from '../../webhooks/other-format.js'
import { createCredentialFinder } from '../find-credential.js'
import { TwimlAnswers } from './answer-twiml.js'
import { type CallbackMessage, callbackForm, signForm, statusUrlOf } from './callback-body.js'

/** Twilio has every file before it posts. After this time, a form leaves without the type of a file that is late. */
const FILES_MS = 10_000

export function createTwilioFormat(
  world: World,
  sendService: Pick<SendService, 'send'>,
): OtherFormat {
  const { db, config } = world
  const findOf = createCredentialFinder(world)
  const answers = new TwimlAnswers({ sendService, check: createSendCheck(config), config })
  return {
    findDetails: (accountId, messageIds) => findDetails(world, accountId, messageIds),
    write: (event, message, webhook, details) => {
      const shown = message ?? event.data?.message
      if (!shown) return { url: '', body: '' }
      const described = shown as unknown as CallbackMessage
      return {
        url: webhook.campaignId === '' ? statusUrlOf(described) : webhook.url,
        body: callbackForm(event, described, details?.mediaTypes),
      }
    },
    findUrl: async (accountId, messageId) => {
      const message = messageId === null ? null : await findMessage(db, accountId, messageId)
      return message ? statusUrlOf(message) : ''
    },
    sign: async (accountId, url, body) => {
      const credential = await findOf(accountId)
      return credential && signForm(credential.authToken, url, body)
    },
    act: async ({ accountId, eventId, messageId, body, url, answer, follow }) => {
      const form = new URLSearchParams(body)
      const isInbound = form.get('SmsStatus') === 'received'
      const message =
        isInbound && messageId !== null ? await findMessage(db, accountId, messageId) : null
      if (!message) return null
      const { id, type, number, peer, mediaUrls, metadata, numSegments, campaignId } = message
      return answers.act({
        ...{ accountId, eventId, url, answer, follow },
        message: {
          ...{ id, type, from: peer, to: number, body: message.body },
          ...{ mediaUrls, metadata, numSegments, campaignId },
        },
      })
    },
  }
}

async function findDetails(
  { db, clock }: World,
  accountId: string,
  messageIds: readonly string[],
): Promise<Map<string, OtherDetails>> {
  const [mediaTypes, fetching] = await Promise.all([
    listMediaTypes(db, accountId, messageIds),
    listFetching(db, accountId, messageIds),
  ])
  const since = clock.nowMs() - FILES_MS
  return new Map(
    messageIds.map((id) => {
      const isEarly = fetching.has(id) && timeOfId(id).getTime() > since
      return [id, { mediaTypes, isEarly }]
    }),
  )
}
