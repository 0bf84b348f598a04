// Returned records that wait for their owner. A returned campaign is a DRAFT, which lists leave out, so the
// account shows it until it is resubmitted.

import type { AccountId } from '../../accounts/account.js'
import { type Brand, brandName } from '../../brands/brand.js'
import { listRefusedBrands } from '../../brands/brand-queries.js'
import type { Queryable } from '../../kit/postgres/db.js'
import type { Notice } from '../../ledger/notice.js'
import type { Campaign } from '../campaign.js'
import { listReturned } from '../campaign-queries.js'

const NOTICES_MAX = 50

export async function listReviewNotices(db: Queryable, accountId: AccountId): Promise<Notice[]> {
  const brands = await listRefusedBrands(db, accountId, NOTICES_MAX)
  const campaigns = await listReturned(db, accountId, NOTICES_MAX)
  return [...brands.map(brandNotice), ...campaigns.map(campaignNotice)]
}

function brandNotice(brand: Brand): Notice {
  return {
    kind: 'brand_refused',
    text: `${brandName(brand)} was not verified. Make the changes in the notes and resubmit the brand.`,
    campaignId: null,
    brandId: brand.id,
    notes: brand.reviewNotes,
    until: null,
    owedMicros: null,
  }
}

function campaignNotice({ id, displayName, brandId, reviewNotes }: Campaign): Notice {
  return {
    kind: 'campaign_returned',
    text: `${displayName} was returned by the reviewer. Make the changes in the notes and resubmit it at no extra cost.`,
    campaignId: id,
    brandId,
    notes: reviewNotes,
    until: null,
    owedMicros: null,
  }
}
