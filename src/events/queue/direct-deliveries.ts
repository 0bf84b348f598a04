// Deliveries that skip the queue. The statement that creates them leases them for the deliverer of the same process, which gets
// them after the commit, so nothing looks for them and nothing claims them. All that a statement leases to one subscriber is one
// row (delivery-batch-queries.ts): if the process dies, its events go to the queue when the lease ends.

import type { AccountId } from '../../accounts/account.js'
import type { Event } from '../event.js'

export interface DirectDelivery {
  id: string
  subscriberId: string
  eventId: string
  messageId: string
  sequence: number
  /** An earlier event of its message was not finished when it was created. */
  isBehind: boolean
}

/** From the text of `LEASED_DELIVERIES` (append-queries.ts): a row for each would cost the driver several microseconds. */
export function readLeased(text: string | null): DirectDelivery[] {
  if (text === null) return []
  return text.split(',').map((fields) => {
    const [id, subscriberId, eventId, messageId, sequence, behind] = fields.split(' ')
    return {
      id: id!,
      subscriberId: subscriberId!,
      eventId: eventId!,
      messageId: messageId!,
      sequence: Number(sequence),
      isBehind: behind !== undefined,
    }
  })
}

/** What the events have in common: the statement has just written them, so nothing reads them. */
export type StatusChange = Pick<
  Event,
  'status' | 'previousStatus' | 'errorCode' | 'errorMessage' | 'createdAt'
>

/** What one statement leased to one subscriber. */
export interface DirectBatch {
  readonly id: string
  /** How many are neither recorded nor in the queue. */
  left: number
}

/** What a statement may lease. */
export interface DirectLease {
  subscriberIds: readonly string[]
  /** Of each. */
  batchIds: readonly string[]
  leaseUntil: Date
}

export interface DirectOffer extends DirectLease {
  /** Once, after the commit: what was leased. Nothing if the statement failed. */
  settle: (deliveries: readonly DirectDelivery[], change: StatusChange) => void
}

/** The subscribers of an account that take this many deliveries now. Null: none. */
type Offer = (accountId: AccountId, count: number, now: Date) => DirectOffer | null

/** One per process. Without a deliverer, everything waits in the queue. */
export class DirectDeliveries {
  #offer: Offer = () => null

  open(offer: Offer): void {
    this.#offer = offer
  }

  close(): void {
    this.#offer = () => null
  }

  offer(accountId: AccountId, count: number, now: Date): DirectOffer | null {
    return this.#offer(accountId, count, now)
  }
}
