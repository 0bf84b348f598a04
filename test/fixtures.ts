// Starting points for most tests: a campaign that can send, numbers for sale, and a purchased number.

import assert from 'node:assert/strict'
import type { BrandFields } from '../src/brands/brand.js'
import { createBrand } from '../src/brands/create-brand.js'
import { decideBrand } from '../src/brands/decide-brand.js'
import { CREATION_FEE_MICROS } from '../src/campaigns/campaign.js'
import type { CampaignInput } from '../src/campaigns/campaign-fields.js'
import { updateCampaign } from '../src/campaigns/campaign-queries.js'
import { createCampaign } from '../src/campaigns/create-campaign.js'
import { decideCampaign } from '../src/campaigns/review/decide-campaign.js'
import { newId } from '../src/kit/ids.js'
import type { Transaction } from '../src/kit/postgres/db.js'
import { transfer } from '../src/ledger/ledger-queries.js'
import { addToInventory } from '../src/numbers/inventory-queries.js'
import type { InventoryNumber } from '../src/numbers/number.js'
import { areaCodeOf } from '../src/text/phone-number.js'
import type { TestService } from './harness.js'

export const BRAND: Partial<BrandFields> = {
  entityType: 'PRIVATE_PROFIT',
  entityName: 'Acme Coffee LLC',
  displayName: 'Acme',
  ein: '12-3456789',
  websiteUrl: 'https://acme.example',
  street: '1 Market Street',
  city: 'San Francisco',
  state: 'CA',
  postalCode: '94105',
  country: 'US',
  firstName: 'Ana',
  lastName: 'Ortiz',
  email: 'ana@acme.example',
  phone: '+14155550123',
}

export const CAMPAIGN: CampaignInput = {
  usecase: 'MARKETING',
  description: 'Offers of the week for members of the coffee club',
  consentFlow: 'Members tick a box on the form at acme.example/club',
}

export interface CampaignOverrides {
  /** The owner of the campaign. Default: the account of the service under test. */
  accountId?: string
  brand?: Partial<BrandFields>
  /** The trust score of the brand. Default: not vetted. */
  trustScore?: number
  campaign?: CampaignInput
  /** The paid period. Default: one month from now. */
  periodStart?: Date
  renewsAt?: Date
}

export interface ActiveCampaign {
  brandId: string
  campaignId: string
}

/**
 * A verified brand with an approved campaign that has no numbers yet. One transaction, so a review loop that
 * runs during the test finds nothing to decide. The creation fee is credited first, so the balance stays
 * as the test set it.
 */
export async function activeCampaign(
  { world, ...service }: TestService,
  overrides: CampaignOverrides = {},
): Promise<ActiveCampaign> {
  const now = world.clock.now()
  const accountId = overrides.accountId ?? service.accountId
  return world.db.transaction(async (tx) => {
    const brand = await createBrand(tx, accountId, { ...BRAND, ...overrides.brand }, now)
    await decideBrand(tx, accountId, brand.id, { kind: 'verify' }, now)
    if (overrides.trustScore !== undefined) {
      const decision = { kind: 'vet', trustScore: overrides.trustScore } as const
      await decideBrand(tx, accountId, brand.id, decision, now)
    }
    await creditCreationFee(tx, accountId, now)
    const given = { ...CAMPAIGN, ...overrides.campaign, brandId: brand.id }
    const { campaign } = await createCampaign(tx, accountId, given, now)
    const approved = await decideCampaign(tx, accountId, campaign.id, { kind: 'approve' }, now)
    await updateCampaign(tx, {
      ...approved,
      periodStart: overrides.periodStart ?? approved.periodStart,
      renewsAt: overrides.renewsAt ?? approved.renewsAt,
    })
    return { brandId: brand.id, campaignId: campaign.id }
  })
}

async function creditCreationFee(tx: Transaction, accountId: string, now: Date): Promise<void> {
  await transfer(tx, {
    accountId,
    reason: 'credit',
    reference: `credit:fixture:${newId('req', now)}`,
    amountMicros: CREATION_FEE_MICROS,
    now,
  })
}

/** Puts numbers up for sale, each as E.164 text or with its price. */
export async function addInventory(
  service: TestService,
  numbers: readonly (string | (Partial<InventoryNumber> & { number: string }))[],
): Promise<void> {
  const rows = numbers.map((given) => {
    const { number, ...rest } = typeof given === 'string' ? { number: given } : given
    return {
      number,
      areaCode: areaCodeOf(number),
      location: 'San Francisco, CA',
      monthlyPriceMicros: 1_000_000n,
      hosts: null,
      ...rest,
    }
  })
  assert.equal(await addToInventory(service.world.db, rows), rows.length, 'all numbers are new')
}

let bought = 0

/** Buys a new number for the campaign, as a customer would. Numbers are unique within a test file. */
export async function buyNumber(
  service: TestService,
  campaignId: string,
  options: { number?: string; token?: string } = {},
): Promise<string> {
  bought += 1
  const number = options.number ?? `+1415${2_000_000 + bought}`
  await addInventory(service, [number])
  const reply = await service.post(
    `/v1/campaign/${campaignId}/number/buy`,
    { number },
    options.token === undefined ? {} : { token: options.token },
  )
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return number
}
