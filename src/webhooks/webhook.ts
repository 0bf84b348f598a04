// A webhook: where the events of a campaign are sent, and what proves that we sent them.

import { randomBytes } from 'node:crypto'
import type { AccountId } from '../accounts/account.js'
import type { EventType } from '../events/event.js'

export interface Webhook {
  accountId: AccountId
  id: string
  campaignId: string
  name: string | null
  url: string
  /** Travels with every event, verbatim, as the contract says. So it can sign nothing. */
  signature: string
  /** Signs (Standard Webhooks) and never travels. */
  secret: string
  /** The secret before the last rotation signs too, until then. */
  formerSecret: string | null
  formerSecretUntil: Date | null
  eventTypes: EventType[]
  /** Null: every number of the campaign, also those bought later. */
  numbers: string[] | null
  /** Whose changes it subscribes to; null where it did not ask for brand.changed. */
  brandId: string | null
  isEnabled: boolean
  disabledReason: string | null
  /** The first failure after the last success. */
  failingSince: Date | null
  createdAt: Date
  updatedAt: Date
}

/** Each costs a look and a row for every event of the campaign, on the path of its messages. */
export const WEBHOOKS_PER_CAMPAIGN_MAX = 100

export const FORMER_SECRET_MS = 24 * 60 * 60 * 1000

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
  owner: 'Switched off by a request of the account',
  gone: 'The endpoint answered 410 Gone',
  failing: 'Nothing but failures for 5 days',
} as const
