// A webhook that is off: nothing is sent to it, and what happens meanwhile is held for a recovery.

import type { AccountId } from '../accounts/account.js'
import { appendEvent } from '../events/append-events.js'
import { holdDeliveries } from '../events/queue/delivery-queries.js'
import { updateSubscription } from '../events/subscription-queries.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import type { Webhook } from './webhook.js'
import { OFF_REASONS } from './webhook.js'
import { findWebhook, lockWebhook, updateWebhookRow } from './webhook-queries.js'

/** How many pending deliveries are held at once; the deliverer holds the rest when they come due. */
export const HOLD_PORTION = 1_000

/** Writes both halves of a webhook, and tells the live stream. The caller holds its lock. */
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
    await holdDeliveries(tx, webhook.accountId, webhook.id, webhook.updatedAt, HOLD_PORTION)
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
    number: null,
    messageId: null,
    sequence: null,
    status: null,
    previousStatus: null,
    errorCode: null,
    errorMessage: null,
    data: { webhookId: webhook.id, change, disabledReason: webhook.disabledReason },
    now,
  })
}

/** Says whether it was on until now. */
export async function switchOff(
  { db, clock, log }: World,
  accountId: AccountId,
  webhookId: string,
  reason: Exclude<keyof typeof OFF_REASONS, 'owner'>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await findWebhook(tx, accountId, webhookId))) return false
    const webhook = await lockWebhook(tx, accountId, webhookId)
    if (!webhook.isEnabled) return false
    const disabledReason = OFF_REASONS[reason]
    await saveWebhook(tx, { ...webhook, isEnabled: false, disabledReason, updatedAt: clock.now() })
    log.warn({ webhook: webhookId, account: accountId, reason }, 'webhook switched off')
    return true
  })
}

/** On again, with a new count of failing days. What was held stays held until a recovery. */
export function switchedOn(webhook: Webhook): Webhook {
  return { ...webhook, isEnabled: true, disabledReason: null, failingSince: null }
}
