// Numbers of the Twilio-compatible API: search, buy, list, fetch, update, and release. SmsUrl is a webhook for the number.

import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/account.js'
import { cutPage } from '../kit/contract/schema.js'
import type { Queryable } from '../kit/postgres/db.js'
import { addRoutes } from '../kit/routes/add-routes.js'
import { buyNumber } from '../numbers/buy-number.js'
import type { NumberRecord } from '../numbers/number.js'
import { findNumber, getNumber, listNumbers } from '../numbers/number-queries.js'
import { askOffer } from '../numbers/provisioning/ask-seller.js'
import { releaseNumber } from '../numbers/release-number.js'
import { type CompatOptions, compat, formOf, sidIn } from './compat-config.js'
import type { FormBody } from './form.js'
import { readQuery } from './form.js'
import { missing } from './get-message.js'
import { type ListPage, pageFields, readPage } from './message-list.js'
import { accountPath } from './message-resource.js'
import { availableResource, numberResource } from './number-resource.js'
import { findBuyingCampaign, findForSale, listForSale } from './number-search.js'
import { toE164 } from './read-create.js'
import { numberOfSid, numberSid } from './sids.js'
import { findSmsUrls, removeSmsUrl, type SmsUrlChange, setSmsUrl } from './sms-url.js'
import { TwilioRefusal } from './twilio-error.js'

const LIST = '/Accounts/:account/IncomingPhoneNumbers.json'
const LOCAL = '/Accounts/:account/IncomingPhoneNumbers/Local.json'
const ONE = '/Accounts/:account/IncomingPhoneNumbers/:number'

export const compatNumberRoutes: FastifyPluginAsync<CompatOptions> = async (app, options) => {
  await addRoutes(app, readRoutes, options)
  await addRoutes(app, changeRoutes, options)
}

const readRoutes: FastifyPluginAsync<CompatOptions> = async (app, options) => {
  const { db } = options
  const available = '/Accounts/:account/AvailablePhoneNumbers/:country/:type'
  app.get(available, compat('read'), async ({ caller, params, query }) => {
    const [country, type] = [sidIn(params, 'country'), sidIn(params, 'type')]
    if (!['US', 'CA'].includes(country)) throw missing(`/AvailablePhoneNumbers/${country}`)
    const at = readPage(query)
    const found = type === 'Local' ? await listForSale(options, readQuery(query), at.size) : []
    const path = `${accountPath(caller.accountId)}/AvailablePhoneNumbers/${country}/${type}.json`
    return {
      ...pageFields(path, query, at, found.length, null),
      available_phone_numbers: found.map(availableResource),
    }
  })

  app.get(LIST, compat('read'), async ({ caller, query }) => {
    const at = readPage(query, numberOfSid)
    const { numbers, next } = await listOwn(db, caller, query, at)
    const urls = await findSmsUrls(db, caller.accountId)
    const path = `${accountPath(caller.accountId)}/IncomingPhoneNumbers.json`
    return {
      ...pageFields(path, query, at, numbers.length, next),
      incoming_phone_numbers: numbers.map((number) => numberResource(number, urls)),
    }
  })

  app.get(ONE, compat('read'), async ({ caller, params }) => {
    const number = await getBySid(db, caller, sidIn(params, 'number'))
    return numberResource(number, await findSmsUrls(db, caller.accountId))
  })
}

async function listOwn(db: Queryable, caller: Caller, query: unknown, at: ListPage) {
  const wanted = readQuery(query)('PhoneNumber')
  if (wanted !== undefined) {
    const number = await findNumber(db, toE164(wanted) ?? 'none')
    return { numbers: number?.accountId === caller.accountId ? [number] : [], next: null }
  }
  const page = { limit: at.size, skip: 0, after: at.after }
  const { rows, hasMore } = cutPage(await listNumbers(db, caller.accountId, page), page)
  return { numbers: rows, next: hasMore ? numberSid(rows.at(-1)!.phoneNumber) : null }
}

async function getBySid(db: Queryable, caller: Caller, sid: string): Promise<NumberRecord> {
  const phoneNumber = numberOfSid(sid)
  if (phoneNumber === null) throw missing(`/IncomingPhoneNumbers/${sid}`)
  return getNumber(db, caller.accountId, phoneNumber)
}

const changeRoutes: FastifyPluginAsync<CompatOptions> = async (app, options) => {
  const { clock, config, hints } = options
  const buy = async (request: FastifyRequest) => {
    const form = formOf(request)
    const answer = await purchase(options, request, form, readSmsUrl(form))
    hints.notify('forwardings')
    hints.notify('numbers')
    return answer
  }
  app.post(LIST, compat('manage'), async (request, reply) =>
    reply.code(201).send(await buy(request)),
  )
  app.post(LOCAL, compat('manage'), async (request, reply) =>
    reply.code(201).send(await buy(request)),
  )

  app.post(ONE, compat('manage'), async (request) => {
    const { caller, params, once } = request
    const change = readSmsUrl(formOf(request))
    return once(async (tx) => {
      const number = await getBySid(tx, caller, sidIn(params, 'number'))
      await setSmsUrl(tx, config, number, change, clock.now())
      return numberResource(number, await findSmsUrls(tx, caller.accountId))
    })
  })

  app.delete(ONE, compat('manage'), async ({ caller, params, once }, reply) => {
    await once(async (tx) => {
      const { phoneNumber } = await getBySid(tx, caller, sidIn(params, 'number'))
      await removeSmsUrl(tx, caller.accountId, phoneNumber, clock.now())
      await releaseNumber(tx, caller.accountId, phoneNumber, clock.now())
      return {}
    })
    hints.notify('forwardings')
    hints.notify('numbers')
    return reply.code(204).send()
  })
}

/** The provider is queried before the transaction starts. */
async function purchase(
  options: CompatOptions,
  { caller, once }: Pick<FastifyRequest, 'caller' | 'once'>,
  form: FormBody,
  smsUrl: SmsUrlChange,
) {
  const { db, log, sources, clock, config } = options
  const { accountId } = caller
  const campaignId = await findBuyingCampaign(db, accountId, form.get('SmsApplicationSid'))
  const phoneNumber = await readPurchase(options, form)
  const wanted = { campaignId, phoneNumber }
  const offered = await askOffer({ db, log }, sources, accountId, wanted)
  const canSend = sources.canSend.bind(sources)
  return once(async (tx) => {
    const now = clock.now()
    const { number } = await buyNumber(tx, accountId, wanted, now, { offered, canSend })
    await setSmsUrl(tx, config, number, smsUrl, now)
    return numberResource(number, await findSmsUrls(tx, accountId))
  })
}

async function readPurchase(options: CompatOptions, form: FormBody): Promise<string> {
  const [text, areaCode] = [form.get('PhoneNumber'), form.get('AreaCode')]
  if (text === undefined && areaCode === undefined) {
    throw new TwilioRefusal(21421, 'PhoneNumber or AreaCode is required.')
  }
  if (text === undefined) return findForSale(options, areaCode!)
  const number = toE164(text)
  if (number === null) throw new TwilioRefusal(21421, 'PhoneNumber is not a +1 number.')
  return number
}

function readSmsUrl(form: FormBody): SmsUrlChange {
  const method = form.get('SmsMethod')?.toUpperCase()
  if (method !== undefined && method !== 'POST' && method !== 'GET') {
    throw new TwilioRefusal(20001, 'SmsMethod must be GET or POST.')
  }
  return {
    ...(form.has('SmsUrl') && { url: form.get('SmsUrl') ?? '' }),
    ...(method !== undefined && { method }),
  }
}
