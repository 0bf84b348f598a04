// A ledger entry as JSON and as a line of CSV.

import { type Static, Type } from 'typebox'
import { csvLine } from '../kit/contract/csv.js'
import { Noun, NullableString, Timestamp } from '../kit/contract/schema.js'
import { plainDollars, toDollars } from '../kit/money.js'
import { type LedgerEntry, REASON_NAMES } from './ledger.js'

/** What a movement is for. */
export const ReasonField = Type.Enum([...REASON_NAMES], { title: 'LedgerReason' })

export const EntryShape = Noun('LedgerEntry', {
  id: Type.String(),
  createdAt: Timestamp,
  reason: ReasonField,
  reference: Type.String({
    description: 'What the money is for, such as a message or a period. Unique',
  }),
  campaignId: NullableString,
  amount: Type.Number({ description: 'dollars. Negative if money left the balance' }),
  balanceAfter: Type.Number({ description: 'dollars, after this entry and all before it' }),
  note: { ...NullableString, description: 'The operator’s note' },
})

export const ENTRY_EXAMPLE = {
  id: 'trf_01km3v9w8m0000pqv3t5x7z9bd',
  createdAt: '2026-11-15T12:00:00.000Z',
  reason: 'campaign_renewal',
  reference: 'campaign_renewal:cmp_01km3v9w8m0000pqv3t5x7z9bd:2026-11-15',
  campaignId: 'cmp_01km3v9w8m0000pqv3t5x7z9bd',
  amount: -10,
  balanceAfter: 79.9921,
  note: null,
}

export function wireEntry(entry: LedgerEntry): Static<typeof EntryShape> {
  return {
    id: entry.id,
    createdAt: entry.createdAt.toISOString(),
    reason: entry.reason,
    reference: entry.reference,
    campaignId: entry.campaignId,
    amount: toDollars(entry.amountMicros),
    balanceAfter: toDollars(entry.balanceAfterMicros),
    note: entry.note,
  }
}

export const ENTRY_CSV_HEAD = csvLine(Object.keys(ENTRY_EXAMPLE))

export function entryCsv(entry: LedgerEntry): string {
  return csvLine([
    entry.id,
    entry.createdAt.toISOString(),
    entry.reason,
    entry.reference,
    entry.campaignId,
    { exact: plainDollars(entry.amountMicros) },
    { exact: plainDollars(entry.balanceAfterMicros) },
    entry.note,
  ])
}
