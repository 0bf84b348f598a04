// Changes to a webhook: its fields, its secret, its deletion.

import type { AccountId } from '../accounts/account.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import { pauseDeliveries } from '../events/queue/delivery-round-queries.js'
import { checkBrandSubscribers, deleteSubscription } from '../events/subscription-queries.js'
import type { Config } from '../kit/config.js'
import type { Transaction } from '../kit/postgres/db.js'
import {
  checkNumbers,
  checkUrl,
  unique,
  type WebhookRequest,
  wantsBrandChanges,
} from './create-webhook.js'
import { appendWebhookChange, asEnabled, PAUSE_PORTION, saveWebhook } from './disable-webhook.js'
import {
  DISABLED_REASONS,
  makeSecret,
  PREVIOUS_SECRET_MS,
  type Webhook,
  type WebhookFormat,
} from './webhook.js'
import { deleteWebhookRow, lockWebhook } from './webhook-queries.js'

export type WebhookChanges = Partial<Omit<WebhookRequest, 'format'>> & { enabled?: boolean }

/** Fields that are not named stay unchanged. Only the Twilio-compatible API changes the format. */
export async function changeWebhook(
  tx: Transaction,
  config: Pick<Config, 'mode' | 'webhookAllow'>,
  accountId: AccountId,
  id: string,
  changes: WebhookChanges,
  now: Date,
  format?: WebhookFormat,
): Promise<Webhook> {
  if (changes.url !== undefined) checkUrl(config, changes.url)
  const webhook = await lockWebhook(tx, accountId, id)
  if (changes.numbers) await checkNumbers(tx, accountId, webhook.campaignId, changes.numbers)
  const changed = applyChanges({ ...webhook, ...(format && { format }) }, changes, now)
  if (changes.eventTypes) changed.brandId = await findSubscribedBrand(tx, changed)
  await saveWebhook(tx, changed)
  if (changed.brandId && !webhook.brandId) {
    await checkBrandSubscribers(tx, accountId, changed.brandId)
  }
  return changed
}

async function findSubscribedBrand(tx: Transaction, webhook: Webhook): Promise<string | null> {
  if (!wantsBrandChanges(webhook.eventTypes)) return null
  const { status, brandId } = await getCampaign(tx, webhook.accountId, webhook.campaignId)
  return status === 'ENDED' ? null : brandId
}

function applyChanges(webhook: Webhook, changes: WebhookChanges, now: Date): Webhook {
  const { name, url, eventTypes, numbers, enabled } = changes
  const changed: Webhook = {
    ...webhook,
    ...(name !== undefined && { name }),
    // Another URL starts with a clean record.
    ...(url !== undefined && url !== webhook.url && { url, failingSince: null }),
    ...(eventTypes !== undefined && { eventTypes: unique(eventTypes) }),
    ...(numbers !== undefined && { numbers: numbers && unique(numbers) }),
    updatedAt: now,
  }
  if (enabled === true && !webhook.isEnabled) return asEnabled(changed)
  if (enabled === false && webhook.isEnabled) {
    return { ...changed, isEnabled: false, disabledReason: DISABLED_REASONS.owner }
  }
  return changed
}

/** Enables it again, no matter who disabled it. */
export async function enableWebhook(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: Date,
): Promise<Webhook> {
  const webhook = await lockWebhook(tx, accountId, id)
  const changed = webhook.isEnabled ? webhook : { ...asEnabled(webhook), updatedAt: now }
  await saveWebhook(tx, changed)
  return changed
}

export async function rotateSecret(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: Date,
): Promise<Webhook> {
  const webhook = await lockWebhook(tx, accountId, id)
  const changed: Webhook = {
    ...webhook,
    secret: makeSecret(),
    formerSecret: webhook.secret,
    formerSecretUntil: new Date(now.getTime() + PREVIOUS_SECRET_MS),
    updatedAt: now,
  }
  await saveWebhook(tx, changed)
  return changed
}

/** Pending deliveries are paused. Their records are deleted after 30 days. */
export async function deleteWebhook(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: Date,
): Promise<void> {
  const webhook = await lockWebhook(tx, accountId, id)
  await deleteWebhookRow(tx, accountId, id)
  await deleteSubscription(tx, accountId, id)
  await pauseDeliveries(tx, accountId, id, now, PAUSE_PORTION)
  await appendWebhookChange(tx, webhook, 'deleted', now)
}
