// Who must not be written to. An opt-out holds for one campaign and one recipient; every change is
// kept for audit.

import type { AccountId } from '../accounts/account.js'

export interface Optout {
  campaignId: string
  recipient: string
  /** The number of ours that the recipient wrote to; null where it was not by message. */
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
