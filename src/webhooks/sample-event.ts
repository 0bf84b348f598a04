// The data of a test event: the shape of a real one, with numbers that belong to nobody.

import { ALERT_EXAMPLE } from '../alerts/alert-wire.js'
import { BRAND_EXAMPLE } from '../brands/brand-examples.js'
import { CAMPAIGN_EXAMPLE } from '../campaigns/campaign-operations.js'
import type { AlertType, ChangeType, EventType } from '../events/event.js'
import { CONVERSATION_EXAMPLE } from '../inbox/conversation-wire.js'
import { newId } from '../kit/ids.js'
import { MESSAGE_EXAMPLE } from '../messages/message-wire.js'
import { NUMBER_EXAMPLE } from '../numbers/number-wire.js'
import type { Webhook } from './webhook.js'

const OURS = '+14155550100'
const THEIRS = '+14155550199'

export function sampleData(
  eventType: EventType,
  webhook: Webhook,
  now: Date,
): Record<string, unknown> {
  switch (eventType) {
    case 'message.incoming':
      return {
        message: sampleMessage('INBOUND', webhook, now),
        keyword: null,
        match: null,
        replyId: null,
        optoutSuspected: false,
        test: true,
      }
    case 'message.status':
      return {
        message: sampleMessage('OUTBOUND', webhook, now),
        previousStatus: 'SENT',
        sequence: 3,
        test: true,
      }
    case 'recipient.optout':
      return {
        recipient: THEIRS,
        number: OURS,
        campaignId: webhook.campaignId,
        keyword: 'STOP',
        match: 'exact',
        messageId: newId('msg', now),
        optedOutAt: now.toISOString(),
        test: true,
      }
    case 'brand.changed':
    case 'campaign.changed':
    case 'number.changed':
    case 'conversation.changed':
      return { ...sampleChange(eventType, webhook, now), test: true }
    case 'alert.raised':
    case 'alert.cleared':
      return { alert: sampleAlert(eventType, now), test: true }
  }
}

function sampleChange(
  eventType: ChangeType,
  { campaignId }: Webhook,
  now: Date,
): Record<string, unknown> {
  const at = now.toISOString()
  const times = { createdAt: at, updatedAt: at }
  switch (eventType) {
    case 'brand.changed':
      return {
        change: 'verified',
        brand: { ...BRAND_EXAMPLE, ...times, status: 'VERIFIED' },
        previousStatus: 'PENDING',
        changed: ['status'],
      }
    case 'campaign.changed': {
      const reviewNotes = [{ field: 'sample1', note: 'Begin the message with the brand’s name.' }]
      return {
        change: 'returned',
        campaign: { ...CAMPAIGN_EXAMPLE, ...times, id: campaignId, status: 'DRAFT', reviewNotes },
        previousStatus: 'PENDING',
        changed: ['status', 'reviewNotes'],
      }
    }
    case 'number.changed':
      return {
        change: 'bought',
        number: { ...NUMBER_EXAMPLE, phoneNumber: OURS, purchasedAt: at, campaignId },
        changed: [],
      }
    case 'conversation.changed':
      return {
        change: 'replied',
        conversation: { ...CONVERSATION_EXAMPLE, campaignId, recipient: THEIRS, updatedAt: at },
        changed: [],
      }
  }
}

function sampleAlert(eventType: AlertType, now: Date): Record<string, unknown> {
  const at = now.toISOString()
  const clearedAt = eventType === 'alert.cleared' ? at : null
  return {
    ...ALERT_EXAMPLE,
    id: newId('alr', now),
    since: at,
    raisedAt: at,
    updatedAt: at,
    clearedAt,
  }
}

function sampleMessage(
  direction: 'INBOUND' | 'OUTBOUND',
  webhook: Webhook,
  now: Date,
): Record<string, unknown> {
  const isInbound = direction === 'INBOUND'
  const at = now.toISOString()
  return {
    ...MESSAGE_EXAMPLE, // everything else in a message
    id: newId('msg', now),
    createdAt: at,
    sentAt: isInbound ? null : at,
    updatedAt: at,
    direction,
    from: isInbound ? THEIRS : OURS,
    to: isInbound ? OURS : THEIRS,
    body: 'This is a test event.',
    mediaUrls: [],
    metadata: {},
    numSegments: 1,
    campaignId: webhook.campaignId,
    status: 'DELIVERED',
    automatic: null,
    price: 0,
  }
}
