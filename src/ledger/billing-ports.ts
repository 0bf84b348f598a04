// Data of other modules on the account pages. The ledger cannot import those modules, so the assembly passes
// these functions in.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { Notice } from './notice.js'

/** Charges other than messages. */
interface OtherPrices {
  campaignCreationMicros: bigint
  campaignMonthlyMicros: bigint
  /** The cheapest number for sale; null if there is none. */
  lowestNumberMicros: bigint | null
}

/** Days; null: no limit. */
export interface KeptDays {
  messageDays: number | null
  mediaDays: number | null
  recordDays: number | null
}

export interface BillingPorts {
  findOtherPrices: (db: Queryable) => Promise<OtherPrices>
  /** How long the account's messages, texts, and media are retained. */
  findKeptDays: (db: Queryable, accountId: AccountId) => Promise<KeptDays>
  /** Other notices for the owner of the account. */
  listNotices: (db: Queryable, accountId: AccountId) => Promise<Notice[]>
  /** The display names of campaigns, by ID. */
  nameCampaigns: (
    db: Queryable,
    accountId: AccountId,
    campaignIds: readonly string[],
  ) => Promise<Map<string, string>>
}
