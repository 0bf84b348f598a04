// Numbers for sale where the customer wants them. At most two queries, whatever the size of the inventory: one for
// the area code, one for its neighbors.

import { fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import { TOLL_FREE_AREA_CODES } from '../text/phone-number.js'
import { findInventory, findInventoryAlong, findInventoryIn } from './inventory-queries.js'
import { areaCodesNear, CANADIAN_AREA_CODES, findAreaCode } from './nearby.js'
import type { InventoryNumber, StockFilter } from './number.js'

export const AREA_CODE_EXPECTS = 'must be a US or Canadian area code, for example 415'

const NOT_FOR_US_CAMPAIGNS: ReadonlySet<string> = new Set([
  ...TOLL_FREE_AREA_CODES,
  ...CANADIAN_AREA_CODES,
])

export interface NumberSearch {
  /** Null: anywhere. */
  areaCode: string | null
  /** Whether to search nearby area codes if this one has no numbers left. */
  nearby: boolean
  limit: number
  /** Which own-stock numbers count. Null: all of it. */
  stock: StockFilter | null
  /** For the campaign of a US brand: Canadian numbers are left out. */
  isUsOnly: boolean
}

/** Never empty: a search without results is refused with the contract's text. */
export async function searchNumbers(
  db: Queryable,
  { areaCode, ...search }: NumberSearch,
): Promise<InventoryNumber[]> {
  const numbers =
    areaCode === null
      ? await findInventory(db, search.limit, search.stock, unsoldCodes(search))
      : await searchAreaCode(db, areaCode, search)
  if (numbers.length === 0) throw new Refusal('numbers_none')
  return numbers
}

/** Area codes whose numbers this buyer is not offered. */
export function unsoldCodes({ isUsOnly }: Pick<NumberSearch, 'isUsOnly'>): ReadonlySet<string> {
  return isUsOnly ? NOT_FOR_US_CAMPAIGNS : TOLL_FREE_AREA_CODES
}

async function searchAreaCode(
  db: Queryable,
  areaCode: string,
  search: Omit<NumberSearch, 'areaCode'>,
): Promise<InventoryNumber[]> {
  const { nearby, limit, stock } = search
  // Toll-free numbers cannot be bought, and they are near no place.
  if (unsoldCodes(search).has(areaCode)) return []
  const numbers = await findInventoryIn(db, areaCode, limit, stock)
  if (numbers.length > 0) return numbers
  // Only now, because the operator may sell numbers of an area code newer than our table.
  if (!findAreaCode(areaCode)) throw fieldRefusal('areaCode', AREA_CODE_EXPECTS)
  return nearby ? findInventoryAlong(db, areaCodesNear(areaCode), limit, stock) : []
}
