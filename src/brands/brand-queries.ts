// Every statement on the brands table.

import type { AccountId } from '../accounts/account.js'
import type { ALL } from '../kit/contract/list-filter.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Page } from '../kit/contract/schema.js'
import { isId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import {
  type Across,
  acrossAccounts,
  NOTHING,
  pageAcross,
  piece,
  raw,
  sql,
} from '../kit/postgres/sql.js'
import type { Brand } from './brand.js'
import type { BrandStatus } from './brand-state.js'
import { IN_REGISTRATION } from './registration-queries.js'

const COLUMNS = raw(`account_id as "accountId", id, status, entity_type as "entityType",
  entity_name as "entityName", display_name as "displayName", ein, website_url as "websiteUrl",
  privacy_link as "privacyLink", terms_link as "termsLink", vertical, street, city, state, postal_code as "postalCode", country,
  first_name as "firstName", last_name as "lastName", email, phone, trust_score as "trustScore",
  review_notes as "reviewNotes", submitted_at as "submittedAt", created_at as "createdAt",
  updated_at as "updatedAt"`)

/** For reads across accounts: see kit/postgres/sql.ts. */
const TIMES = ['submittedAt', 'createdAt', 'updatedAt']

export async function insertBrand(tx: Transaction, b: Brand): Promise<void> {
  await tx.query(sql`
    insert into brands (account_id, id, status, entity_type, entity_name, display_name, ein,
      website_url, privacy_link, terms_link, vertical, street, city, state, postal_code, country, first_name, last_name,
      email, phone, trust_score, review_notes, submitted_at, created_at, updated_at)
    values (${b.accountId}, ${b.id}, ${b.status}, ${b.entityType}, ${b.entityName},
      ${b.displayName}, ${b.ein}, ${b.websiteUrl}, ${b.privacyLink}, ${b.termsLink}, ${b.vertical}, ${b.street}, ${b.city},
      ${b.state}, ${b.postalCode}, ${b.country}, ${b.firstName}, ${b.lastName}, ${b.email},
      ${b.phone}, ${b.trustScore}, ${JSON.stringify(b.reviewNotes)}, ${b.submittedAt},
      ${b.createdAt}, ${b.updatedAt})`)
}

/** Writes the whole row. The caller holds its lock (`lockBrand`). */
export async function updateBrand(tx: Transaction, b: Brand): Promise<void> {
  await tx.query(sql`
    update brands set status = ${b.status}, entity_type = ${b.entityType},
      entity_name = ${b.entityName}, display_name = ${b.displayName}, ein = ${b.ein},
      website_url = ${b.websiteUrl}, privacy_link = ${b.privacyLink},
      terms_link = ${b.termsLink}, vertical = ${b.vertical}, street = ${b.street},
      city = ${b.city}, state = ${b.state}, postal_code = ${b.postalCode}, country = ${b.country},
      first_name = ${b.firstName}, last_name = ${b.lastName}, email = ${b.email},
      phone = ${b.phone}, trust_score = ${b.trustScore},
      review_notes = ${JSON.stringify(b.reviewNotes)}, submitted_at = ${b.submittedAt},
      updated_at = ${b.updatedAt}
    where account_id = ${b.accountId} and id = ${b.id}`)
}

async function findBrand(db: Queryable, accountId: AccountId, id: string): Promise<Brand | null> {
  if (!isId('brd', id)) return null
  const [brand] = await db.query<Brand>(sql`
    select ${COLUMNS} from brands where account_id = ${accountId} and id = ${id}`)
  return brand ?? null
}

export async function getBrand(db: Queryable, accountId: AccountId, id: string): Promise<Brand> {
  const brand = await findBrand(db, accountId, id)
  if (!brand) throw new Refusal('brand_missing')
  return brand
}

/** The brand, locked until the transaction ends. Refuses if there is none. */
export async function lockBrand(tx: Transaction, accountId: AccountId, id: string): Promise<Brand> {
  if (!isId('brd', id)) throw new Refusal('brand_missing')
  const [brand] = await tx.query<Brand>(sql`
    select ${COLUMNS} from brands where account_id = ${accountId} and id = ${id} for update`)
  if (!brand) throw new Refusal('brand_missing')
  return brand
}

/** Keeps the brand's score unchanged until the transaction ends. */
export async function shareBrand(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<Brand> {
  const [brand] = await tx.query<Brand>(sql`
    select ${COLUMNS} from brands where account_id = ${accountId} and id = ${id} for share`)
  if (!brand) throw new Refusal('brand_missing')
  return brand
}

export interface BrandFilter {
  /** Null: all except drafts. */
  status: BrandStatus | typeof ALL | null
  /** An ID, or part of a name or the EIN, ignoring case. */
  search: string | null
}

/** Newest first, one more than the page has. */
export async function listBrands(
  db: Queryable,
  accountId: AccountId,
  { status, search }: BrandFilter,
  page: Page,
): Promise<Brand[]> {
  return db.query<Brand>(sql`
    select ${COLUMNS} from brands
    where account_id = ${accountId}
      and (status = ${status} or ${status}::text = 'ALL'
        or (${status}::text is null and status <> 'DRAFT'))
      and (${search}::text is null or id = ${search}
        or strpos(lower(concat_ws(' ', display_name, entity_name, ein)), lower(${search})) > 0)
      and (${page.after}::text is null or id < ${page.after})
    order by id desc limit ${page.limit + 1} offset ${page.skip}`)
}

/** For joins in higher modules, which must not know this table's columns. */
export const VERIFIED_BRANDS = raw(
  `(select account_id, id from brands where status in ('VERIFIED', 'VETTED'))`,
)

export interface ReviewKey {
  accountId: AccountId
  id: string
}

/**
 * Brands that were submitted by then, still wait, and are not decided by a provider. Crosses accounts, so it
 * only reads.
 */
export async function listBrandsToReview(
  db: Queryable,
  submittedBy: Date,
  limit: number,
): Promise<ReviewKey[]> {
  const statement = sql`
    select account_id as "accountId", id, submitted_at as "submittedAt" from brands
    where status = 'PENDING' and submitted_at <= ${submittedBy}
      and not exists (select from ${IN_REGISTRATION} r
        where r.account_id = brands.account_id and r.id = brands.id)
    order by submitted_at limit ${limit}`
  return db.query<ReviewKey>(acrossAccounts(statement, { order: ['submittedAt'], limit }))
}

/** By ID alone, in any account: for operators. */
export async function getBrandOfAnyone(db: Queryable, id: string): Promise<Brand> {
  if (!isId('brd', id)) throw new Refusal('brand_missing')
  const statement = sql`select ${COLUMNS} from brands where id = ${id}`
  const [brand] = await db.query<Brand>(acrossAccounts(statement, { times: TIMES, isOne: true }))
  if (!brand) throw new Refusal('brand_missing')
  return brand
}

/**
 * The operator's queue: oldest first, one more than the page has. Without a status: all statuses. Without an
 * account: a plain read across accounts.
 */
export async function listBrandQueue(
  db: Queryable,
  { status, accountId }: { status: BrandStatus | null; accountId: AccountId | null },
  page: Page,
): Promise<Brand[]> {
  const statementOf = (limit: number, skip: number) => sql`
    select ${COLUMNS} from brands
    where (${status}::text is null or status = ${status})
      ${accountId === null ? NOTHING : piece`and account_id = ${accountId}`}
      and (${page.after}::text is null or id > ${page.after})
    order by id limit ${limit} offset ${skip}`
  return db.query<Brand>(
    accountId === null
      ? pageAcross(statementOf, page, { times: TIMES, order: ['id'] })
      : statementOf(page.limit + 1, page.skip),
  )
}

/** Refused brands that were not resubmitted, most recently refused first. */
export async function listRefusedBrands(
  db: Queryable,
  accountId: AccountId,
  limit: number,
): Promise<Brand[]> {
  return db.query<Brand>(sql`
    select ${COLUMNS} from brands where account_id = ${accountId} and status = 'UNVERIFIED'
    order by updated_at desc, id desc limit ${limit}`)
}

export interface ReviewBacklog {
  waiting: number
  /** When the longest waiting one was submitted; null if none waits. */
  oldestAt: Date | null
}

/** A plain read across accounts. */
export async function countBrandsWaiting(db: Queryable): Promise<ReviewBacklog> {
  const statement = sql`
    select count(*)::int as waiting, min(submitted_at) as "oldestAt"
    from brands where status = 'PENDING'`
  const [row] = await db.query<ReviewBacklog>(acrossAccounts(statement, WAITING_SUMS))
  return row!
}

/** Merges the counts of several workers. */
export const WAITING_SUMS: Across = {
  times: ['oldestAt'],
  combine: (rows: ReviewBacklog[]) => {
    const oldest = rows.flatMap(({ oldestAt }) => oldestAt?.getTime() ?? [])
    const oldestAt = oldest.length === 0 ? null : new Date(Math.min(...oldest))
    return [{ waiting: rows.reduce((sum, { waiting }) => sum + waiting, 0), oldestAt }]
  },
}

/** What a reviewer sees of a record in the queue. */
export interface WaitingRecord {
  accountId: AccountId
  id: string
  name: string
  submittedAt: Date
}

/** Longest waiting first. Crosses accounts, so it only reads. */
export async function listBrandsWaiting(db: Queryable, limit: number): Promise<WaitingRecord[]> {
  const statement = sql`
    select account_id as "accountId", id, coalesce(display_name, entity_name, '') as name,
      submitted_at as "submittedAt"
    from brands where status = 'PENDING' order by submitted_at, id limit ${limit}`
  return db.query<WaitingRecord>(acrossAccounts(statement, longestFirst(limit)))
}

/** Merges the queues of several workers. */
export function longestFirst(limit: number): Across {
  return { order: ['submittedAt', 'id'], times: ['submittedAt'], limit }
}

/** For joins in higher modules, which must not know this table's columns. */
export const BRAND_NAMES = raw(
  `(select account_id, id, coalesce(display_name, entity_name, '') as name, status from brands)`,
)
