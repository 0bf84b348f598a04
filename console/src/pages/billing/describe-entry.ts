// What a ledger entry was for, in words.

import type { LedgerEntry } from '../../../generated/types.gen'
import type { LedgerMessage } from '../../api/account-queries'
import { describeError } from '../../lib/describe-error'
import { formatPhone, plural } from '../../lib/format'
import { formatDate } from '../../lib/format-time'

export const REASONS: Record<LedgerEntry['reason'], string> = {
  message: 'Messages',
  message_refund: 'Message refunds',
  message_recharge: 'Messages charged again',
  campaign_creation: 'Campaign creation',
  campaign_renewal: 'Campaign renewal',
  number_purchase: 'Number purchase',
  number_renewal: 'Number renewal',
  number_refund: 'Number refund',
  call: 'Forwarded calls',
  credit: 'Credit',
  correction: 'Correction (debit)',
  correction_credit: 'Correction (credit)',
}

/** The reference of a charge or refund contains the message id. */
export function messageIdOf({ reference }: LedgerEntry): string | null {
  return /msg_\w+/.exec(reference)?.[0] ?? null
}

export interface EntryLookup {
  nameOf: (campaignId: string) => string
  /** Messages by id, as far as they are loaded. */
  messages: ReadonlyMap<string, LedgerMessage>
}

export function describeEntry(entry: LedgerEntry, lookup: EntryLookup): string {
  const { reason, note, reference, campaignId } = entry
  const about = reference.split(':')
  const campaign = campaignId === null ? 'Campaign' : `Campaign “${lookup.nameOf(campaignId)}”`
  switch (reason) {
    case 'credit':
      return note ? `Credit: ${note}` : 'Credit'
    case 'correction':
    case 'correction_credit':
      return `Correction: ${note ?? 'by the operator'}`
    case 'campaign_creation':
      return `${campaign}, creation fee`
    case 'campaign_renewal':
      return `${campaign}, month starting ${formatDay(about[2])}`
    case 'number_purchase':
      return `Number ${formatPhone(about[1] ?? '')}, until campaign renewal`
    case 'number_renewal':
      return `Number ${formatPhone(about[1] ?? '')}, month starting ${formatDay(about[3])}`
    case 'number_refund':
      return `Refund: number ${formatPhone(about[1] ?? '')}`
    case 'call':
      return `Forwarded calls: ${about[2] ?? ''}`
    case 'message':
      return describeMessage(entry, lookup)
    case 'message_recharge':
      return `Charged again after late delivery: ${describeMessage(entry, lookup)}`
    case 'message_refund':
      return describeRefund(entry, lookup)
    default:
      return reason
  }
}

function describeMessage(entry: LedgerEntry, { messages }: EntryLookup): string {
  const message = messages.get(messageIdOf(entry) ?? '')
  if (!message) return 'Message'
  const size = message.type === 'MMS' ? 'MMS' : plural(message.numSegments, 'segment')
  return `Message to ${formatPhone(message.to)}, ${size}`
}

function describeRefund(entry: LedgerEntry, { messages }: EntryLookup): string {
  const message = messages.get(messageIdOf(entry) ?? '')
  if (!message) return 'Refund'
  const why =
    message.errorCode === null
      ? ''
      : `${describeError(message.errorCode)?.name ?? message.errorCode}, `
  return `Refund: ${why}${formatPhone(message.to)}`
}

/** A ledger day in UTC, as the reference has it. */
function formatDay(day: string | undefined): string {
  const moment = new Date(`${day}T12:00:00`)
  return Number.isNaN(moment.getTime()) ? (day ?? '') : formatDate(moment)
}
