// A phone number that a campaign owns, and one that is for sale. A released number is for sale again and keeps
// nothing of its previous owner.

import type { AccountId } from '../accounts/account.js'

/**
 * PENDING: paid, and not yet activated by the provider or not yet moved to another campaign there. Messages from it
 * wait. FAILED: the provider did not deliver it, and it was refunded. It cannot send. Numbers from our own stock
 * are ACTIVE immediately.
 */
export const NUMBER_STATUSES = ['ACTIVE', 'PENDING', 'FAILED'] as const
export type NumberStatus = (typeof NUMBER_STATUSES)[number]

/** Who hosts a number: only these links can send from it. */
export interface HostedNumber {
  /** The provider link that it was bought through. Null: the operator's own stock. */
  link: string | null
  /** For own stock: the links named in its import. Null: none. */
  hosts: readonly string[] | null
}

export interface NumberRecord extends HostedNumber {
  /** E.164 */
  phoneNumber: string
  accountId: AccountId
  campaignId: string
  isDefault: boolean
  status: NumberStatus
  /** Why it is not ACTIVE, if there is more to report than that the provider is working on it. */
  statusReason: string | null
  /** Since when its carrier refuses messages from it, and the carrier's reason. Null: it does not. */
  refusedAt: Date | null
  refusedAs: string | null
  /** Where inbound calls go. Null while forwarding is off. */
  forwardNumber: string | null
  /** When the operator stopped its forwarding. Null: it may be forwarded. */
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
  /** The links named in its import. Null: none. */
  hosts: readonly string[] | null
}
