// Account notices about unpaid renewals.

import type { AccountId } from '../../accounts/account.js'
import { formatDollars } from '../../kit/money.js'
import type { Queryable } from '../../kit/postgres/db.js'
import type { Notice } from '../../ledger/notice.js'
import type { ListNumberFees } from './renew-campaigns.js'
import { listOwing, type Renewing } from './renewal-queries.js'
import { owedMicros } from './renewal-state.js'

const NOTICES_MAX = 50

/** The notice for the customer, with the amount to pay. */
export async function listRenewalNotices(
  db: Queryable,
  accountId: AccountId,
  listNumberFees: ListNumberFees,
): Promise<Notice[]> {
  const owing = await listOwing(db, accountId, NOTICES_MAX)
  return Promise.all(
    owing.map(async (campaign) => {
      const numberFees = await listNumberFees(db, accountId, campaign.id)
      return noticeOf(campaign, owedMicros(campaign.monthlyFeeMicros, numberFees))
    }),
  )
}

function noticeOf(campaign: Renewing, owed: bigint): Notice {
  const { id, displayName, status, graceUntil } = campaign
  const amount = formatDollars(owed)
  const text =
    status === 'ACTIVE'
      ? `The renewal of ${displayName} is unpaid. You owe ${amount}. The campaign will be suspended on ${dayOf(graceUntil!)}.`
      : `${displayName} is suspended because its renewal is unpaid. You owe ${amount}.`
  return { kind: 'renewal_unpaid', text, campaignId: id, until: graceUntil, owedMicros: owed }
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
