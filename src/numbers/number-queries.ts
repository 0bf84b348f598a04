// Every statement on the numbers table. Inbound messages look up a number before its account is known, so the key
// of this lookup table is the number alone.

import type { AccountId } from '../accounts/account.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Page } from '../kit/contract/schema.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { raw, sql } from '../kit/postgres/sql.js'
import type { NumberRecord } from './number.js'
import { findMovingNumbers } from './provider-number-queries.js'

const COLUMNS = raw(`phone_number as "phoneNumber", account_id as "accountId",
  campaign_id as "campaignId", is_default as "isDefault", status,
  status_reason as "statusReason", refused_at as "refusedAt",
  refused_as as "refusedAs", link, hosts, forward_number as "forwardNumber",
  forwarding_stopped_at as "forwardingStoppedAt", location, monthly_price_micros as "monthlyPriceMicros",
  purchased_at as "purchasedAt"`)

/** By the number alone, whichever account owns it. */
export async function findNumber(db: Queryable, phoneNumber: string): Promise<NumberRecord | null> {
  const [row] = await db.query<NumberRecord>(sql`
    select ${COLUMNS} from numbers where phone_number = ${phoneNumber}`)
  return row ?? null
}

/** Which account owns each of these numbers now, and since when. */
export async function findHolders(
  db: Queryable,
  phoneNumbers: readonly string[],
): Promise<Map<string, { accountId: AccountId; purchasedAt: Date }>> {
  const rows = await db.query<{ phoneNumber: string; accountId: AccountId; purchasedAt: Date }>(sql`
    select phone_number as "phoneNumber", account_id as "accountId", purchased_at as "purchasedAt"
    from numbers where phone_number = any (${phoneNumbers}::text[])`)
  return new Map(rows.map(({ phoneNumber, ...holder }) => [phoneNumber, holder]))
}

/** A number of another account is treated like an unknown number. */
export async function getNumber(
  db: Queryable,
  accountId: AccountId,
  phoneNumber: string | null,
): Promise<NumberRecord> {
  const number = phoneNumber === null ? null : await findNumber(db, phoneNumber)
  if (number?.accountId !== accountId) throw new Refusal('number_missing')
  return number
}

/** The same, and nobody else changes or releases it until the end of the transaction. */
export async function lockNumber(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string | null,
): Promise<NumberRecord> {
  const [number] = await tx.query<NumberRecord>(sql`
    select ${COLUMNS} from numbers
    where phone_number = ${phoneNumber} and account_id = ${accountId} for update`)
  if (!number) throw new Refusal('number_missing')
  return number
}

/** The default number first, the others in order of purchase. */
export async function listCampaignNumbers(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<NumberRecord[]> {
  return db.query<NumberRecord>(sql`
    select ${COLUMNS} from numbers
    where account_id = ${accountId} and campaign_id = ${campaignId}
    order by is_default desc, purchased_at, phone_number`)
}

/** A portion, the default number last, because a campaign with numbers always has a default. */
export async function listNumbersToLeave(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
  limit: number,
): Promise<NumberRecord[]> {
  return db.query<NumberRecord>(sql`
    select ${COLUMNS} from numbers
    where account_id = ${accountId} and campaign_id = ${campaignId}
    order by is_default, purchased_at, phone_number limit ${limit}`)
}

/** Null if the campaign has no numbers. With numbers, it always has a default. */
export async function findDefaultNumber(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<NumberRecord | null> {
  const [row] = await db.query<NumberRecord>(sql`
    select ${COLUMNS} from numbers
    where account_id = ${accountId} and campaign_id = ${campaignId} and is_default`)
  return row ?? null
}

/** Across all campaigns, newest purchase first. Numbers have no ID, so `after` is a phone number. */
export async function listNumbers(
  db: Queryable,
  accountId: AccountId,
  page: Page,
  campaigns: readonly string[] | null = null,
): Promise<NumberRecord[]> {
  return db.query<NumberRecord>(sql`
    select ${COLUMNS} from numbers
    where account_id = ${accountId}
      and (${campaigns}::text[] is null or campaign_id = any (${campaigns}::text[]))
      and (${page.after}::text is null or (purchased_at, phone_number) < (
        select purchased_at, phone_number from numbers
        where phone_number = ${page.after} and account_id = ${accountId}))
    order by purchased_at desc, phone_number desc limit ${page.limit + 1} offset ${page.skip}`)
}

/** All numbers of an account in their order, a portion at a time: for exports. A number may be released meanwhile. */
export async function listNumbersAfter(
  db: Queryable,
  accountId: AccountId,
  after: string,
  limit: number,
): Promise<NumberRecord[]> {
  return db.query<NumberRecord>(sql`
    select ${COLUMNS} from numbers where account_id = ${accountId} and phone_number > ${after}
    order by phone_number limit ${limit}`)
}

/**
 * False if the number already has an owner. This and updateDefault need the campaign locked, because a simultaneous
 * purchase and release could leave it with numbers and no default.
 */
export async function insertNumber(tx: Transaction, number: NumberRecord): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into numbers (phone_number, account_id, campaign_id, is_default, status, link, hosts,
      forward_number, location, monthly_price_micros, purchased_at)
    values (${number.phoneNumber}, ${number.accountId}, ${number.campaignId}, ${number.isDefault},
      ${number.status}, ${number.link}, ${number.hosts}::text[], ${number.forwardNumber}, ${number.location},
      ${number.monthlyPriceMicros}, ${number.purchasedAt})
    on conflict (phone_number) do nothing
    returning 1`)
  return rows.length > 0
}

export async function updateForwarding(
  tx: Transaction,
  { accountId, phoneNumber, forwardNumber }: NumberRecord,
): Promise<void> {
  await tx.query(sql`
    update numbers set forward_number = ${forwardNumber}
    where phone_number = ${phoneNumber} and account_id = ${accountId}`)
}

/** Only the operator's stop. The target is written separately. */
export async function updateForwardingStop(
  tx: Transaction,
  { accountId, phoneNumber, forwardingStoppedAt }: NumberRecord,
): Promise<void> {
  await tx.query(sql`
    update numbers set forwarding_stopped_at = ${forwardingStoppedAt}
    where phone_number = ${phoneNumber} and account_id = ${accountId}`)
}

/** A failed number is no longer the default of its campaign. */
export async function updateStatus(
  tx: Transaction,
  { accountId, phoneNumber, status, statusReason, isDefault }: NumberRecord,
): Promise<void> {
  await tx.query(sql`
    update numbers set status = ${status}, status_reason = ${statusReason},
      is_default = ${isDefault}
    where phone_number = ${phoneNumber} and account_id = ${accountId}`)
}

/** Which of these numbers a provider has not activated yet, or not yet moved to another campaign. */
export async function findPendingNumbers(
  db: Queryable,
  phoneNumbers: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ phoneNumber: string }>(sql`
    select phone_number as "phoneNumber" from numbers
    where phone_number = any (${phoneNumbers}::text[]) and status = 'PENDING'`)
  return new Set(rows.map(({ phoneNumber }) => phoneNumber))
}

/** Which of these numbers cannot be bought because a campaign owns them. A FAILED one can be bought again. */
export async function findUnavailable(
  db: Queryable,
  phoneNumbers: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ phoneNumber: string }>(sql`
    select phone_number as "phoneNumber" from numbers
    where phone_number = any (${phoneNumbers}::text[]) and status <> 'FAILED'`)
  return new Set(rows.map(({ phoneNumber }) => phoneNumber))
}

/** Makes this number the default of the campaign. */
export async function updateDefault(tx: Transaction, number: NumberRecord): Promise<void> {
  // Two statements, off before on, because the unique index checks each row as it is written.
  await tx.query(sql`
    update numbers set is_default = false
    where account_id = ${number.accountId} and campaign_id = ${number.campaignId} and is_default
      and phone_number <> ${number.phoneNumber}`)
  await tx.query(sql`
    update numbers set is_default = true
    where phone_number = ${number.phoneNumber} and account_id = ${number.accountId}`)
}

export async function deleteNumbers(
  tx: Transaction,
  accountId: AccountId,
  phoneNumbers: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from numbers
    where phone_number = any (${phoneNumbers}::text[]) and account_id = ${accountId}`)
}

