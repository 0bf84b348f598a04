// What a provider has for sale right now, queried while the customer waits: with a time limit, and a clear error if
// it does not respond. A campaign is offered only numbers that its carrier links host.

import type { AccountId } from '../../accounts/account.js'
import { getBrand } from '../../brands/brand-queries.js'
import { findRegistration } from '../../brands/registration-queries.js'
import type { Campaign } from '../../campaigns/campaign.js'
import { getCampaign } from '../../campaigns/campaign-queries.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { Queryable } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import { areaCodeOf } from '../../text/phone-number.js'
import type { Offer, Offered, Purchase } from '../buy-number.js'
import { areaCodesNear, findAreaCode, milesBetween } from '../nearby.js'
import type { InventoryNumber } from '../number.js'
import { findUnavailable } from '../number-queries.js'
import type {
  BuyingCampaign,
  NumberSource,
  NumberSources,
  OfferedNumber,
} from '../number-source.js'
import { AREA_CODE_EXPECTS, type NumberSearch, unsoldCodes } from '../search-numbers.js'

type Asking = Pick<World, 'db' | 'log'>

/** Providers still list numbers that were just bought, so this many more are requested. */
const SPARE = 20

export async function findBuyer(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<BuyingCampaign & { campaign: Campaign; isCanadian: boolean }> {
  const campaign = await getCampaign(db, accountId, campaignId)
  const { country } = await getBrand(db, accountId, campaign.brandId)
  return {
    campaign,
    isCanadian: country === 'CA',
    ...(await findRegistered(db, accountId, campaignId)),
  }
}

async function findRegistered(
  db: Queryable,
  accountId: AccountId,
  id: string,
): Promise<BuyingCampaign> {
  const found = await findRegistration(db, { accountId, recordId: id })
  return { id, registeredBy: found?.link ?? null }
}

/** Never empty: a search without results is refused with the contract's text. */
export async function searchSeller(
  { db, log }: Asking,
  source: NumberSource,
  { areaCode, nearby, limit, isUsOnly }: NumberSearch,
): Promise<InventoryNumber[]> {
  const unsold = unsoldCodes({ isUsOnly })
  const isUnsold = areaCode !== null && unsold.has(areaCode)
  const query = { areaCode, nearby, limit: limit + SPARE }
  const offered = isUnsold ? [] : await reach(source, log, () => source.search(query))
  const isWanted = areaTest(areaCode, nearby)
  const listed = offered
    .map((one) => offerOf(source, one))
    .filter((one) => isWanted(one.areaCode) && !unsold.has(one.areaCode))
  const sold = await findUnavailable(
    db,
    listed.map(({ number }) => number),
  )
  const found = listed.filter(({ number }) => !sold.has(number))
  if (found.length > 0) return byDistance(found, areaCode).slice(0, limit)
  if (areaCode !== null && !isUnsold && !findAreaCode(areaCode)) {
    throw fieldRefusal('areaCode', AREA_CODE_EXPECTS)
  }
  throw new Refusal('numbers_none')
}

/** A provider's nearby numbers may be across a border or a continent. */
function areaTest(areaCode: string | null, nearby: boolean): (other: string) => boolean {
  if (areaCode === null) return () => true
  const near = new Set([areaCode, ...(nearby ? areaCodesNear(areaCode) : [])])
  return (other) => near.has(other)
}

/**
 * Never rejects. The refusal counts only if nothing else decides, such as a repeat or our own stock. A number sold
 * only by a provider that does not carry the campaign is refused with that reason.
 */
export async function askOffer(
  { db, log }: Asking,
  sources: NumberSources,
  accountId: AccountId,
  { campaignId, phoneNumber }: Purchase,
): Promise<Offered> {
  const sellers = sources.sellers()
  if (sellers.length === 0) return null
  const carrying = sources.sellersFor(await findRegistered(db, accountId, campaignId))
  const others = sellers.filter((one) => !carrying.includes(one))
  let refusal = new Refusal('number_not_for_sale')
  for (const source of [...carrying, ...others]) {
    const offered = await offerFrom(source, phoneNumber, log)
    if (!(offered instanceof Refusal)) {
      return carrying.includes(source) ? offered : new Refusal('number_not_carried')
    }
    if (offered.code !== 'number_not_for_sale') refusal = offered
  }
  return refusal
}

async function offerFrom(
  source: NumberSource,
  phoneNumber: string,
  log: World['log'],
): Promise<Offer | Refusal> {
  try {
    const found = await reach(source, log, () => source.find(phoneNumber))
    return found ? offerOf(source, found) : new Refusal('number_not_for_sale')
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

async function reach<T>(
  { link }: NumberSource,
  log: World['log'],
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error
    const detail = error.message.replaceAll(/\d{7,}/g, '…')
    log.warn({ link, detail }, 'the number provider did not respond')
    throw new Refusal('numbers_unreachable')
  }
}

/** By our own table of places, like all numbers. If it has none, the provider's location. */
function offerOf(
  { link, monthlyPriceMicros }: NumberSource,
  { number, location }: OfferedNumber,
): Offer {
  const areaCode = areaCodeOf(number)
  const place = findAreaCode(areaCode)?.location ?? location ?? 'United States'
  return { link, number, areaCode, location: place, monthlyPriceMicros, hosts: null }
}

function byDistance(found: readonly InventoryNumber[], areaCode: string | null): InventoryNumber[] {
  if (areaCode === null) return [...found]
  const milesOf = (one: InventoryNumber) =>
    one.areaCode === areaCode ? -1 : (milesBetween(areaCode, one.areaCode) ?? Infinity)
  return found.toSorted((a, b) => milesOf(a) - milesOf(b))
}
