// The operator's price endpoints.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { getAccount } from '../../accounts/account-queries.js'
import { IsoTime, readTime } from '../../kit/contract/iso-time.js'
import { operation } from '../../kit/contract/operation.js'
import {
  IdText,
  Noun,
  NullableNumber,
  NullableString,
  Timestamp,
} from '../../kit/contract/schema.js'
import { toDollars } from '../../kit/money.js'
import type { World } from '../../kit/world.js'
import { listOwnPrices, PRICE_KINDS, pricesAt } from '../../ledger/price-book.js'
import { listPrices } from '../../ledger/price-queries.js'
import { actorOf } from '../operator-token.js'
import { OPERATED_ACCOUNT_EXAMPLE } from './account-wire.js'
import { changePrice, readPrice, wirePrice } from './set-price.js'

const PriceShape = Noun('Price', {
  account: NullableString,
  kind: Type.Enum([...PRICE_KINDS]),
  amount: NullableNumber,
  effectiveAt: Timestamp,
})

const PRICE_EXAMPLE = {
  account: OPERATED_ACCOUNT_EXAMPLE.id,
  kind: 'sms',
  amount: 0.0065,
  effectiveAt: '2026-12-01T00:00:00.000Z',
}

const Account = Type.Optional(
  IdText({ description: 'Default: all accounts without custom prices' }),
)

const LIST = operation({
  id: 'operatorListPrices',
  tag: 'Operator',
  summary: 'List past, current, and future prices of messages and forwarded calls, latest first',
  isExtension: true,
  scope: 'operator',
  query: Type.Object({ account: Account }),
  reply: Type.Object({
    prices: Type.Array(PriceShape),
    now: Type.Object({
      sms: Type.Number({ description: 'dollars per segment' }),
      mms: Type.Number({ description: 'dollars per message' }),
      call: Type.Number({ description: 'dollars per forwarded call' }),
    }),
  }),
  example: { prices: [PRICE_EXAMPLE], now: { sms: 0.0079, mms: 0.02, call: 0 } },
  failure: { prices: [] },
  refuses: ['account_missing'],
})

const SET = operation({
  id: 'operatorSetPrice',
  tag: 'Operator',
  summary: 'Set a price, for all accounts or for one, from a given time',
  description: 'Past charges do not change. All nodes use the new price within three seconds.',
  isExtension: true,
  scope: 'operator',
  body: Type.Object({
    account: Account,
    kind: Type.Enum([...PRICE_KINDS], { 'x-missing': 'kind is required' }),
    amount: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description:
        'Dollars per SMS segment, per MMS, or per forwarded call. null: removes the custom price, so the default price applies',
      'x-missing': 'amount is required',
      'x-expects': 'must be an amount in dollars, 0 or more, or null',
    }),
    effectiveAt: Type.Optional(IsoTime('Default: now')),
  }),
  bodyExample: PRICE_EXAMPLE,
  reply: Type.Object({ success: Type.Literal(true), price: PriceShape }),
  example: { success: true, price: PRICE_EXAMPLE },
  failure: { success: false },
  refuses: ['account_missing', 'account_state'],
})

export const operatorPriceRoutes: FastifyPluginAsyncTypebox<World> = async (app, world) => {
  const { db, clock, config } = world

  app.get('/price/list', LIST, async ({ query }) => {
    const accountId = query.account ?? null
    if (accountId !== null) await getAccount(db, accountId)
    const own = await listOwnPrices(db, accountId)
    const now = pricesAt(await listPrices(db, accountId ?? '*'), config, clock.now())
    return {
      prices: own.map(wirePrice),
      now: {
        sms: toDollars(now.smsPriceMicros),
        mms: toDollars(now.mmsPriceMicros),
        call: toDollars(now.callPriceMicros),
      },
    }
  })

  app.post('/price/set', SET, (request) =>
    request.once(async (tx) => {
      const { account, kind, amount, effectiveAt } = request.body
      const newPrice = {
        accountId: account ?? null,
        kind,
        amountMicros: readPrice(amount),
        effectiveAt: effectiveAt === undefined ? null : readTime('effectiveAt', effectiveAt),
      }
      const price = await changePrice(tx, actorOf(request), newPrice, clock.now())
      return { success: true as const, price: wirePrice(price) }
    }),
  )
}