/** The caller has moved them and started the work that they wait for. */
export async function updatePending(
  tx: Transaction,
  accountId: AccountId,
  phoneNumbers: readonly string[],
  statusReason: string,
): Promise<void> {
  await tx.query(sql`
    update numbers set status = 'PENDING', status_reason = ${statusReason}
    where phone_number = any (${phoneNumbers}::text[]) and account_id = ${accountId}`)
}

/** The caller has locked both campaigns. */
export async function updateCampaignOf(
  tx: Transaction,
  accountId: AccountId,
  phoneNumbers: readonly string[],
  campaignId: string,
): Promise<void> {
  await tx.query(sql`
    update numbers set campaign_id = ${campaignId}, is_default = false
    where phone_number = any (${phoneNumbers}::text[]) and account_id = ${accountId}`)
}

/**
 * What is paid per month: nothing for a number that the provider has not delivered. A number that moves to another
 * campaign counts all the time.
 */
export async function listNumberFees(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<NumberRecord[]> {
  const numbers = await listCampaignNumbers(db, accountId, campaignId)
  return paidOf(db, accountId, numbers)
}

async function paidOf(
  db: Queryable,
  accountId: AccountId,
  numbers: readonly NumberRecord[],
): Promise<NumberRecord[]> {
  const pending = numbers.flatMap((one) => (one.status === 'PENDING' ? [one.phoneNumber] : []))
  const moving =
    pending.length > 0 ? await findMovingNumbers(db, accountId, pending) : new Set<string>()
  return numbers.filter((one) => one.status === 'ACTIVE' || moving.has(one.phoneNumber))
}

/** How many numbers from our own stock each of these campaigns sends from. Campaigns without any are left out. */
export async function countStocked(
  db: Queryable,
  campaigns: readonly { accountId: AccountId; campaignId: string }[],
): Promise<Map<string, number>> {
  const rows = await db.query<{ campaignId: string; count: number }>(sql`
    select campaign_id as "campaignId", count(*)::int as count from numbers
    where link is null and status = 'ACTIVE' and (account_id, campaign_id) in (
      select * from unnest(${campaigns.map((one) => one.accountId)}::text[],
        ${campaigns.map((one) => one.campaignId)}::text[]))
    group by campaign_id`)
  return new Map(rows.map(({ campaignId, count }) => [campaignId, count]))
}

/** How many numbers a campaign has, and what they cost per month. */
export async function sumCampaignNumbers(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<{ count: number; monthlyPriceMicros: bigint }> {
  const numbers = await listCampaignNumbers(db, accountId, campaignId)
  const paid = await paidOf(db, accountId, numbers)
  const monthlyPriceMicros = paid.reduce((sum, one) => sum + one.monthlyPriceMicros, 0n)
  return { count: numbers.length, monthlyPriceMicros }
}
