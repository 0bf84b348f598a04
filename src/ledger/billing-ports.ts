// What the account's pages show of rooms that the ledger may not know: handed in by whoever puts the
// rooms together.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { Notice } from './notice.js'

export interface BillingPorts {
  /** What else the owner of the account should know. */
  listNotices: (db: Queryable, accountId: AccountId) => Promise<Notice[]>
  /** The display names of campaigns, by id. */
  nameCampaigns: (
    db: Queryable,
    accountId: AccountId,
    campaignIds: readonly string[],
  ) => Promise<Map<string, string>>
}
