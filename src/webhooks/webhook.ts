// A webhook: where the events of a campaign are sent, and what proves that we sent them.

import { randomBytes } from 'node:crypto'
import type { AccountId } from '../accounts/account.js'
import type { EventType } from '../events/event.js'
import { DAY_MS } from '../kit/clock.js'

/** json: our events. twilio: the form that Twilio sends, for apps written for it (docs/twilio.md). twilio-get: in the URL. */
export const WEBHOOK_FORMATS = ['json', 'twilio', 'twilio-get'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

export interface Webhook {
  accountId: AccountId
  id: string
  /** Empty: the webhook that delivers every StatusCallback of the account, each to its message's URL. */
  campaignId: string
  format: WebhookFormat
  name: string | null
  url: string
  /** Sent with every event, verbatim, as the contract requires. So it cannot sign anything. */
  signature: string
  /** Signs events (Standard Webhooks) and is never sent. */
  secret: string
  /** Until then, the secret before the last rotation signs, too. */
  formerSecret: string | null
  formerSecretUntil: Date | null
  eventTypes: EventType[]
  /** Null: every number of the campaign, including those bought later. */
  numbers: string[] | null
  /** The brand whose changes it subscribes to. Null without brand.changed. */
  brandId: string | null
  isEnabled: boolean
  disabledReason: string | null
  /** The first failure after the last success. */
  failingSince: Date | null
  createdAt: Date
  updatedAt: Date
}

/** Each one costs a lookup and a row for every event of the campaign, on the path of its messages. */
export const WEBHOOKS_PER_CAMPAIGN_MAX = 100

export const PREVIOUS_SECRET_MS = DAY_MS

const SECRET_BYTES = 32
const SIGNATURE_BYTES = 24

export function makeSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

export function makeSignature(): string {
  return randomBytes(SIGNATURE_BYTES).toString('base64url')
}

/** Why a webhook is disabled, as its owner reads it. */
export const DISABLED_REASONS = {
  owner: 'Disabled by the account owner',
  gone: 'The endpoint returned 410 Gone',
  failing: 'Every delivery has failed for 5 days',
} as const

/** Sentences that earlier versions stored. */
const EARLIER_REASONS = new Map<string, string>([
  ['Disabled by the account', DISABLED_REASONS.owner],
  ['Turned off by the account', DISABLED_REASONS.owner],
  ['Switched off by a request of the account', DISABLED_REASONS.owner],
  ['The endpoint answered 410 Gone', DISABLED_REASONS.gone],
  ['Nothing but failures for 5 days', DISABLED_REASONS.failing],
])

export function describeDisabled(stored: string | null): string | null {
  return stored === null ? null : (EARLIER_REASONS.get(stored) ?? stored)
}
