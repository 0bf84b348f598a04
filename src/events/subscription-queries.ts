// Every statement on the event_subscriptions table: who subscribes to what. The statements that append events
// read it to create deliveries.

import type { AccountId } from '../accounts/account.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { raw, sql } from '../kit/postgres/sql.js'
import type { EventType } from './event.js'

export interface Subscription {
  accountId: AccountId
  subscriberId: string
  /** Empty: every campaign of the account, including later ones. */
  campaignId: string
  eventTypes: readonly EventType[]
  /** Null: every number of the campaign, including those bought later. */
  numbers: readonly string[] | null
  isEnabled: boolean
  /** The brand whose changes it subscribes to; null if it did not subscribe. */
  brandId: string | null
}

/** A brand's change creates a delivery for each of them, in its transaction. */
export const SUBSCRIBERS_PER_BRAND_MAX = 1_000

/** A relation to join by (account_id, subscriber_id), for the modules whose records are subscribers. */
export const SUBSCRIPTIONS = raw(`(select account_id, subscriber_id, event_types as "eventTypes",
  numbers, is_enabled as "isEnabled", brand_id as "brandId" from event_subscriptions)`)

export async function insertSubscription(tx: Transaction, s: Subscription): Promise<void> {
  await tx.query(sql`
    insert into event_subscriptions (account_id, subscriber_id, campaign_id, event_types, numbers,
      is_enabled, brand_id)
    values (${s.accountId}, ${s.subscriberId}, ${s.campaignId}, ${s.eventTypes}, ${s.numbers},
      ${s.isEnabled}, ${s.brandId})`)
}

export interface ReceiptSubscription extends Omit<Subscription, 'brandId' | 'isEnabled'> {
  /** The SMPP system ID. It gets only message.status events of what it submitted with registered delivery. */
  receiptsOf: string
}

/**
 * The same for an SMPP customer, if it has none yet. One from an older version is limited to its receipts.
 */
export async function ensureSubscription(db: Queryable, s: ReceiptSubscription): Promise<void> {
  await db.query(sql`
    insert into event_subscriptions (account_id, subscriber_id, campaign_id, event_types, numbers,
      receipts_of)
    values (${s.accountId}, ${s.subscriberId}, ${s.campaignId}, ${s.eventTypes}, ${s.numbers},
      ${s.receiptsOf})
    on conflict (account_id, subscriber_id) do update set receipts_of = excluded.receipts_of
    where event_subscriptions.receipts_of is null`)
}

export async function updateSubscription(
  tx: Transaction,
  s: Omit<Subscription, 'campaignId'>,
): Promise<void> {
  await tx.query(sql`
    update event_subscriptions set event_types = ${s.eventTypes}, numbers = ${s.numbers},
      is_enabled = ${s.isEnabled}, brand_id = ${s.brandId}
    where account_id = ${s.accountId} and subscriber_id = ${s.subscriberId}`)
}

/** Subscriptions of the campaign to its brand switch to this brand; null: to none. */
export async function updateSubscribedBrand(
  tx: Transaction,
  accountId: AccountId,
  campaignId: string,
  brandId: string | null,
): Promise<void> {
  await tx.query(sql`
    update event_subscriptions set brand_id = ${brandId}
    where account_id = ${accountId} and campaign_id = ${campaignId} and brand_id is not null`)
  if (brandId !== null) await checkBrandSubscribers(tx, accountId, brandId)
}

/** Refuses more subscriptions than a change of the brand may go to. */
export async function checkBrandSubscribers(
  tx: Transaction,
  accountId: AccountId,
  brandId: string,
): Promise<void> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from event_subscriptions
    where account_id = ${accountId} and brand_id = ${brandId}`)
  if (row!.count <= SUBSCRIBERS_PER_BRAND_MAX) return
  throw new Refusal(
    'webhooks_too_many',
    `The brand already has ${SUBSCRIBERS_PER_BRAND_MAX} webhooks for brand.changed. Remove it from eventTypes`,
  )
}

export async function deleteSubscription(
  tx: Queryable,
  accountId: AccountId,
  subscriberId: string,
): Promise<void> {
  await tx.query(sql`
    delete from event_subscriptions
    where account_id = ${accountId} and subscriber_id = ${subscriberId}`)
}
