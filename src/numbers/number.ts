// A phone number that a campaign holds, and one that is for sale. A released number is for sale again
// and keeps nothing of its former holder.

import type { AccountId } from '../accounts/account.js'

export interface NumberRecord {
  /** E.164 */
  phoneNumber: string
  accountId: AccountId
  campaignId: string
  isDefault: boolean
  /** Decision 0011: there is no other, since only a fully provisioned campaign can buy. */
  status: 'ACTIVE'
  /** Where inbound calls go; null while forwarding is off. */
  forwardNumber: string | null
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
