// A statement as JSON and as CSV. statement-page.ts is the page for people.

import { type Static, Type } from 'typebox'
import { csvLine } from '../../kit/contract/csv.js'
import { Noun, NullableString, NullableTimestamp } from '../../kit/contract/schema.js'
import { plainDollars, toDollars } from '../../kit/money.js'
import { ReasonField } from '../ledger-wire.js'
import type { AccountStatement } from './statement.js'

const Amount = Type.Number({ description: 'dollars. Negative if money left the balance' })

export const StatementShape = Noun('Statement', {
  month: Type.String(),
  account: Type.Object({ id: Type.String(), name: Type.String() }),
  isFinal: Type.Boolean({ description: 'false until the month is over' }),
  openingBalance: Type.Number(),
  closingBalance: Type.Number(),
  totals: Type.Array(
    Noun('StatementTotal', { reason: ReasonField, count: Type.Integer(), amount: Amount }),
  ),
  lines: Type.Array(
    Noun('StatementLine', {
      date: { ...NullableTimestamp, description: 'null for the sum of a month’s messages' },
      description: Type.String(),
      reason: ReasonField,
      campaignId: NullableString,
      campaignName: NullableString,
      count: Type.Integer(),
      amount: Amount,
    }),
  ),
})

export const STATEMENT_EXAMPLE = {
  month: '2026-11',
  account: { id: 'acc_01km3v9w8m0000pqv3t5x7z9bd', name: 'Sandbox' },
  isFinal: true,
  openingBalance: 0,
  closingBalance: 99.9921,
  totals: [
    { reason: 'credit', count: 1, amount: 100 },
    { reason: 'message', count: 1, amount: -0.0079 },
  ],
  lines: [
    {
      date: '2026-11-15T12:00:00.000Z',
      description: 'Credit',
      reason: 'credit',
      campaignId: null,
      campaignName: null,
      count: 1,
      amount: 100,
    },
    {
      date: null,
      description: 'Messages: 1 charged',
      reason: 'message',
      campaignId: 'cmp_01km3v9w8m0000pqv3t5x7z9bd',
      campaignName: 'Acme: Marketing',
      count: 1,
      amount: -0.0079,
    },
  ],
}

export function wireStatement(statement: AccountStatement): Static<typeof StatementShape> {
  const { account, month } = statement
  return {
    month: month.name,
    account: { id: account.accountId, name: account.name },
    isFinal: statement.isFinal,
    openingBalance: toDollars(statement.openingMicros),
    closingBalance: toDollars(statement.closingMicros),
    totals: statement.totals.map(({ reason, count, amountMicros }) => ({
      reason,
      count,
      amount: toDollars(amountMicros),
    })),
    lines: statement.lines.map((line) => ({
      date: line.at?.toISOString() ?? null,
      description: line.description,
      reason: line.reason,
      campaignId: line.campaignId,
      campaignName: line.campaignName,
      count: line.count,
      amount: toDollars(line.amountMicros),
    })),
  }
}

const CSV_HEAD = ['date', 'description', 'reason', 'campaignId', 'campaignName', 'count', 'amount']

/** Opening and closing balance are separate lines, so the column adds up. */
export function statementCsv(statement: AccountStatement): string {
  const { month, openingMicros, closingMicros } = statement
  const balance = (at: Date, title: string, micros: bigint) =>
    csvLine([at.toISOString(), title, null, null, null, null, { exact: plainDollars(micros) }])
  return [
    csvLine(CSV_HEAD),
    balance(month.start, 'Opening balance', openingMicros),
    ...statement.lines.map((line) =>
      csvLine([
        line.at?.toISOString() ?? null,
        line.description,
        line.reason,
        line.campaignId,
        line.campaignName,
        line.count,
        { exact: plainDollars(line.amountMicros) },
      ]),
    ),
    balance(month.end, 'Closing balance', closingMicros),
  ].join('')
}
