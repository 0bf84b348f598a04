// Numbers as JSON: the contract's names, prices in dollars. By contract, only the single-number retrieval has
// `campaignId`.

import { type Static, Type } from 'typebox'
import type { PaidPeriod } from '../campaigns/campaign.js'
import { Noun, NullableString, Timestamp } from '../kit/contract/schema.js'
import { toDollars } from '../kit/money.js'
import { E164 } from '../text/number-schema.js'
import { formatNumber } from '../text/phone-number.js'
import { milesBetween } from './nearby.js'
import type { InventoryNumber, NumberRecord } from './number.js'
import { prorate, shareLeft } from './prorate.js'

const NUMBER_FIELDS = {
  phoneNumber: E164(),
  isDefault: Type.Boolean({
    description: 'Whether the campaign sends from this number by default',
  }),
  status: Type.String({
    description:
      'ACTIVE, PENDING (not ready), or FAILED (refunded). Treat other values as "not ready"',
  }),
  statusReason: Type.Optional(
    Type.String({ description: 'Why it is not ACTIVE. Extension (not in the contract)' }),
  ),
  sendingRefused: Type.Optional(
    Type.Object(
      { since: Timestamp, reason: Type.String() },
      {
        description:
          'The carrier refuses messages from this number. They fail with 1345. Extension (not in the contract)',
      },
    ),
  ),
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

/** In the list across campaigns, with the same field name as in sends and purchases. */
export const ListedNumber = Type.Intersect(
  [
    NumberShape,
    Type.Object({
      campaign: Type.String({ description: 'The ID of the campaign that the number belongs to' }),
    }),
  ],
  { title: 'ListedNumber' },
)

export const FoundNumber = Noun('NumberForSale', {
  number: E164(),
  formattedNumber: Type.String({ examples: ['(415) 555-0123'] }),
  location: Type.String({ examples: ['San Francisco, CA'] }),
  monthlyPrice: Type.Number({ description: 'dollars' }),
  priceNow: Type.Optional(
    Type.Number({
      description:
        'Price in dollars to buy the number for the campaign now. Extension (not in the contract)',
    }),
  ),
  distanceMiles: Type.Optional(
    Type.Integer({
      description:
        'Distance from the requested area code, if this number is in a nearby one. Extension (not in the contract)',
    }),
  ),
})

export const ProratedPeriod = Noun('ProratedPeriod', {
  daysLeft: Type.Integer({ description: 'Until the renewal. A started day counts as a full day' }),
  days: Type.Integer({ description: 'In the campaign’s paid period' }),
  until: Type.Unsafe<string>({
    ...Timestamp,
    description: 'When the campaign and its numbers renew',
  }),
})

export function wireNumber(number: NumberRecord): Static<typeof NumberShape> {
  return {
    phoneNumber: number.phoneNumber,
    isDefault: number.isDefault,
    status: number.status,
    ...(number.statusReason !== null && { statusReason: number.statusReason }),
    ...(number.refusedAt !== null && {
      sendingRefused: { since: number.refusedAt.toISOString(), reason: number.refusedAs ?? '' },
    }),
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

/** What a search result contains besides the number itself. */
export interface FoundFor {
  period: PaidPeriod | null
  areaCode: string | null
  now: Date
}

export function wireFoundNumber(
  found: InventoryNumber,
  { period, areaCode, now }: FoundFor,
): Static<typeof FoundNumber> {
  const isElsewhere = areaCode !== null && areaCode !== found.areaCode
  const distanceMiles = isElsewhere ? milesBetween(areaCode, found.areaCode) : null
  return {
    number: found.number,
    formattedNumber: formatNumber(found.number),
    location: found.location,
    monthlyPrice: toDollars(found.monthlyPriceMicros),
    ...(period && { priceNow: toDollars(prorate(found.monthlyPriceMicros, period, now)) }),
    ...(distanceMiles !== null && { distanceMiles }),
  }
}

export function wirePeriod(period: PaidPeriod, now: Date): Static<typeof ProratedPeriod> {
  return { ...shareLeft(period, now), until: period.renewsAt.toISOString() }
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

export const PERIOD_EXAMPLE = { daysLeft: 17, days: 30, until: '2026-12-02T09:30:00.000Z' }

export const FOUND_EXAMPLE = {
  number: '+14155550123',
  formattedNumber: '(415) 555-0123',
  location: 'San Francisco, CA',
  monthlyPrice: 1,
}
