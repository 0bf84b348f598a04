// Statements on the number_lookup_cache table: the network of each phone number, or that it is a landline. The rows belong
// to no account, because a number's network is the same for everyone.

import type { Queryable } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import type { Network } from '../../messages/carrier-port.js'

export interface NumberLookup {
  number: string
  /** Null: a network without limits. */
  network: Network | null
  isLandline: boolean
  link: string
  seenAt: Date
}

export async function findNumberLookups(
  db: Queryable,
  numbers: readonly string[],
): Promise<NumberLookup[]> {
  return db.query<NumberLookup>(sql`
    select phone_number as number, network, is_landline as "isLandline", link, seen_at as "seenAt"
    from number_lookup_cache
    where phone_number = any (${numbers}::text[])`)
}

/** The most recent rows, newest first. */
export async function listNumberLookups(db: Queryable, limit: number): Promise<NumberLookup[]> {
  return db.query<NumberLookup>(sql`
    select phone_number as number, network, is_landline as "isLandline", link, seen_at as "seenAt"
    from number_lookup_cache
    order by seen_at desc limit ${limit}`)
}

/** Each number once. Rows with the same data that are newer than `staleBefore` stay as they are. */
export async function saveNumberLookups(
  db: Queryable,
  learned: readonly NumberLookup[],
  staleBefore: Date,
): Promise<void> {
  await db.query(sql`
    insert into number_lookup_cache as known (phone_number, network, is_landline, link, seen_at)
    select * from unnest(
      ${learned.map(({ number }) => number)}::text[],
      ${learned.map(({ network }) => network)}::text[],
      ${learned.map(({ isLandline }) => isLandline)}::boolean[],
      ${learned.map(({ link }) => link)}::text[],
      ${learned.map(({ seenAt }) => seenAt)}::timestamptz[])
    on conflict (phone_number) do update
      set network = excluded.network, is_landline = excluded.is_landline, link = excluded.link,
        seen_at = excluded.seen_at
      where known.seen_at < excluded.seen_at
        and (known.network is distinct from excluded.network
          or known.is_landline <> excluded.is_landline or known.seen_at < ${staleBefore})`)
}

/** Returns the number of rows. */
export async function deleteNumberLookups(
  db: Queryable,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await db.query(sql`
    delete from number_lookup_cache where phone_number = any (array(
      select phone_number from number_lookup_cache where seen_at < ${before} limit ${limit}))
    returning 1`)
  return rows.length
}
