// A phone number that a campaign holds, and one that is for sale. A released number is for sale again
// and keeps nothing of its former holder.

import type { AccountId } from '../accounts/account.js'

/**
 * PENDING: paid, and on its way from the provider, or to another campaign there; what is sent from it waits. FAILED: the provider did not give it, and
 * the money is back; nothing is sent from it. Numbers of our own stock are ACTIVE at once.
 */
export type NumberStatus = 'ACTIVE' | 'PENDING' | 'FAILED'

export interface NumberRecord {
  /** E.164 */
  phoneNumber: string
  accountId: AccountId
  campaignId: string
  isDefault: boolean
  status: NumberStatus
  /** Why it is not ACTIVE, where there is more to say than that it is on its way. */
  statusReason: string | null
  /** Whose provider it is from; null: our own stock. */
  link: string | null
  /** Where inbound calls go; null while forwarding is off. */
  forwardNumber: string | null
  /** When the operator stopped its forwarding; null: it may be forwarded. */
  forwardingStoppedAt: Date | null
  location: string
  monthlyPriceMicros: bigint
  purchasedAt: Date
}

export interface InventoryNumber {
  /** E.164 */
  number: string
  areaCode: string
  location: string
  monthlyPriceMicros: bigint
}
