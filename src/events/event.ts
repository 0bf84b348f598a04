// The events that customers can receive. The statements that move messages write message events; the payload
// is built when it is first sent, from the row and the message. The event of a changed record contains the
// record as the change left it.

import type { AccountId } from '../accounts/account.js'

/** Changes of a campaign's records: extensions (not in the contract). */
export const CHANGE_TYPES = [
  'brand.changed',
  'campaign.changed',
  'number.changed',
  'conversation.changed',
] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

/** Problems that the service noticed, and their ends: extensions. */
const ALERT_TYPES = ['alert.raised', 'alert.cleared'] as const
export type AlertType = (typeof ALERT_TYPES)[number]

/** What a webhook can subscribe to: the contract's three, changes, and alerts. */
export const EVENT_TYPES = [
  'message.incoming',
  'message.status',
  'recipient.optout',
  ...CHANGE_TYPES,
  ...ALERT_TYPES,
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** For the live stream, and the last one for an SMPP customer. Webhooks cannot subscribe to them. */
type StreamType = 'webhook.changed' | 'balance.changed' | 'smpp.receipt'

export interface Event {
  accountId: AccountId
  id: string
  eventType: EventType | StreamType
  campaignId: string | null
  /** The account's number that the event concerns. Subscriptions filter by it. */
  number: string | null
  messageId: string | null
  /** 1, 2, 3 … for the status events of one message. */
  sequence: number | null
  status: string | null
  previousStatus: string | null
  errorCode: number | null
  errorMessage: string | null
  data: Record<string, unknown> | null
  createdAt: Date
}

export interface Delivery {
  accountId: AccountId
  id: string
  subscriberId: string
  eventId: string
  eventType: EventType
  messageId: string | null
  sequence: number | null
  state: DeliveryState
  attempts: number
  /** Attempts before the current round. A replay starts a new round with all its attempts. */
  attemptsBefore: number
  /** When the next attempt is due; null if none is left. */
  dueAt: Date | null
  isLeased: boolean
  createdAt: Date
  finishedAt: Date | null
}

/**
 * pending: its next attempt is due at dueAt; held: paused, because its webhook is disabled; failed: all
 * attempts are used up.
 */
export const DELIVERY_STATES = ['pending', 'held', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]
