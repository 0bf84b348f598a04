// The outbox for single events, in the transaction of the change. Each function requires the fields of its
// event type. The statements that move messages append their own events, and append-changes.ts handles
// changed records.

import type { AccountId } from '../accounts/account.js'
import { newId } from '../kit/ids.js'
import type { Transaction } from '../kit/postgres/db.js'
import { insertEvent } from './append-queries.js'
import type { Event, EventType } from './event.js'

interface NewEventBase {
  accountId: AccountId
  data: Record<string, unknown>
  now: Date
}

export type NewEvent = NewEventBase &
  (
    | {
        eventType: 'message.incoming'
        campaignId: string
        number: string
        messageId: string
        status: 'DELIVERED'
      }
    | {
        eventType: 'recipient.optout'
        campaignId: string
        /** The number that the recipient texted, and their message; null if someone else opted them out. */
        number: string | null
        messageId: string | null
      }
    | { eventType: 'webhook.changed'; campaignId: string }
    | { eventType: 'balance.changed' }
    /** For a message that was submitted in parts and never completed. */
    | { eventType: 'smpp.receipt' }
  )

/** Fields that only some events have. */
const NONE = {
  campaignId: null,
  number: null,
  messageId: null,
  sequence: null,
  status: null,
  previousStatus: null,
  errorCode: null,
  errorMessage: null,
}

/** Returns its ID. */
export async function appendEvent(tx: Transaction, event: NewEvent): Promise<string> {
  const { now, ...fields } = event
  return append(tx, { ...NONE, ...fields }, now)
}

/** An event of any type that concerns no record, so no subscription gets it automatically. Returns its ID. */
export async function appendSample(
  tx: Transaction,
  { now, ...fields }: NewEventBase & { eventType: EventType },
): Promise<string> {
  return append(tx, { ...NONE, ...fields }, now)
}

async function append(
  tx: Transaction,
  event: Omit<Event, 'id' | 'createdAt'>,
  now: Date,
): Promise<string> {
  const id = newId('evt', now)
  await insertEvent(tx, { ...event, id, createdAt: now })
  return id
}
