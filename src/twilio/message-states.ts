// Statuses and error codes of messages in Twilio's terms. Pure.

import type { ErrorCode } from '../messages/message-errors.js'
import type { Status } from '../messages/message-state.js'

export type TwilioStatus =
  | 'queued'
  | 'scheduled'
  | 'sent'
  | 'delivered'
  | 'read'
  | 'received'
  | 'canceled'
  | 'failed'
  | 'undelivered'

const STATUS_OF: Readonly<Record<Exclude<Status, 'FAILED'>, TwilioStatus>> = {
  CREATED: 'queued',
  SCHEDULED: 'scheduled',
  QUEUED: 'queued',
  SENT: 'sent',
  DELIVERED: 'delivered',
  READ: 'read',
  EXPIRED: 'failed',
}

/** Null: canceled, which is not an error for Twilio. */
const CODE_OF: Readonly<Record<ErrorCode, number | null>> = {
  1320: 30023,
  1330: 21610,
  1340: 30034,
  1345: 21606,
  1350: 30005,
  1360: 30006,
  1370: 30007,
  1375: 30004,
  1380: 30003,
  1390: 11200,
  1391: 30019,
  1392: 12300,
  1400: 30036,
  1410: null,
  1499: 30008,
}

/** Failures before a carrier had the message. */
const UNSENT: ReadonlySet<number> = new Set([1330, 1340, 1345, 1390, 1391, 1392, 1400])
const CANCELED = 1410 satisfies ErrorCode
const UNKNOWN = 30008

export function twilioStatusOf(status: Status, errorCode: number | null): TwilioStatus {
  if (status !== 'FAILED') return STATUS_OF[status]
  if (errorCode === CANCELED) return 'canceled'
  return errorCode !== null && UNSENT.has(errorCode) ? 'failed' : 'undelivered'
}

export function twilioCodeOf(errorCode: number | null): number | null {
  if (errorCode === null) return null
  const code = (CODE_OF as Record<number, number | null>)[errorCode]
  return code === undefined ? UNKNOWN : code
}
