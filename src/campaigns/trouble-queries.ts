// Campaigns that need their owner, for alerts: suspended ones, and those that a reviewer returned.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import { acrossAccounts, raw, sql } from '../kit/postgres/sql.js'
import type { Campaign } from './campaign.js'

export type TroubledCampaign = Pick<
  Campaign,
  'id' | 'displayName' | 'status' | 'suspendedFor' | 'updatedAt'
>

const IS_TROUBLED = raw(`(status = 'SUSPENDED' or status = 'DRAFT' and review_notes <> '[]')`)
const TROUBLED_MAX = 50

export async function listTroubledCampaigns(
  db: Queryable,
  accountId: AccountId,
): Promise<TroubledCampaign[]> {
  return db.query<TroubledCampaign>(sql`
    select id, display_name as "displayName", status, suspended_for as "suspendedFor",
      updated_at as "updatedAt"
    from campaigns where account_id = ${accountId} and ${IS_TROUBLED}
    order by updated_at desc, id desc limit ${TROUBLED_MAX}`)
}

/** In order of their IDs. A plain read across accounts. */
export async function listAccountsWithTroubledCampaigns(
  db: Queryable,
  after: AccountId,
  limit: number,
): Promise<AccountId[]> {
  const statement = sql`
    select distinct account_id as "accountId" from campaigns
    where account_id > ${after} and ${IS_TROUBLED} order by 1 limit ${limit}`
  const across = acrossAccounts(statement, { order: ['accountId'], limit })
  const rows = await db.query<{ accountId: AccountId }>(across)
  return rows.map((row) => row.accountId)
}
