// A disabled webhook: nothing is sent to it, and its deliveries in the meantime are paused for a recovery.

import type { AccountId } from '../accounts/account.js'
import { appendEvent } from '../events/append-events.js'
import { pauseDeliveries } from '../events/queue/delivery-round-queries.js'
import { updateSubscription } from '../events/subscription-queries.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import type { Webhook } from './webhook.js'
import { DISABLED_REASONS } from './webhook.js'
import { findWebhook, lockWebhook, updateWebhookRow } from './webhook-queries.js'

/** How many pending deliveries are paused at once. The deliverer pauses the rest when they come due. */
export const PAUSE_PORTION = 1_000

/** Writes both parts of a webhook and appends the change to the live stream. The caller holds its lock. */
export async function saveWebhook(tx: Transaction, webhook: Webhook): Promise<void> {
  await updateWebhookRow(tx, webhook)
  await updateSubscription(tx, {
    accountId: webhook.accountId,
    subscriberId: webhook.id,
    eventTypes: webhook.eventTypes,
    numbers: webhook.numbers,
    isEnabled: webhook.isEnabled,
    brandId: webhook.brandId,
  })
  if (!webhook.isEnabled) {
    await pauseDeliveries(tx, webhook.accountId, webhook.id, webhook.updatedAt, PAUSE_PORTION)
  }
  await appendWebhookChange(tx, webhook, webhook.isEnabled ? 'updated' : 'off', webhook.updatedAt)
}

export async function appendWebhookChange(
  tx: Transaction,
  webhook: Webhook,
  change: 'created' | 'updated' | 'off' | 'deleted',
  now: Date,
): Promise<void> {
  await appendEvent(tx, {
    accountId: webhook.accountId,
    eventType: 'webhook.changed',
    campaignId: webhook.campaignId,
    data: { webhookId: webhook.id, change, disabledReason: webhook.disabledReason },
    now,
  })
}

/** Returns whether it was enabled until now. */
export async function disableWebhook(
  { db, clock, log }: World,
  accountId: AccountId,
  webhookId: string,
  reason: Exclude<keyof typeof DISABLED_REASONS, 'owner'>,
): Promise<boolean> {
  return db.transaction(
    async (tx) => {
      if (!(await findWebhook(tx, accountId, webhookId))) return false
      const webhook = await lockWebhook(tx, accountId, webhookId)
      if (!webhook.isEnabled) return false
      const disabledReason = DISABLED_REASONS[reason]
      await saveWebhook(tx, {
        ...webhook,
        isEnabled: false,
        disabledReason,
        updatedAt: clock.now(),
      })
      log.warn({ webhook: webhookId, account: accountId, reason }, 'webhook disabled')
      return true
    },
    { accountId },
  )
}

/** With a new count of failing days. Paused deliveries stay paused until a recovery. */
export function asEnabled(webhook: Webhook): Webhook {
  return { ...webhook, isEnabled: true, disabledReason: null, failingSince: null }
}
