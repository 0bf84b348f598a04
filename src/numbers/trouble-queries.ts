// Numbers that cannot send, for alerts: not set up yet, not set up at all, or refused by a carrier.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import { raw, sql } from '../kit/postgres/sql.js'
import type { NumberRecord } from './number.js'

export type TroubledNumber = Pick<
  NumberRecord,
  'phoneNumber' | 'campaignId' | 'status' | 'statusReason' | 'refusedAt' | 'purchasedAt'
>

const IS_TROUBLED = raw(`(status <> 'ACTIVE' or refused_at is not null)`)
const TROUBLED_MAX = 50

export async function listTroubledNumbers(
  db: Queryable,
  accountId: AccountId,
): Promise<TroubledNumber[]> {
  return db.query<TroubledNumber>(sql`
    select phone_number as "phoneNumber", campaign_id as "campaignId", status,
      status_reason as "statusReason", refused_at as "refusedAt", purchased_at as "purchasedAt"
    from numbers where account_id = ${accountId} and ${IS_TROUBLED}
    order by purchased_at desc, phone_number desc limit ${TROUBLED_MAX}`)
}

/** In order of their IDs. */
export async function listAccountsWithTroubledNumbers(
  db: Queryable,
  after: AccountId,
  limit: number,
): Promise<AccountId[]> {
  const rows = await db.query<{ accountId: AccountId }>(sql`
    select distinct account_id as "accountId" from numbers
    where account_id > ${after} and ${IS_TROUBLED} order by 1 limit ${limit}`)
  return rows.map((row) => row.accountId)
}
