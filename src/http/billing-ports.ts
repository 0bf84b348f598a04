// Gives the account's pages what campaigns and numbers have to say about money.

import { nameCampaigns } from '../campaigns/campaign-names.js'
import { listRenewalNotices } from '../campaigns/renewal-wire.js'
import type { BillingPorts } from '../ledger/billing-ports.js'
import { listCampaignNumbers } from '../numbers/number-queries.js'

export const billingPorts: BillingPorts = {
  nameCampaigns,
  listNotices: (db, accountId) => listRenewalNotices(db, accountId, listCampaignNumbers),
}
