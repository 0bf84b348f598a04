// Request bodies and setup steps for the campaign tests.

import assert from 'node:assert/strict'
import { BRAND_BODY_EXAMPLE } from '../../src/brands/brand-examples.js'
import type { BrandDecision } from '../../src/brands/decide-brand.js'
import { reviewBrand } from '../../src/campaigns/follow-limits.js'
import {
  type CampaignDecision,
  decideCampaign,
} from '../../src/campaigns/review/decide-campaign.js'
import { wakeLanes } from '../../src/messages/lane-queries.js'
import type { CallOptions, Json, TestService } from '../harness.js'

/** A body that passes review without warnings. */
export const CAMPAIGN_BODY = {
  usecase: 'MARKETING',
  description: 'Weekly offers of Acme Coffee to customers who joined its text list.',
  consentFlow: 'Customers tick a box on https://acme.example/texts that describes our texts.',
  sample1: 'Acme Coffee: two for one on Friday. Reply STOP to opt out.',
  sample2: 'Acme Coffee: the new roast is here, 10% off this week.',
}

export async function newBrand(
  service: TestService,
  given: Json = {},
  options: CallOptions = {},
): Promise<string> {
  const { body } = await service.post(
    '/v1/brand/create',
    { ...BRAND_BODY_EXAMPLE, ...given },
    options,
  )
  assert.equal(body.success, true, JSON.stringify(body))
  return body.brand.id
}

/** A PENDING campaign. Creates a brand for it unless one is given. */
export async function newCampaign(service: TestService, given: Json = {}): Promise<Json> {
  const brandId = given.brandId ?? (await newBrand(service))
  const { body } = await service.post('/v1/campaign/create', {
    ...CAMPAIGN_BODY,
    brandId,
    ...given,
  })
  assert.equal(body.success, true, JSON.stringify(body))
  return body.campaign
}

export async function decideOnBrand(
  { world, accountId }: TestService,
  id: string,
  decision: BrandDecision,
): Promise<void> {
  await world.db.transaction((tx) =>
    reviewBrand(tx, accountId, id, decision, world.clock.now(), wakeLanes),
  )
}

export async function decideOnCampaign(
  { world, accountId }: TestService,
  id: string,
  decision: CampaignDecision,
): Promise<void> {
  await world.db.transaction((tx) => decideCampaign(tx, accountId, id, decision, world.clock.now()))
}

/** An ACTIVE campaign with a verified brand. */
export async function newActiveCampaign(service: TestService, given: Json = {}): Promise<string> {
  const campaign = await newCampaign(service, given)
  await decideOnBrand(service, campaign.brandId as string, { kind: 'verify' })
  await decideOnCampaign(service, campaign.id as string, { kind: 'approve' })
  return campaign.id as string
}
