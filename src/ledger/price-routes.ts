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
  inbound: Type.Number({ description: 'dollars per message that comes in, by SMS or MMS' }),
  campaignCreation: Type.Number({ description: 'dollars, once, at the first submission' }),
  campaignMonthly: Type.Number({ description: 'dollars a month, from the first renewal on' }),
  numberMonthlyFrom: {
    ...NullableNumber,
    description:
      'dollars a month for the cheapest number for sale; each has its own price. null: none is for sale',
  },
})

const GET = operation({
  id: 'getPrices',
  tag: 'Account',
  summary: 'What this account pays now',
  description:
    'Prices of messages may differ between accounts and change at a given time; these are effective at the service’s `now`. What a number costs until the campaign renews: `priceNow` of the number search.',
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
