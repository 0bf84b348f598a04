// The SmsUrl of a number: a webhook in Twilio's format that gets only its inbound messages.

import type { AccountId } from '../accounts/account.js'
import type { Config } from '../kit/config.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import type { NumberRecord } from '../numbers/number.js'
import { changeWebhook, deleteWebhook } from '../webhooks/change-webhook.js'
import { createWebhook } from '../webhooks/create-webhook.js'
import type { Webhook } from '../webhooks/webhook.js'
import { listTwilioWebhooks } from '../webhooks/webhook-queries.js'

/** By number. */
export async function findSmsUrls(
  db: Queryable,
  accountId: AccountId,
): Promise<Map<string, string>> {
  const webhooks = await listTwilioWebhooks(db, accountId)
  return new Map(webhooks.flatMap(({ numbers, url }) => (numbers ?? []).map((one) => [one, url])))
}

/** An empty URL removes it. */
export async function setSmsUrl(
  tx: Transaction,
  config: Pick<Config, 'mode' | 'webhookAllow'>,
  { accountId, campaignId, phoneNumber }: NumberRecord,
  url: string,
  now: Date,
): Promise<void> {
  const current = await findOf(tx, accountId, phoneNumber)
  if (current && url !== '' && current.campaignId === campaignId) {
    await changeWebhook(tx, config, accountId, current.id, { url, enabled: true }, now)
    return
  }
  // The number may have moved to another campaign since.
  if (current) await deleteWebhook(tx, accountId, current.id, now)
  if (url === '') return
  await createWebhook(
    ...[tx, config, accountId, campaignId],
    {
      name: 'SmsUrl',
      url,
      eventTypes: ['message.incoming'],
      numbers: [phoneNumber],
      format: 'twilio',
    },
    now,
  )
}

export async function removeSmsUrl(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string,
  now: Date,
): Promise<void> {
  const current = await findOf(tx, accountId, phoneNumber)
  if (current) await deleteWebhook(tx, accountId, current.id, now)
}

async function findOf(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string,
): Promise<Webhook | undefined> {
  const webhooks = await listTwilioWebhooks(tx, accountId)
  return webhooks.find(({ numbers }) => numbers?.length === 1 && numbers[0] === phoneNumber)
}
