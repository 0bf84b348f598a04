// Connects the account pages to the data of campaigns, brands, and numbers.

import { CREATION_FEE_MICROS, MONTHLY_FEE_MICROS } from '../campaigns/campaign.js'
import { nameCampaigns } from '../campaigns/campaign-queries.js'
import { listRenewalNotices } from '../campaigns/renewal/renewal-notices.js'
import { listReviewNotices } from '../campaigns/review/review-notices.js'
import type { BillingPorts } from '../ledger/billing-ports.js'
import { findLowestPrice } from '../numbers/inventory-queries.js'
import { listNumberFees } from '../numbers/number-queries.js'
import { getRetention } from '../operator/accounts/retention-queries.js'

export const billingPorts: BillingPorts = {
  findOtherPrices: async (db) => ({
    campaignCreationMicros: CREATION_FEE_MICROS,
    campaignMonthlyMicros: MONTHLY_FEE_MICROS,
    lowestNumberMicros: await findLowestPrice(db),
  }),
  findKeptDays: getRetention,
  nameCampaigns,
  listNotices: async (db, accountId) => [
    ...(await listRenewalNotices(db, accountId, listNumberFees)),
    ...(await listReviewNotices(db, accountId)),
  ],
}
