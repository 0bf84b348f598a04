// One month of an account's money, for its books: the opening balance, the movements, and the closing
// balance.

import type { Account } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import type { BillingPorts } from '../billing-ports.js'
import { entryFloor, findPosition } from '../entry-queries.js'
import { REASON_NAMES, type Reason } from '../ledger.js'
import type { Month } from '../month.js'
import { listRareRows, type StatementRow, sumMessageRows } from './statement-queries.js'

export interface StatementLine extends StatementRow {
  description: string
  campaignName: string | null
}

export interface AccountStatement {
  month: Month
  account: Account
  /** False until the month is over. */
  isFinal: boolean
  openingMicros: bigint
  closingMicros: bigint
  lines: StatementLine[]
  totals: { reason: Reason; count: number; amountMicros: bigint }[]
}

/** The closing balance is the opening balance plus every line, so it always adds up. */
export async function makeStatement(
  db: Queryable,
  account: Account,
  month: Month,
  { nameCampaigns, now }: Pick<BillingPorts, 'nameCampaigns'> & { now: Date },
): Promise<AccountStatement> {
  const { accountId } = account
  const { walletMicros } = await findPosition(db, accountId, entryFloor(month.start))
  const rows = [
    ...(await listRareRows(db, accountId, month)),
    ...(await sumMessageRows(db, accountId, month)),
  ]
  const ids = new Set(rows.flatMap(({ campaignId }) => campaignId ?? []))
  const names = await nameCampaigns(db, accountId, [...ids])
  return {
    month,
    account,
    isFinal: now >= month.end,
    openingMicros: walletMicros,
    closingMicros: rows.reduce((sum, row) => sum + row.amountMicros, walletMicros),
    lines: rows.map((row) => ({
      ...row,
      description: describe(row),
      campaignName: row.campaignId === null ? null : (names.get(row.campaignId) ?? null),
    })),
    totals: totalsOf(rows),
  }
}

function totalsOf(rows: readonly StatementRow[]): AccountStatement['totals'] {
  return REASON_NAMES.flatMap((reason) => {
    const own = rows.filter((row) => row.reason === reason)
    if (own.length === 0) return []
    const count = own.reduce((sum, row) => sum + row.count, 0)
    return [{ reason, count, amountMicros: own.reduce((sum, row) => sum + row.amountMicros, 0n) }]
  })
}

// The second and later parts of a reference identify its record.
const DESCRIPTIONS: Record<Reason, (row: StatementRow, about: string[]) => string> = {
  credit: (row) => row.note ?? 'Credit',
  correction: (row) => `Correction: ${row.note ?? 'by the operator'}`,
  correction_credit: (row) => `Correction: ${row.note ?? 'by the operator'}`,
  campaign_creation: () => 'Campaign creation fee',
  campaign_renewal: (_, [, day]) => `Campaign renewal, month from ${day}`,
  number_purchase: (_, [number]) => `Number ${number} until the campaign renews`,
  number_renewal: (_, [number, , day]) => `Number ${number}, month from ${day}`,
  number_refund: (_, [number]) => `Number ${number}: refund, the number was not available`,
  call: (_, [, count]) => `Forwarded calls: ${count}`,
  message: ({ count }) => `Messages: ${count} charged`,
  message_refund: ({ count }) => `Messages: ${count} refunded`,
  message_recharge: (_, [id]) => `Message ${id}: charged again, its delivery receipt came late`,
}

function describe(row: StatementRow): string {
  return DESCRIPTIONS[row.reason](row, (row.reference ?? '').split(':').slice(1))
}

/** The title of each reason on the page. */
export const REASON_TITLES: Record<Reason, string> = {
  credit: 'Credits',
  correction: 'Corrections, taken',
  correction_credit: 'Corrections, given',
  campaign_creation: 'Campaign creation',
  campaign_renewal: 'Campaign renewals',
  number_purchase: 'Numbers bought',
  number_renewal: 'Number renewals',
  number_refund: 'Numbers refunded',
  call: 'Forwarded calls',
  message: 'Messages',
  message_refund: 'Messages refunded',
  message_recharge: 'Messages charged again',
}
