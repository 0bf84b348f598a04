// Every statement on the number_inventory table: the numbers for sale.

import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { NOTHING, piece, raw, sql } from '../kit/postgres/sql.js'
import { TOLL_FREE_AREA_CODES } from '../text/phone-number.js'
import type { InventoryNumber, StockFilter } from './number.js'

const COLUMNS = raw(`phone_number as number, area_code as "areaCode", location,
  monthly_price_micros as "monthlyPriceMicros", hosts`)

/** Numbers without named links are hosted by the links that host unnamed stock. */
function hostedBy(stock: StockFilter | null) {
  if (stock === null) return NOTHING
  const { links, isUnnamedHosted } = stock
  return piece`and (case when hosts is null then ${isUnnamedHosted}::boolean
    else hosts && ${links}::text[] end)`
}

/** Any area code, except those that are not offered, such as toll-free ones. */
export async function findInventory(
  db: Queryable,
  limit: number,
  stock: StockFilter | null,
  unsold: ReadonlySet<string>,
): Promise<InventoryNumber[]> {
  return db.query<InventoryNumber>(sql`
    select ${COLUMNS} from number_inventory
    where area_code <> all (${[...unsold]}::text[]) ${hostedBy(stock)}
    order by phone_number limit ${limit}`)
}

/** The lowest monthly price among available numbers. Null if there is none. */
export async function findLowestPrice(db: Queryable): Promise<bigint | null> {
  const [row] = await db.query<{ priceMicros: bigint }>(sql`
    select monthly_price_micros as "priceMicros" from number_inventory
    where area_code <> all (${[...TOLL_FREE_AREA_CODES]}::text[])
    order by monthly_price_micros limit 1`)
  return row?.priceMicros ?? null
}

export async function findInventoryIn(
  db: Queryable,
  areaCode: string,
  limit: number,
  stock: StockFilter | null,
): Promise<InventoryNumber[]> {
  return db.query<InventoryNumber>(sql`
    select ${COLUMNS} from number_inventory
    where area_code = ${areaCode} ${hostedBy(stock)} order by phone_number limit ${limit}`)
}

/**
 * Numbers of the area codes in the given order. The inner order makes the database go through the codes one by one
 * and stop at the limit, however large the inventory is.
 */
export async function findInventoryAlong(
  db: Queryable,
  areaCodes: readonly string[],
  limit: number,
  stock: StockFilter | null,
): Promise<InventoryNumber[]> {
  return db.query<InventoryNumber>(sql`
    select i.number, i."areaCode", i.location, i."monthlyPriceMicros", i.hosts
    from (
      select code, rank from unnest(${[...areaCodes]}::text[]) with ordinality as near (code, rank)
      order by rank
    ) near
    cross join lateral (
      select ${COLUMNS} from number_inventory
      where area_code = near.code ${hostedBy(stock)} order by phone_number limit ${limit}
    ) i
    order by near.rank, i.number limit ${limit}`)
}

/** Takes the number out of the inventory. Null if it is not there, also after waiting for another buyer. */
export async function takeFromInventory(
  tx: Transaction,
  number: string,
): Promise<InventoryNumber | null> {
  const [row] = await tx.query<InventoryNumber>(sql`
    delete from number_inventory where phone_number = ${number} returning ${COLUMNS}`)
  return row ?? null
}

/** Numbers that are already for sale or owned stay unchanged. Returns how many are new. */
export async function addToInventory(
  db: Queryable,
  numbers: readonly InventoryNumber[],
): Promise<number> {
  const rows = await db.query(sql`
    insert into number_inventory (phone_number, area_code, location, monthly_price_micros, hosts)
    select number, area_code, location, price, string_to_array(hosts, ' ') from unnest(
      ${numbers.map((n) => n.number)}::text[], ${numbers.map((n) => n.areaCode)}::text[],
      ${numbers.map((n) => n.location)}::text[],
      ${numbers.map((n) => n.monthlyPriceMicros)}::bigint[],
      ${numbers.map((n) => n.hosts?.join(' ') ?? null)}::text[])
      as new (number, area_code, location, price, hosts)
    where not exists (select 1 from numbers where phone_number = new.number)
    on conflict (phone_number) do nothing
    returning 1`)
  return rows.length
}

/** Which of these numbers are already for sale, and which ones a campaign owns. */
export async function findKnownNumbers(
  db: Queryable,
  numbers: readonly string[],
): Promise<Map<string, 'for_sale' | 'taken'>> {
  const rows = await db.query<{ number: string; where: 'for_sale' | 'taken' }>(sql`
    select phone_number as number, 'for_sale' as where from number_inventory
    where phone_number = any (${numbers}::text[])
    union all
    select phone_number, 'taken' from numbers where phone_number = any (${numbers}::text[])`)
  return new Map(rows.map((row) => [row.number, row.where]))
}

/** Takes the numbers that are for sale out of the inventory and returns them. */
export async function withdrawFromInventory(
  tx: Transaction,
  numbers: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ number: string }>(sql`
    delete from number_inventory where phone_number = any (${numbers}::text[])
    returning phone_number as number`)
  return new Set(rows.map((row) => row.number))
}

/** True before anything was ever for sale or sold. The sandbox fills such an inventory. */
export async function isInventoryUntouched(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ untouched: boolean }>(sql`
    select not exists (select 1 from number_inventory)
      and not exists (select 1 from numbers) as untouched`)
  return row!.untouched
}

export interface StockedArea {
  areaCode: string
  location: string
  forSale: number
  /** Owned by campaigns. */
  taken: number
  cheapestMicros: bigint | null
}

/** Every area code with a number for sale or owned: at most as many as there are codes. */
export async function countStock(db: Queryable): Promise<StockedArea[]> {
  return db.query<StockedArea>(sql`
    select coalesce(i.area_code, n.area_code) as "areaCode", coalesce(i.location, '') as location,
      coalesce(i.count, 0)::int as "forSale", coalesce(n.count, 0)::int as taken,
      i.cheapest as "cheapestMicros"
    from (select area_code, min(location) as location, count(*) as count,
        min(monthly_price_micros) as cheapest
      from number_inventory group by area_code) i
    full join (select substr(phone_number, 3, 3) as area_code, count(*) as count
      from numbers group by 1) n on n.area_code = i.area_code
    order by 1`)
}
