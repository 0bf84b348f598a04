// Creates a webhook, and checks its fields then and whenever they change.

import type { AccountId } from '../accounts/account.js'
import { lockAccount } from '../accounts/account-queries.js'
import { quotaRefusal } from '../accounts/quota.js'
import { findQuotas } from '../accounts/quota-queries.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import { checkNotEnded } from '../campaigns/campaign-state.js'
import type { EventType } from '../events/event.js'
import { TWILIO_RECEIPTS } from '../events/receipt-metadata.js'
import {
  checkBrandSubscribers,
  ensureSubscription,
  insertSubscription,
} from '../events/subscription-queries.js'
import type { Config } from '../kit/config.js'
import { echo, fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import { checkTargetUrl } from '../kit/http-client/public-address.js'
import { newId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { listCampaignNumbers } from '../numbers/number-queries.js'
import { appendWebhookChange } from './disable-webhook.js'
import {
  makeSecret,
  makeSignature,
  WEBHOOKS_PER_CAMPAIGN_MAX,
  type Webhook,
  type WebhookFormat,
} from './webhook.js'
import { countCampaignWebhooks, countWebhooks, insertWebhook } from './webhook-queries.js'

export interface WebhookRequest {
  name: string | null
  url: string
  eventTypes: readonly EventType[]
  numbers: readonly string[] | null
  /** Default: json. */
  format?: WebhookFormat
}

export async function createWebhook(
  tx: Transaction,
  config: Pick<Config, 'mode' | 'webhookAllow' | 'quotas'>,
  accountId: AccountId,
  campaignId: string,
  request: WebhookRequest,
  now: Date,
): Promise<Webhook> {
  checkUrl(config, request.url)
  const campaign = await getCampaign(tx, accountId, campaignId)
  checkNotEnded(campaign, 'it has no more events')
  if (request.numbers) await checkNumbers(tx, accountId, campaignId, request.numbers)
  if ((await countCampaignWebhooks(tx, accountId, campaignId)) >= WEBHOOKS_PER_CAMPAIGN_MAX) {
    throw new Refusal('webhooks_too_many')
  }
  await checkQuota(tx, config, accountId)
  const webhook = {
    ...newWebhook(accountId, campaignId, request, now),
    brandId: wantsBrandChanges(request.eventTypes) ? campaign.brandId : null,
  }
  await insertWebhook(tx, webhook)
  await insertSubscription(tx, { ...webhook, subscriberId: webhook.id })
  if (webhook.brandId) await checkBrandSubscribers(tx, accountId, webhook.brandId)
  await appendWebhookChange(tx, webhook, 'created', now)
  return webhook
}

/** With the lock of the account, so two that are created at the same time are counted one after the other. */
async function checkQuota(
  tx: Transaction,
  { quotas }: Pick<Config, 'quotas'>,
  accountId: AccountId,
): Promise<void> {
  const { webhooks: limit } = await findQuotas(tx, accountId, quotas)
  if (limit === 0) return
  await lockAccount(tx, accountId)
  const count = await countWebhooks(tx, accountId)
  if (count >= limit) throw quotaRefusal('webhooks', count, limit)
}

/** Delivers the StatusCallbacks of the account, each to the URL that its message names. Returns its ID. */
export async function createStatusWebhook(
  tx: Transaction,
  accountId: AccountId,
  now: Date,
): Promise<string> {
  const eventTypes: EventType[] = ['message.status']
  const request: WebhookRequest = {
    ...{ name: 'StatusCallback', url: '', eventTypes, numbers: null, format: 'twilio' },
  }
  const webhook = newWebhook(accountId, '', request, now)
  await insertWebhook(tx, webhook)
  await ensureSubscription(tx, {
    ...{ accountId, campaignId: '', eventTypes, numbers: null },
    subscriberId: webhook.id,
    receiptsOf: TWILIO_RECEIPTS,
  })
  return webhook.id
}

function newWebhook(
  accountId: AccountId,
  campaignId: string,
  request: WebhookRequest,
  now: Date,
): Webhook {
  return {
    accountId,
    id: newId('whk', now),
    campaignId,
    format: request.format ?? 'json',
    name: request.name,
    url: request.url,
    signature: makeSignature(),
    secret: makeSecret(),
    formerSecret: null,
    formerSecretUntil: null,
    eventTypes: unique(request.eventTypes),
    numbers: request.numbers && unique(request.numbers),
    brandId: null,
    isEnabled: true,
    disabledReason: null,
    failingSince: null,
    createdAt: now,
    updatedAt: now,
  }
}

export function wantsBrandChanges(eventTypes: readonly EventType[]): boolean {
  return eventTypes.includes('brand.changed')
}

export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

/** Checks the text of the URL. Where a name resolves to is checked again at every connection. */
export function checkUrl(
  { mode, webhookAllow: allow }: Pick<Config, 'mode' | 'webhookAllow'>,
  url: string,
): void {
  const check = checkTargetUrl(url, { allowPrivate: mode === 'sandbox', allow })
  if (!check.ok) throw fieldRefusal('url', check.problem)
}

export async function checkNumbers(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
  numbers: readonly string[],
): Promise<void> {
  const own = await listCampaignNumbers(db, accountId, campaignId)
  const ownNumbers = new Set(own.map((number) => number.phoneNumber))
  const at = numbers.findIndex((number) => !ownNumbers.has(number))
  if (at === -1) return
  throw fieldRefusal(
    `numbers[${at}]`,
    'must be a number of this campaign',
    `Phone number is invalid: ${echo(numbers[at]!)}`,
  )
}
