// What a receiver reads: one envelope for every kind of event. It is made when the event is first sent, so data
// from the time of the event comes from the event's row, and the rest from the current message.

import type { Event } from '../events/event.js'
import { wireTime } from '../kit/contract/wire-time.js'
import type { Queryable } from '../kit/postgres/db.js'

export type WireMessage = Record<string, unknown>

/** Messages as the API returns them. Declared here, because webhooks do not know messages. */
export type DescribeMessages = (
  db: Queryable,
  accountId: string,
  messageIds: readonly string[],
) => Promise<Map<string, WireMessage>>

export interface EventBody {
  id: string
  eventType: string
  createdAt: string
  campaignId: string | null
  data: Record<string, unknown>
}

/** As in the live stream: without what belongs to one webhook. */
export function describeEvent(event: Event, message: WireMessage | undefined): EventBody {
  return {
    id: event.id,
    eventType: event.eventType,
    createdAt: wireTime(event.createdAt),
    campaignId: event.campaignId,
    data: eventData(event, message),
  }
}

/** What differs between the webhooks that get one event. */
export type BodyFor = (webhook: { id: string; campaignId: string; signature: string }) => string

/**
 * As a webhook gets it. A test event has no campaign and uses its webhook's. Most of it is the same for every
 * webhook and is serialized once.
 */
export function webhookBody(event: Event, message: WireMessage | undefined): BodyFor {
  const { id, eventType, createdAt, campaignId, data } = describeEvent(event, message)
  const start = JSON.stringify({ id, eventType, createdAt }).slice(0, -1)
  const end = JSON.stringify({ data }).slice(1)
  return (webhook) => {
    const own = JSON.stringify({
      webhookId: webhook.id,
      campaignId: campaignId ?? webhook.campaignId,
      signature: webhook.signature,
    })
    return `${start},${own.slice(1, -1)},${end}`
  }
}

/** Whether the body contains the message. An opt-out only names the message that caused it. */
export function isAboutMessage({ messageId, eventType }: Event): boolean {
  return messageId !== null && eventType.startsWith('message.')
}

function eventData(event: Event, message: WireMessage | undefined): Record<string, unknown> {
  if (!isAboutMessage(event)) return event.data ?? {}
  if (event.eventType !== 'message.status') {
    return { message: message ?? { id: event.messageId }, ...event.data }
  }
  return {
    message: messageAt(event, message),
    previousStatus: event.previousStatus,
    sequence: event.sequence,
    ...event.data,
  }
}

/** The message as it was when the event happened, even if it has moved since. */
function messageAt(event: Event, message: WireMessage | undefined): WireMessage {
  const at = wireTime(event.createdAt)
  const sentAt = message?.sentAt
  return {
    ...(message ?? { id: event.messageId, campaignId: event.campaignId }),
    // Times on the wire have one form, so they sort as text.
    sentAt: typeof sentAt === 'string' && sentAt <= at ? sentAt : null,
    updatedAt: at,
    errorCode: event.errorCode,
    errorMessage: event.errorMessage,
    status: event.status,
  }
}
