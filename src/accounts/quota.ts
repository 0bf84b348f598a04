// Quotas: how much of the installation one account may use, and the refusals above that. Pure.

import { Refusal } from '../kit/contract/refusal.js'
import type { Quotas } from '../kit/settings/quota-config.js'

export type { Quotas }

/** Their units, and what a request above the limit is refused with. */
export const QUOTAS = {
  queuedMessages: { unit: 'message', code: 'queue_full' },
  storedMessages: { unit: 'message', code: 'messages_full' },
  mediaBytes: { unit: 'byte', code: 'media_full' },
  webhooks: { unit: 'webhook', code: 'webhooks_full' },
} as const satisfies Record<keyof Quotas, object>

export type QuotaName = keyof typeof QUOTAS
export const QUOTA_NAMES = Object.keys(QUOTAS) as QuotaName[]

/** An account's own limits. 0: no limit. Null: that of the installation. */
export type OwnQuotas = Record<QuotaName, number | null>

export function applyQuotas(own: OwnQuotas, installation: Quotas): Quotas {
  const limits = QUOTA_NAMES.map((name) => [name, own[name] ?? installation[name]])
  return Object.fromEntries(limits) as Record<QuotaName, number>
}

/** With what is used and allowed, and what to do about it. */
export function quotaRefusal(name: QuotaName, used: number, limit: number): Refusal {
  return new Refusal(QUOTAS[name].code, TEXTS[name](formatUse(name, used), formatUse(name, limit)))
}

const TEXTS: Readonly<Record<QuotaName, (used: string, limit: string) => string>> = {
  queuedMessages: (used, limit) =>
    `Your account has ${used} messages that wait to be sent. Its limit is ${limit}. Nothing was sent or charged. Retry when some were sent, cancel scheduled messages, or ask your operator for a higher limit.`,
  storedMessages: (used, limit) =>
    `Your account stores ${used} messages. Its limit is ${limit}. Nothing was sent or charged. Ask your operator for a higher limit, or to delete old messages sooner.`,
  mediaBytes: (used, limit) =>
    `Your account stores ${used} of media. Its limit is ${limit}, and this file does not fit. Nothing was stored. Wait until uploads expire, or ask your operator for a higher limit.`,
  webhooks: (used, limit) =>
    `Your account has ${used} webhooks. Its limit is ${limit}. Delete one first, or ask your operator for a higher limit.`,
}

const BYTE_UNITS = [
  { name: 'GB', bytes: 1_000_000_000 },
  { name: 'MB', bytes: 1_000_000 },
  { name: 'kB', bytes: 1_000 },
]

/** As people read it: 12,000, or 1.5 GB. */
export function formatUse(name: QuotaName, value: number): string {
  if (QUOTAS[name].unit !== 'byte') return value.toLocaleString('en-US')
  const unit = BYTE_UNITS.find(({ bytes }) => value >= bytes) ?? { name: 'bytes', bytes: 1 }
  const amount = (value / unit.bytes).toLocaleString('en-US', { maximumFractionDigits: 1 })
  return `${amount} ${unit.name}`
}
