// Numbers over HTTP. number-operations.ts declares what each route accepts and returns. A route runs one function.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Caller, maySeeCampaign } from '../accounts/account.js'
import { customerOf } from '../accounts/audit.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import { fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import { cutPage, pageOf } from '../kit/contract/schema.js'
import { toDollars } from '../kit/money.js'
import type { Queryable } from '../kit/postgres/db.js'
import { addRoutes } from '../kit/routes/add-routes.js'
import type { World } from '../kit/world.js'
import { digitsToE164 } from '../text/phone-number.js'
import { type BoughtNumber, buyNumber, type Purchase, paidPeriod } from './buy-number.js'
import { setForwarding } from './forwarding/set-forwarding.js'
import * as operations from './number-operations.js'
import { findNumber, getNumber, listCampaignNumbers, listNumbers } from './number-queries.js'
import type { NumberSources } from './number-source.js'
import {
  wireFoundNumber,
  wireListedNumber,
  wireNumber,
  wireNumberWithCampaign,
  wirePeriod,
} from './number-wire.js'
import { askOffer, findBuyer, searchSeller } from './provisioning/ask-seller.js'
import { releaseNumber } from './release-number.js'
import { searchNumbers } from './search-numbers.js'
import { setDefaultNumber } from './set-default-number.js'

/** Numbers come from our own stock, or from a provider. */
interface NumberWorld extends World {
  sources: NumberSources
}

export const numberRoutes: FastifyPluginAsyncTypebox<NumberWorld> = async (app, world) => {
  await addRoutes(app, readRoutes, world)
  await addRoutes(app, purchaseRoutes, world)
  await addRoutes(app, changeRoutes, world)
}

const readRoutes: FastifyPluginAsyncTypebox<NumberWorld> = async (app, world) => {
  const { db, clock, log, sources } = world
  app.get('/number/search', operations.SEARCH, async ({ caller, query }) => {
    const { areaCode = null, nearby = true, limit = 10, campaign } = query
    const buyer = campaign === undefined ? null : await findBuyer(db, caller.accountId, campaign)
    const period = buyer && paidPeriod(buyer.campaign)
    const [seller] = buyer ? sources.sellersFor(buyer) : sources.sellers()
    const stock = buyer && sources.stockFor(buyer.id)
    const isUsOnly = buyer !== null && !buyer.isCanadian
    const search = { areaCode, nearby, limit, stock, isUsOnly }
    const found = seller
      ? await searchSeller({ db, log }, seller, search)
      : await searchNumbers(db, search)
    const now = clock.now()
    return {
      numbers: found.map((one) => wireFoundNumber(one, { period, areaCode, now })),
      ...(period && { period: wirePeriod(period, now) }),
    }
  })

  app.get('/number/list', operations.LIST, async ({ caller, query }) => {
    const page = pageOf(query)
    const last = page.after === null ? null : await findNumber(db, page.after)
    // Released in the meantime, it has no position in the list. An empty page would look like the end.
    const isInList = last?.accountId === caller.accountId && maySeeCampaign(caller, last.campaignId)
    if (page.after !== null && !isInList) {
      throw fieldRefusal('after', operations.AFTER_EXPECTS)
    }
    const { rows, hasMore } = cutPage(
      await listNumbers(db, caller.accountId, page, caller.campaigns),
      page,
    )
    return { numbers: rows.map(wireListedNumber), hasMore }
  })

  app.get('/number/:number', operations.GET, async ({ caller, params }) => {
    const number = await getNumber(db, caller.accountId, digitsToE164(params.number))
    return { number: wireNumberWithCampaign(number) }
  })

  app.get('/campaign/:id/numbers', operations.LIST_OF_CAMPAIGN, async ({ caller, params }) => {
    const { id } = await getCampaign(db, caller.accountId, params.id)
    const numbers = await listCampaignNumbers(db, caller.accountId, id)
    return { numbers: numbers.map(wireNumber) }
  })
}

const purchaseRoutes: FastifyPluginAsyncTypebox<NumberWorld> = async (app, world) => {
  const { db, clock, hints, log, sources } = world
  /** The provider is queried before the transaction starts. */
  const buy = async (
    { caller, once }: Pick<FastifyRequest, 'caller' | 'once'>,
    purchase: Purchase,
  ) => {
    await checkPurchase(db, caller, purchase)
    const { canSend } = sources
    const offered = await askOffer({ db, log }, sources, caller.accountId, purchase)
    const options = { offered, canSend: canSend.bind(sources) }
    const answer = await once(async (tx) =>
      wireBought(await buyNumber(tx, caller.accountId, purchase, clock.now(), options)),
    )
    hints.notify('forwardings')
    hints.notify('numbers')
    return answer
  }

  app.post('/campaign/:id/number/buy', operations.BUY_FOR_CAMPAIGN, (request) =>
    buy(request, { campaignId: request.params.id, phoneNumber: request.body.number }),
  )

  app.post('/number/buy', operations.BUY, (request) =>
    buy(request, { campaignId: request.body.campaign, phoneNumber: request.body.number }),
  )
}

const changeRoutes: FastifyPluginAsyncTypebox<World> = async (app, { clock, config, hints }) => {
  app.patch('/number/:number/forwarding', operations.SET_FORWARDING, async (request) => {
    const { caller, params, body, once } = request
    const answer = await once(async (tx) => {
      if (caller.isSuspended && body.forwardNumber !== null) throw new Refusal('account_suspended')
      const phoneNumber = digitsToE164(params.number)
      const forwarding = { accountId: caller.accountId, phoneNumber, ...body }
      const actor = customerOf(request)
      const number = await setForwarding(tx, actor, forwarding, config.forwarding, clock.now())
      const { forwardNumber, forwardEnabled } = wireNumber(number)
      const success = true as const
      return { success, phoneNumber: number.phoneNumber, forwardNumber, forwardEnabled }
    })
    hints.notify('forwardings')
    return answer
  })

  app.delete('/number/:number', operations.RELEASE, async ({ caller, params, once }) => {
    const answer = await once(async (tx) => {
      const phoneNumber = digitsToE164(params.number)
      const released = await releaseNumber(tx, caller.accountId, phoneNumber, clock.now())
      return { success: true as const, phoneNumber: released.phoneNumber }
    })
    hints.notify('forwardings')
    hints.notify('numbers')
    return answer
  })

  app.post('/number/:number/default', operations.SET_DEFAULT, async ({ caller, params, once }) =>
    once(async (tx) => {
      const phoneNumber = digitsToE164(params.number)
      const number = await setDefaultNumber(tx, caller.accountId, phoneNumber, clock.now())
      return { success: true as const, number: wireNumber(number) }
    }),
  )
}

/** A restricted token buys for its own campaigns and learns nothing about numbers of the others. */
async function checkPurchase(
  db: Queryable,
  caller: Caller,
  { campaignId, phoneNumber }: Purchase,
): Promise<void> {
  if (caller.campaigns === null) return
  if (!maySeeCampaign(caller, campaignId)) throw new Refusal('campaign_missing')
  const existing = await findNumber(db, phoneNumber)
  const isHidden =
    existing?.accountId === caller.accountId && !maySeeCampaign(caller, existing.campaignId)
  if (isHidden) throw new Refusal('number_taken')
}

function wireBought({ number, chargedMicros }: BoughtNumber) {
  const success = true as const
  return { success, number: wireNumber(number), charged: toDollars(chargedMicros) }
}
