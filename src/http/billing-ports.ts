// Gives the account's pages what campaigns, brands and numbers have to say.

import { nameCampaigns } from '../campaigns/campaign-queries.js'
import { listRenewalNotices } from '../campaigns/renewal/renewal-notices.js'
import { listReviewNotices } from '../campaigns/review/review-notices.js'
import type { BillingPorts } from '../ledger/billing-ports.js'
import { listCampaignNumbers } from '../numbers/number-queries.js'

export const billingPorts: BillingPorts = {
  nameCampaigns,
  listNotices: async (db, accountId) => [
    ...(await listRenewalNotices(db, accountId, listCampaignNumbers)),
    ...(await listReviewNotices(db, accountId)),
  ],
}
