// The account's current prices, so a client can show a price before a purchase.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import { Noun, NullableNumber } from '../kit/contract/schema.js'
import { toDollars } from '../kit/money.js'
import type { World } from '../kit/world.js'
import type { BillingPorts } from './billing-ports.js'
import { pricesAt } from './price-book.js'
import { listPrices } from './price-queries.js'

const AccountPrices = Noun('AccountPrices', {
  sms: Type.Number({ description: 'dollars per segment' }),
  mms: Type.Number({ description: 'dollars per message' }),
  call: Type.Number({ description: 'dollars per forwarded call' }),
  inbound: Type.Number({ description: 'dollars per inbound SMS or MMS' }),
  campaignCreation: Type.Number({ description: 'dollars, once, when first submitted' }),
  campaignMonthly: Type.Number({ description: 'dollars per month, from the first renewal' }),
  numberMonthlyFrom: {
    ...NullableNumber,
    description:
      'dollars per month for the cheapest number for sale. Each number has its own price. null: none is for sale',
  },
})

const GET = operation({
  id: 'getPrices',
  tag: 'Account',
  summary: 'Get the current prices of the account',
  description:
    'Message prices may differ between accounts and change at a given time. These apply at the service’s `now`. `priceNow` in the number search is the price of a number until the campaign renews.',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'none',
  reply: Type.Object({
    prices: AccountPrices,
    now: Type.String({ format: 'date-time', description: 'The current time of the service' }),
  }),
  example: {
    prices: {
      sms: 0.0079,
      mms: 0.02,
      call: 0,
      inbound: 0,
      campaignCreation: 20,
      campaignMonthly: 10,
      numberMonthlyFrom: 1,
    },
    now: '2026-11-15T12:30:00.000Z',
  },
  failure: { prices: null },
})

export const priceRoutes: FastifyPluginAsyncTypebox<World & BillingPorts> = async (
  app,
  { db, clock, config, findOtherPrices },
) => {
  app.get('/account/prices', GET, async ({ caller }) => {
    const now = clock.now()
    const messages = pricesAt(await listPrices(db, caller.accountId), config, now)
    const others = await findOtherPrices(db)
    const lowest = others.lowestNumberMicros
    return {
      prices: {
        sms: toDollars(messages.smsPriceMicros),
        mms: toDollars(messages.mmsPriceMicros),
        call: toDollars(messages.callPriceMicros),
        inbound: 0,
        campaignCreation: toDollars(others.campaignCreationMicros),
        campaignMonthly: toDollars(others.campaignMonthlyMicros),
        numberMonthlyFrom: lowest === null ? null : toDollars(lowest),
      },
      now: now.toISOString(),
    }
  })
}
