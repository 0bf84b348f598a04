// Every statement on the webhooks table. Subscriptions belong to the events module and are joined from there.

import type { AccountId } from '../accounts/account.js'
import { SUBSCRIPTIONS } from '../events/subscription-queries.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Page } from '../kit/contract/schema.js'
import { isId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { acrossAccounts, NOTHING, pageAcross, piece, raw, sql } from '../kit/postgres/sql.js'
import type { Webhook } from './webhook.js'

const COLUMNS =
  raw(`w.account_id as "accountId", w.id, w.campaign_id as "campaignId", w.format, w.name, w.url,
  w.signature, w.secret, w.former_secret as "formerSecret",
  w.former_secret_until as "formerSecretUntil", s."eventTypes", s.numbers, s."isEnabled", s."brandId",
  w.disabled_reason as "disabledReason", w.failing_since as "failingSince",
  w.created_at as "createdAt", w.updated_at as "updatedAt"`)

/** For reads across accounts: see kit/postgres/sql.ts. */
const TIMES = ['formerSecretUntil', 'failingSince', 'createdAt', 'updatedAt']

const WEBHOOKS = raw(`webhooks w join ${SUBSCRIPTIONS.text} s
  on s.account_id = w.account_id and s.subscriber_id = w.id`)

export async function insertWebhook(tx: Transaction, w: Webhook): Promise<void> {
  await tx.query(sql`
    insert into webhooks (account_id, id, campaign_id, format, name, url, signature, secret, former_secret,
      former_secret_until, disabled_reason, failing_since, created_at, updated_at)
    values (${w.accountId}, ${w.id}, ${w.campaignId}, ${w.format}, ${w.name}, ${w.url}, ${w.signature},
      ${w.secret}, ${w.formerSecret}, ${w.formerSecretUntil}, ${w.disabledReason},
      ${w.failingSince}, ${w.createdAt}, ${w.updatedAt})`)
}

/** Writes the whole row: the caller holds its lock (`lockWebhook`). */
export async function updateWebhookRow(tx: Transaction, w: Webhook): Promise<void> {
  await tx.query(sql`
    update webhooks set name = ${w.name}, url = ${w.url}, secret = ${w.secret},
      former_secret = ${w.formerSecret}, former_secret_until = ${w.formerSecretUntil},
      disabled_reason = ${w.disabledReason}, failing_since = ${w.failingSince},
      updated_at = ${w.updatedAt}, format = ${w.format}
    where account_id = ${w.accountId} and id = ${w.id}`)
}

export async function deleteWebhookRow(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from webhooks where account_id = ${accountId} and id = ${id} returning 1`)
  return rows.length > 0
}

export async function findWebhook(
  db: Queryable,
  accountId: AccountId,
  id: string,
): Promise<Webhook | null> {
  if (!isId('whk', id)) return null
  const [row] = await db.query<Webhook>(sql`
    select ${COLUMNS} from ${WEBHOOKS} where w.account_id = ${accountId} and w.id = ${id}`)
  return row ?? null
}

export async function getWebhook(
  db: Queryable,
  accountId: AccountId,
  id: string,
): Promise<Webhook> {
  const webhook = await findWebhook(db, accountId, id)
  if (!webhook) throw new Refusal('webhook_missing')
  return webhook
}

/** The webhook, locked until the transaction ends. Refuses if there is none. */
export async function lockWebhook(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<Webhook> {
  if (!isId('whk', id)) throw new Refusal('webhook_missing')
  await tx.query(sql`
    select 1 from webhooks where account_id = ${accountId} and id = ${id} for update`)
  return getWebhook(tx, accountId, id)
}

export async function listWebhooksById(
  db: Queryable,
  accountId: AccountId,
  ids: readonly string[],
): Promise<Webhook[]> {
  return db.query<Webhook>(sql`
    select ${COLUMNS} from ${WEBHOOKS}
    where w.account_id = ${accountId} and w.id = any (${ids}::text[])`)
}

/** All of them, newest first. Their number is limited. */
export async function listCampaignWebhooks(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<Webhook[]> {
  return db.query<Webhook>(sql`
    select ${COLUMNS} from ${WEBHOOKS}
    where w.account_id = ${accountId} and w.campaign_id = ${campaignId}
    order by w.id desc`)
}

/** Across all campaigns, newest first. The one for StatusCallbacks belongs to none. */
export async function listWebhooks(
  db: Queryable,
  accountId: AccountId,
  page: Page,
  campaigns: readonly string[] | null = null,
): Promise<Webhook[]> {
  return db.query<Webhook>(sql`
    select ${COLUMNS} from ${WEBHOOKS}
    where w.account_id = ${accountId} and w.campaign_id <> ''
      and (${campaigns}::text[] is null or w.campaign_id = any (${campaigns}::text[]))
      and (${page.after}::text is null or w.id < ${page.after})
    order by w.id desc limit ${page.limit + 1} offset ${page.skip}`)
}

/** Those of numbers in Twilio's format, oldest first: at most one for each number. */
export async function listTwilioWebhooks(db: Queryable, accountId: AccountId): Promise<Webhook[]> {
  return db.query<Webhook>(sql`
    select ${COLUMNS} from ${WEBHOOKS}
    where w.account_id = ${accountId} and w.format <> 'json' and w.campaign_id <> ''
    order by w.id`)
}

export async function countCampaignWebhooks(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from webhooks
    where account_id = ${accountId} and campaign_id = ${campaignId}`)
  return row!.count
}

/** Over all campaigns. The one for StatusCallbacks does not count. */
export async function countWebhooks(db: Queryable, accountId: AccountId): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from webhooks
    where account_id = ${accountId} and campaign_id <> ''`)
  return row!.count
}

/** Starts counting failing days, unless already started. */
export async function recordFailing(
  db: Queryable,
  accountId: AccountId,
  id: string,
  now: Date,
): Promise<void> {
  await db.query(sql`
    update webhooks set failing_since = ${now}
    where account_id = ${accountId} and id = ${id} and failing_since is null`)
}

export async function recordWorking(
  db: Queryable,
  accountId: AccountId,
  id: string,
): Promise<void> {
  await db.query(sql`
    update webhooks set failing_since = null
    where account_id = ${accountId} and id = ${id} and failing_since is not null`)
}

/** By its ID alone, in any account: for operators. */
export async function getWebhookOfAnyone(db: Queryable, id: string): Promise<Webhook> {
  if (!isId('whk', id)) throw new Refusal('webhook_missing')
  const statement = sql`select ${COLUMNS} from ${WEBHOOKS} where w.id = ${id}`
  const [row] = await db.query<Webhook>(acrossAccounts(statement, { times: TIMES, isOne: true }))
  if (!row) throw new Refusal('webhook_missing')
  return row
}

/** Disabled webhooks of all accounts or one, newest first. A plain read across accounts. */
export async function listDisabledWebhooks(
  db: Queryable,
  accountId: AccountId | null,
  page: Page,
): Promise<Webhook[]> {
  const statementOf = (limit: number, skip: number) => sql`
    select ${COLUMNS} from ${WEBHOOKS}
    where not s."isEnabled" ${accountId === null ? NOTHING : piece`and w.account_id = ${accountId}`}
      and (${page.after}::text is null or w.id < ${page.after})
    order by w.id desc limit ${limit} offset ${skip}`
  return db.query<Webhook>(
    accountId === null
      ? pageAcross(statementOf, page, { times: TIMES, order: ['id'], isDescending: true })
      : statementOf(page.limit + 1, page.skip),
  )
}
