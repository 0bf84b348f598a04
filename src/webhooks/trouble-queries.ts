// Webhooks that fail or that the service disabled, for alerts.

import type { AccountId } from '../accounts/account.js'
import { SUBSCRIPTIONS } from '../events/subscription-queries.js'
import type { Queryable } from '../kit/postgres/db.js'
import { acrossAccounts, raw, sql } from '../kit/postgres/sql.js'
import { DISABLED_REASONS, describeDisabled, type Webhook } from './webhook.js'

type Row = Pick<
  Webhook,
  | 'id'
  | 'name'
  | 'url'
  | 'campaignId'
  | 'isEnabled'
  | 'disabledReason'
  | 'failingSince'
  | 'updatedAt'
>

const IS_TROUBLED = raw('(w.failing_since is not null or w.disabled_reason is not null)')
const TROUBLED_MAX = 200

export async function listTroubledWebhooks(
  db: Queryable,
  accountId: AccountId,
): Promise<(Row & { isDisabledByOwner: boolean })[]> {
  const rows = await db.query<Row>(sql`
    select w.id, w.name, w.url, w.campaign_id as "campaignId", s."isEnabled",
      w.disabled_reason as "disabledReason", w.failing_since as "failingSince",
      w.updated_at as "updatedAt"
    from webhooks w join ${SUBSCRIPTIONS} s on s.account_id = w.account_id and s.subscriber_id = w.id
    where w.account_id = ${accountId} and w.campaign_id <> '' and ${IS_TROUBLED}
    order by w.id desc limit ${TROUBLED_MAX}`)
  return rows.map((row) => {
    const disabledReason = describeDisabled(row.disabledReason)
    return { ...row, disabledReason, isDisabledByOwner: disabledReason === DISABLED_REASONS.owner }
  })
}

/** In order of their IDs. A plain read across accounts. */
export async function listAccountsWithTroubledWebhooks(
  db: Queryable,
  after: AccountId,
  limit: number,
): Promise<AccountId[]> {
  const statement = sql`
    select distinct w.account_id as "accountId" from webhooks w
    where w.account_id > ${after} and ${IS_TROUBLED} order by 1 limit ${limit}`
  const across = acrossAccounts(statement, { order: ['accountId'], limit })
  const rows = await db.query<{ accountId: AccountId }>(across)
  return rows.map((row) => row.accountId)
}
