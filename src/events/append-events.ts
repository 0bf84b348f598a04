// The outbox, for events that come alone, in the transaction of what happened. Each asks for what an event
// of its type has. The statements that move messages append theirs themselves, and changes of records have
// append-changes.ts.

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
        /** The number that the recipient wrote to, and their message; null where somebody else did it. */
        number: string | null
        messageId: string | null
      }
    | { eventType: 'webhook.changed'; campaignId: string }
    | { eventType: 'balance.changed' }
    /** Of what was submitted in parts and came to no message. */
    | { eventType: 'smpp.receipt' }
  )

/** What only some events have. */
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

/** Returns its id. */
export async function appendEvent(tx: Transaction, event: NewEvent): Promise<string> {
  const { now, ...fields } = event
  return append(tx, { ...NONE, ...fields }, now)
}

/** An event of any type that is about no record: no subscription gets it by itself. Returns its id. */
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
