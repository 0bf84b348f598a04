// What the tests of every registrar have in common: the operations that each must have cases for, and the brand and the
// campaign that the cases are about.

import type { Brand, BrandFields } from '../../../src/brands/brand.js'
import type { Campaign } from '../../../src/campaigns/campaign.js'
import { blankCampaign } from '../../../src/campaigns/campaign-fields.js'
import type { Registrar } from '../../../src/campaigns/registration/registrar.js'
import type { Case } from './exchange.js'

export type RegistrarCase = Case<Registrar>
type Operation = Exclude<keyof Registrar, 'link' | 'vertical' | 'settleMs'>
export type RegistrarCases = Record<Operation, readonly RegistrarCase[]>

const NOW = new Date('2026-11-16T12:00:00Z')
const ACCOUNT = `acc_${'0'.repeat(26)}` as Brand['accountId']
const BRAND_ID = `brd_${'1'.repeat(26)}`
const CAMPAIGN_ID = `cmp_${'2'.repeat(26)}`

export const CALLBACK_URL = 'https://ours.test/carrier/acme'
export const BRAND_WEBHOOK = `${CALLBACK_URL}/registration/${ACCOUNT}/${BRAND_ID}`
export const CAMPAIGN_WEBHOOK = `${CALLBACK_URL}/registration/${ACCOUNT}/${CAMPAIGN_ID}`

const FIELDS: BrandFields = {
  ...{ entityType: 'PRIVATE_PROFIT', entityName: 'Blue Fern LLC', displayName: 'Blue Fern' },
  ...{ ein: '12-3456789', websiteUrl: 'https://bluefern.example', vertical: null },
  ...{ privacyLink: 'https://bluefern.example/p', termsLink: 'https://bluefern.example/t' },
  ...{ street: '548 Market Street', city: 'San Francisco', state: 'CA', postalCode: '94104' },
  ...{ country: 'US', firstName: 'Ana', lastName: 'Ortiz', email: 'ana@bluefern.example' },
  phone: '+14155550123',
}

const BRAND: Brand = {
  ...{ ...FIELDS, accountId: ACCOUNT, id: BRAND_ID, status: 'VERIFIED', trustScore: null },
  ...{ reviewNotes: [], submittedAt: NOW, createdAt: NOW, updatedAt: NOW },
}

const CAMPAIGN: Campaign = {
  ...blankCampaign(BRAND, NOW),
  ...{ id: CAMPAIGN_ID, usecase: 'ACCOUNT_NOTIFICATION', description: 'News of bookings' },
  ...{ consentFlow: 'Guests tick a box.', screenshotUrl: null },
  samples: ['Your table is set.', null, 'See you at https://bluefern.example/x', null, null],
  ...{ optinKeywords: ['START', 'YES'], optoutKeywords: ['STOP', 'END'], helpKeywords: ['HELP'] },
  ...{ optinMessage: 'Welcome.', optoutMessage: 'Bye.', helpMessage: 'Call us.' },
}

export const BRAND_ENTRY = { reference: BRAND_ID, brand: BRAND }

/** The campaign with these changes, and its brand with these. */
export const entryOf = (campaign: Partial<Campaign> = {}, brand: Partial<Brand> = {}) => ({
  ...{ reference: 'ref-1', brandThere: 'B/1' },
  ...{ campaign: { ...CAMPAIGN, ...campaign }, brand: { ...BRAND, ...brand } },
})
