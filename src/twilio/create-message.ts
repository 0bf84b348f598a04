// Creates a message for the Twilio-compatible API: reads the form, sends it like any message, and describes the result.

import type { Caller } from '../accounts/account.js'
import { Refusal } from '../kit/contract/refusal.js'
import { timeOfId } from '../kit/ids.js'
import type { RecordTrace } from '../kit/tracing/tracing.js'
import type { World } from '../kit/world.js'
import type { Message } from '../messages/message.js'
import type { IdempotencyKey, NewMessage } from '../messages/send/accept-queries.js'
import { createSendCheck } from '../messages/send/check-send.js'
import type { SendService } from '../messages/send/send-message.js'
import { createCredentialFinder } from './find-credential.js'
import type { FormBody } from './form.js'
import { getShown } from './get-message.js'
import { type MessageResource, messageResource } from './message-resource.js'
import { readCreate } from './read-create.js'
import { TwilioRefusal } from './twilio-error.js'

interface Created {
  resource: MessageResource
  isReplay: boolean
}

/** Throws a refusal. */
export type CreateMessage = (
  caller: Caller,
  form: FormBody,
  key: IdempotencyKey | null,
  trace: RecordTrace | null,
) => Promise<Created>

export function createMessageCreator(
  { db, config }: Pick<World, 'db' | 'config'>,
  sendService: Pick<SendService, 'sendShown'>,
): CreateMessage {
  const check = createSendCheck(config)
  const findCredential = createCredentialFinder({ db })
  return async (caller, form, key, trace) => {
    const { accountId, campaigns } = caller
    const input = readCreate(form, config, check)
    if (input.metadata && !(await findCredential(accountId))) throw unsigned()
    const sent = await sendService.sendShown(accountId, input, key, campaigns, trace)
    if (sent instanceof Refusal) throw asSender(sent, input.from, input.campaign)
    const { id, message, isReplay } = sent
    const shown = message ? acceptedMessage(accountId, id, message) : await getShown(db, caller, id)
    return { resource: messageResource(shown), isReplay }
  }
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

/** A message as it was just accepted, without reading it again. Field by field, because a spread is much slower. */
function acceptedMessage(accountId: string, id: string, message: NewMessage): Message {
  return {
    accountId,
    id,
    campaignId: message.campaignId,
    type: message.type,
    direction: 'OUTBOUND',
    automatic: null,
    number: message.from,
    peer: message.to,
    body: message.body,
    mediaUrls: [...message.mediaUrls],
    metadata: message.metadata,
    numSegments: message.numSegments,
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
