// An operator enables a disabled webhook again.

import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import type { Transaction } from '../../kit/postgres/db.js'
import { enableWebhook } from '../../webhooks/change-webhook.js'
import { describeDisabled, type Webhook } from '../../webhooks/webhook.js'
import { getWebhookOfAnyone } from '../../webhooks/webhook-queries.js'

export async function reviveWebhook(
  tx: Transaction,
  actor: Actor,
  id: string,
  now: Date,
): Promise<Webhook> {
  const previous = await getWebhookOfAnyone(tx, id)
  const webhook = await enableWebhook(tx, previous.accountId, id, now)
  await recordAct(
    tx,
    actor,
    {
      act: 'webhook.enable',
      accountId: previous.accountId,
      subject: id,
      before: { enabled: previous.isEnabled, disabledReason: previous.disabledReason },
      after: { enabled: webhook.isEnabled },
    },
    now,
  )
  return webhook
}

/** Without secrets: an operator does not need them. */
export function wireSilentWebhook(webhook: Webhook) {
  return {
    id: webhook.id,
    accountId: webhook.accountId,
    campaignId: webhook.campaignId,
    name: webhook.name,
    url: webhook.url,
    enabled: webhook.isEnabled,
    disabledReason: describeDisabled(webhook.disabledReason),
    updatedAt: webhook.updatedAt.toISOString(),
  }
}
