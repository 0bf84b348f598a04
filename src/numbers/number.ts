// A phone number that a campaign holds, and one that is for sale. A released number is for sale again
// and keeps nothing of its former holder.

import type { AccountId } from '../accounts/account.js'

/**
 * PENDING: paid, and on its way from the provider, or to another campaign there; what is sent from it waits. FAILED: the provider did not give it, and
 * the money is back; nothing is sent from it. Numbers of our own stock are ACTIVE at once.
 */
export type NumberStatus = 'ACTIVE' | 'PENDING' | 'FAILED'

/** Who hosts a number: only these links can send from it. */
export interface HostedNumber {
  /** The provider link that it was bought through; null: the operator's own stock. */
  link: string | null
  /** Of own stock: the links that its import named; null: it named none. */
  hosts: readonly string[] | null
}

export interface NumberRecord extends HostedNumber {
  /** E.164 */
  phoneNumber: string
  accountId: AccountId
  campaignId: string
  isDefault: boolean
  status: NumberStatus
  /** Why it is not ACTIVE, where there is more to say than that it is on its way. */
  statusReason: string | null
  /** Since when its carrier refuses messages from it, and in which words; null: it does not. */
  refusedAt: Date | null
  refusedAs: string | null
  /** Where inbound calls go; null while forwarding is off. */
  forwardNumber: string | null
  /** When the operator stopped its forwarding; null: it may be forwarded. */
  forwardingStoppedAt: Date | null
  location: string
  monthlyPriceMicros: bigint
  purchasedAt: Date
}

/** Own stock that a campaign can send from. */
export interface StockFilter {
  /** The links that carry the campaign. */
  links: readonly string[]
  /** Whether numbers count whose import named no links. */
  isUnnamedHosted: boolean
}

export interface InventoryNumber {
  /** E.164 */
  number: string
  areaCode: string
  location: string
  monthlyPriceMicros: bigint
  /** The links that its import named; null: it named none. */
  hosts: readonly string[] | null
}
