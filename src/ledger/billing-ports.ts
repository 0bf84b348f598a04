// What the account's pages show of rooms that the ledger may not know: handed in by whoever puts the
// rooms together.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { Notice } from './notice.js'

/** What is charged besides messages. */
interface OtherPrices {
  campaignCreationMicros: bigint
  campaignMonthlyMicros: bigint
  /** The cheapest number for sale; null: none is. */
  lowestNumberMicros: bigint | null
}

/** Days; null: kept. */
export interface KeptDays {
  messageDays: number | null
  mediaDays: number | null
  recordDays: number | null
}

export interface BillingPorts {
  findOtherPrices: (db: Queryable) => Promise<OtherPrices>
  /** How long the account's messages, their texts and media are kept. */
  findKeptDays: (db: Queryable, accountId: AccountId) => Promise<KeptDays>
  /** What else the owner of the account should know. */
  listNotices: (db: Queryable, accountId: AccountId) => Promise<Notice[]>
  /** The display names of campaigns, by id. */
  nameCampaigns: (
    db: Queryable,
    accountId: AccountId,
    campaignIds: readonly string[],
  ) => Promise<Map<string, string>>
}
