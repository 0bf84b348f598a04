// What can happen that somebody outside wants to know. Message events are written by the statements
// that move messages; the payload is made when it is first sent, from the row and the message. The
// event of a changed record holds the record as the change left it.

import type { AccountId } from '../accounts/account.js'

/** Changes of the records that a campaign lives by: extensions (not in the contract). */
export const CHANGE_TYPES = ['brand.changed', 'campaign.changed', 'number.changed'] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

/** What a webhook may ask for: the contract's three, and changes. */
export const EVENT_TYPES = [
  'message.incoming',
  'message.status',
  'recipient.optout',
  ...CHANGE_TYPES,
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** For the live stream, and the last for one SMPP customer: no webhook can subscribe to them. */
type StreamType = 'webhook.changed' | 'balance.changed' | 'smpp.receipt'

export interface Event {
  accountId: AccountId
  id: string
  eventType: EventType | StreamType
  campaignId: string | null
  /** Our number that the event is about: subscriptions filter by it. */
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
  /** Made before the present round: a replay starts a new one, with every attempt before it. */
  attemptsBefore: number
  /** When the next attempt is due; null where none is left. */
  dueAt: Date | null
  isLeased: boolean
  createdAt: Date
  finishedAt: Date | null
}

/** pending: its next attempt is due at dueAt; held: paused, its webhook is disabled; failed: every attempt is used up. */
export const DELIVERY_STATES = ['pending', 'held', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]
