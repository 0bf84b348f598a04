// Recipients who must not be messaged. An opt-out applies to one campaign and one recipient. Every change is stored
// in the audit log.

import type { AccountId } from '../accounts/account.js'

export interface Optout {
  campaignId: string
  recipient: string
  /** Our number that the recipient messaged. Null if it was not by message. */
  number: string | null
  keyword: string | null
  messageId: string | null
  reason: string | null
  optedOutAt: Date
}

export type ChangeSource = 'keyword' | 'api' | 'operator' | 'campaign_end' | 'carrier'

export interface OptoutChange {
  accountId: AccountId
  campaignId: string
  recipient: string
  change: 'opted_out' | 'opted_in'
  source: ChangeSource
  reason: string | null
  tokenId: string | null
  now: Date
}
