// Quotas in words, for customers and operators.

import type { Quota } from '../../generated/types.gen'
import { formatCount, plural } from './format'

export const QUOTA_TITLES: Record<Quota['name'], string> = {
  queuedMessages: 'Queued messages',
  storedMessages: 'Stored messages',
  mediaBytes: 'Media',
  webhooks: 'Webhooks',
}

export const QUOTA_HELP: Record<Quota['name'], string> = {
  queuedMessages: 'Waiting to be sent, including scheduled ones.',
  storedMessages: 'Sent and received, until they are deleted.',
  mediaBytes: 'Uploads, and files of messages.',
  webhooks: 'Of all campaigns.',
}

/** What happens when nothing is left. */
const AT_LIMIT: Record<Quota['name'], string> = {
  queuedMessages:
    'New messages are refused until some are sent. Scheduled messages can be canceled.',
  storedMessages: 'New messages are refused. Replies still arrive.',
  mediaBytes: 'Uploads are refused, and files of replies wait for room.',
  webhooks: 'New webhooks are refused until one is deleted.',
}

export function atLimit({ name, used, limit }: Quota): string | null {
  return limit !== null && used !== null && used >= limit ? AT_LIMIT[name] : null
}

/** As the color of the meter: from here on, the account should do something about it. */
const NEAR = 0.8

export function nearLimit(quotas: readonly Quota[]): Quota[] {
  return quotas.filter(({ used, limit }) => limit !== null && used !== null && used >= limit * NEAR)
}

/** "Webhooks: 2 of 2 used. New webhooks are refused until one is deleted." */
export function describeNear(quota: Quota): string {
  const [used, limit] = [quota.used ?? 0, quota.limit ?? 0].map((one) => formatQuota(quota, one))
  return [`${QUOTA_TITLES[quota.name]}: ${used} of ${limit} used.`, atLimit(quota)]
    .filter(Boolean)
    .join(' ')
}

const BYTE_UNITS = [
  ['GB', 1_000_000_000],
  ['MB', 1_000_000],
  ['kB', 1_000],
] as const

/** With at most one decimal, as the service writes it. */
export function formatBytes(bytes: number): string {
  const [name, size] = BYTE_UNITS.find(([, unit]) => bytes >= unit) ?? ['bytes', 1]
  return `${(bytes / size).toLocaleString('en-US', { maximumFractionDigits: 1 })} ${name}`
}

export function formatQuota({ unit }: Pick<Quota, 'unit'>, value: number): string {
  return unit === 'byte' ? formatBytes(value) : formatCount(value)
}

/** For screen readers: "312 of 1,000 messages". */
export function spokenUse({ unit, used, limit }: Quota): string {
  const of = `${formatQuota({ unit }, used ?? 0)} of ${formatQuota({ unit }, limit ?? 0)}`
  return unit === 'byte' ? of : `${of} ${plural(limit ?? 0, unit).replace(/^\S+ /, '')}`
}
