// What a provider has for sale at this moment, asked while the customer waits: bounded in time, and with a clear word
// where it does not answer.

import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import type { Log } from '../../kit/log.js'
import { areaCodeOf, TOLL_FREE_AREA_CODES } from '../../text/phone-number.js'
import type { Offer, Offered } from '../buy-number.js'
import { findAreaCode } from '../nearby.js'
import type { InventoryNumber } from '../number.js'
import { type NumberSource, type OfferedNumber, SourceFault } from '../number-source.js'
import { AREA_CODE_EXPECTS, milesBetween, type NumberSearch } from '../search-numbers.js'

/** Never empty: a search without results is refused with the contract's text. */
export async function searchSeller(
  source: NumberSource,
  { areaCode, nearby, limit }: NumberSearch,
  log: Log,
): Promise<InventoryNumber[]> {
  const isTollFree = areaCode !== null && TOLL_FREE_AREA_CODES.has(areaCode)
  const wanted = { areaCode, nearby, limit }
  const offered = isTollFree ? [] : await reach(source, log, () => source.search(wanted))
  const found = offered
    .map((one) => offerOf(source, one))
    .filter((one) => nearby || areaCode === null || one.areaCode === areaCode)
    .filter((one) => !TOLL_FREE_AREA_CODES.has(one.areaCode))
  if (found.length > 0) return byDistance(found, areaCode).slice(0, limit)
  if (areaCode !== null && !isTollFree && !findAreaCode(areaCode)) {
    throw fieldRefusal('areaCode', AREA_CODE_EXPECTS)
  }
  throw new Refusal('numbers_none')
}

/** Never rejects: the refusal counts only where nothing else decides, such as a repeat or our own stock. */
export async function askOffer(
  source: NumberSource | null,
  phoneNumber: string,
  log: Log,
): Promise<Offered> {
  if (!source) return null
  try {
    const found = await reach(source, log, () => source.find(phoneNumber))
    return found ? offerOf(source, found) : new Refusal('number_not_for_sale')
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

async function reach<T>({ link }: NumberSource, log: Log, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error
    const detail = error.message.replaceAll(/\d{7,}/g, '…')
    log.warn({ link, detail }, 'the provider of numbers did not answer')
    throw new Refusal('numbers_unreachable')
  }
}

/** By our own table of places, as all numbers are; by the provider's word where it has none. */
function offerOf(
  { link, monthlyPriceMicros }: NumberSource,
  { number, location }: OfferedNumber,
): Offer {
  const areaCode = areaCodeOf(number)
  const place = findAreaCode(areaCode)?.location ?? location ?? 'United States'
  return { link, number, areaCode, location: place, monthlyPriceMicros }
}

function byDistance(found: readonly InventoryNumber[], areaCode: string | null): InventoryNumber[] {
  if (areaCode === null) return [...found]
  const milesOf = (one: InventoryNumber) =>
    one.areaCode === areaCode ? -1 : (milesBetween(areaCode, one.areaCode) ?? Infinity)
  return found.toSorted((a, b) => milesOf(a) - milesOf(b))
}
