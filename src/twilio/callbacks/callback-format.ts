// The twilio format of webhooks, for the deliverer: what is posted where, its signature, and what its answer means.

import type { World } from '../../kit/world.js'
import { findMessage } from '../../messages/message-queries.js'
import { createSendCheck } from '../../messages/send/check-send.js'
import type { SendService } from '../../messages/send/send-message.js'
import type { OtherFormat } from '../../webhooks/other-format.js'
import { createCredentialFinder } from '../find-credential.js'
import { TwimlAnswers } from './answer-twiml.js'
import { type CallbackMessage, callbackForm, signForm, statusUrlOf } from './callback-body.js'

export function createTwilioFormat(
  world: World,
  sendService: Pick<SendService, 'send'>,
): OtherFormat {
  const { db, config } = world
  const findOf = createCredentialFinder(world)
  const answers = new TwimlAnswers({ sendService, check: createSendCheck(config), config })
  return {
    write: (event, message, webhook) => {
      const shown = message ?? event.data?.message
      if (!shown) return { url: '', body: '' }
      const described = shown as unknown as CallbackMessage
      return {
        url: webhook.campaignId === '' ? statusUrlOf(described) : webhook.url,
        body: callbackForm(event, described),
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
    act: async ({ accountId, eventId, messageId, body, url, answer, post }) => {
      const form = new URLSearchParams(body)
      const isInbound = form.get('SmsStatus') === 'received'
      const message =
        isInbound && messageId !== null ? await findMessage(db, accountId, messageId) : null
      if (!message) return null
      const { id, type, number, peer, mediaUrls, metadata, numSegments, campaignId } = message
      return answers.act({
        ...{ accountId, eventId, url, answer, post },
        message: {
          ...{ id, type, from: peer, to: number, body: message.body },
          ...{ mediaUrls, metadata, numSegments, campaignId },
        },
      })
    },
  }
}
