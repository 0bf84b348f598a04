// Numbers as JSON: the contract's names, prices in dollars. `campaignId` is in the single-number
// retrieval alone, as the contract says.

import { type Static, Type } from 'typebox'
import { Noun, NullableString, Timestamp } from '../kit/contract/schema.js'
import { toDollars } from '../kit/money.js'
import { E164 } from '../text/number-schema.js'
import { formatNumber } from '../text/phone-number.js'
import type { InventoryNumber, NumberRecord } from './number.js'

const NUMBER_FIELDS = {
  phoneNumber: E164(),
  isDefault: Type.Boolean({
    description: 'Whether the campaign sends from it unless told otherwise',
  }),
  status: Type.String({ description: 'ACTIVE; take a value that you do not know as "not ready"' }),
  forwardNumber: NullableString,
  forwardEnabled: Type.Boolean(),
  formattedNumber: Type.String({ examples: ['(415) 555-0123'] }),
  monthlyPrice: Type.Number({ description: 'dollars' }),
  purchasedAt: Timestamp,
}

export const NumberShape = Noun('Number', NUMBER_FIELDS)

export const NumberWithCampaign = Type.Intersect(
  [NumberShape, Type.Object({ campaignId: Type.String() })],
  { title: 'NumberWithCampaign' },
)

/** In the list over all campaigns, under the name by which sends and purchases give a campaign. */
export const ListedNumber = Type.Intersect(
  [
    NumberShape,
    Type.Object({
      campaign: Type.String({ description: 'The id of the campaign that holds the number' }),
    }),
  ],
  { title: 'ListedNumber' },
)

export const FoundNumber = Noun('NumberForSale', {
  number: E164(),
  formattedNumber: Type.String({ examples: ['(415) 555-0123'] }),
  location: Type.String({ examples: ['San Francisco, CA'] }),
  monthlyPrice: Type.Number({ description: 'dollars' }),
})

export function wireNumber(number: NumberRecord): Static<typeof NumberShape> {
  return {
    phoneNumber: number.phoneNumber,
    isDefault: number.isDefault,
    status: number.status,
    forwardNumber: number.forwardNumber,
    forwardEnabled: number.forwardNumber !== null,
    formattedNumber: formatNumber(number.phoneNumber),
    monthlyPrice: toDollars(number.monthlyPriceMicros),
    purchasedAt: number.purchasedAt.toISOString(),
  }
}

export function wireNumberWithCampaign(number: NumberRecord): Static<typeof NumberWithCampaign> {
  return { ...wireNumber(number), campaignId: number.campaignId }
}

export function wireListedNumber(number: NumberRecord): Static<typeof ListedNumber> {
  return { ...wireNumber(number), campaign: number.campaignId }
}

export function wireFoundNumber(found: InventoryNumber): Static<typeof FoundNumber> {
  return {
    number: found.number,
    formattedNumber: formatNumber(found.number),
    location: found.location,
    monthlyPrice: toDollars(found.monthlyPriceMicros),
  }
}

export const NUMBER_EXAMPLE = {
  phoneNumber: '+14155550123',
  isDefault: true,
  status: 'ACTIVE',
  forwardNumber: null,
  forwardEnabled: false,
  formattedNumber: '(415) 555-0123',
  monthlyPrice: 1,
  purchasedAt: '2026-11-15T12:00:00.000Z',
}

export const FOUND_EXAMPLE = {
  number: '+14155550123',
  formattedNumber: '(415) 555-0123',
  location: 'San Francisco, CA',
  monthlyPrice: 1,
}
