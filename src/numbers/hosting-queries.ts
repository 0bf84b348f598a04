// Who hosts a number: statements on the numbers and number_inventory tables that read or set it.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { HostedNumber } from './number.js'

/** For numbers that a campaign owns or that are for sale. Others are absent. */
export async function findHostedNumbers(
  db: Queryable,
  phoneNumbers: readonly string[],
): Promise<Map<string, HostedNumber>> {
  const rows = await db.query<HostedNumber & { phoneNumber: string }>(sql`
    select phone_number as "phoneNumber", link, hosts from numbers
    where phone_number = any (${phoneNumbers}::text[])
    union all
    select phone_number, null, hosts from number_inventory
    where phone_number = any (${phoneNumbers}::text[])`)
  return new Map(rows.map(({ phoneNumber, link, hosts }) => [phoneNumber, { link, hosts }]))
}

export interface AssignedNumber extends HostedNumber {
  phoneNumber: string
  accountId: string
  campaignId: string
}

export interface Hosting extends HostedNumber {
  /** An example number with this hosting. */
  example: string
  count: number
}

/** How the numbers of a campaign are hosted, each way once. Failed numbers are left out. */
export async function listHostings(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<Hosting[]> {
  return db.query<Hosting>(sql`
    select link, hosts, min(phone_number) as example, count(*)::int as count from numbers
    where account_id = ${accountId} and campaign_id = ${campaignId} and status <> 'FAILED'
    group by link, hosts order by 3`)
}

/** Numbers that campaigns own and can send from, a page in the order of the numbers. */
export async function listAssignedNumbers(
  db: Queryable,
  after: string,
  limit: number,
): Promise<AssignedNumber[]> {
  return db.query<AssignedNumber>(sql`
    select phone_number as "phoneNumber", account_id as "accountId", campaign_id as "campaignId",
      link, hosts
    from numbers where phone_number > ${after} and status <> 'FAILED'
    order by phone_number limit ${limit}`)
}

/** For our own stock, owned or for sale. Returns those that were found. Null: removes the named hosts. */
export async function updateHosts(
  tx: Transaction,
  phoneNumbers: readonly string[],
  hosts: readonly string[] | null,
): Promise<Set<string>> {
  const assigned = await tx.query<{ number: string }>(sql`
    update numbers set hosts = ${hosts}::text[]
    where phone_number = any (${phoneNumbers}::text[]) and link is null
    returning phone_number as number`)
  const stocked = await tx.query<{ number: string }>(sql`
    update number_inventory set hosts = ${hosts}::text[]
    where phone_number = any (${phoneNumbers}::text[])
    returning phone_number as number`)
  return new Set([...assigned, ...stocked].map(({ number }) => number))
}
