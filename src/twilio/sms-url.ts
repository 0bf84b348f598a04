// The SmsUrl of a number: a webhook in Twilio's format that gets only its inbound messages.

import type { AccountId } from '../accounts/account.js'
import type { Config } from '../kit/config.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import type { NumberRecord } from '../numbers/number.js'
import { changeWebhook, deleteWebhook } from '../webhooks/change-webhook.js'
import { createWebhook } from '../webhooks/create-webhook.js'
import type { Webhook } from '../webhooks/webhook.js'
import { listTwilioWebhooks } from '../webhooks/webhook-queries.js'

export interface SmsUrl {
  url: string
  method: 'GET' | 'POST'
  /** The campaign of the number when it was set. It gets no messages of another one. */
  campaignId: string
}

/** By number. */
export async function findSmsUrls(
  db: Queryable,
  accountId: AccountId,
): Promise<Map<string, SmsUrl>> {
  const webhooks = await listTwilioWebhooks(db, accountId)
  return new Map(
    webhooks.flatMap(({ numbers, url, format, campaignId }) => {
      const method = format === 'twilio-get' ? ('GET' as const) : ('POST' as const)
      return (numbers ?? []).map((one) => [one, { url, method, campaignId }] as const)
    }),
  )
}

const FORMATS = { GET: 'twilio-get', POST: 'twilio' } as const

/** What is to change. An empty URL removes it. */
export type SmsUrlChange = Partial<Pick<SmsUrl, 'url' | 'method'>>

/** Without a URL, a method changes only one that exists. */
export async function setSmsUrl(
  tx: Transaction,
  config: Pick<Config, 'mode' | 'webhookAllow' | 'quotas'>,
  { accountId, campaignId, phoneNumber }: NumberRecord,
  { url: wanted, method }: SmsUrlChange,
  now: Date,
): Promise<void> {
  if (wanted === undefined && method === undefined) return
  const current = await findOf(tx, accountId, phoneNumber)
  const url = wanted ?? current?.url ?? ''
  const format = method && FORMATS[method]
  if (current && url !== '' && current.campaignId === campaignId) {
    await changeWebhook(tx, config, accountId, current.id, { url, enabled: true }, now, format)
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
      format: format ?? current?.format ?? 'twilio',
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
