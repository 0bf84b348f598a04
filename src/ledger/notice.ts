// What the owner of an account should know about its money. Other rooms add theirs: an unpaid
// renewal is the campaigns' to tell.

import { type Static, Type } from 'typebox'
import { formatDollars, toDollars } from '../kit/money.js'
import { NullableNumber, NullableString, NullableTimestamp } from '../kit/schema.js'

export const NOTICE_KINDS = ['low_balance', 'renewal_unpaid'] as const

export interface Notice {
  kind: (typeof NOTICE_KINDS)[number]
  /** One sentence for people. */
  text: string
  campaignId: string | null
  /** When something happens unless somebody pays. */
  until: Date | null
  owedMicros: bigint | null
}

export const NoticeShape = Type.Object({
  kind: Type.Enum([...NOTICE_KINDS]),
  text: Type.String({ description: 'One sentence for people' }),
  campaignId: NullableString,
  until: NullableTimestamp,
  owed: NullableNumber,
})

export function wireNotice(notice: Notice): Static<typeof NoticeShape> {
  return {
    kind: notice.kind,
    text: notice.text,
    campaignId: notice.campaignId,
    until: notice.until?.toISOString() ?? null,
    owed: notice.owedMicros === null ? null : toDollars(notice.owedMicros),
  }
}

/** None while the balance is at the threshold or above, or nobody has set one. */
export function lowBalanceNotices(balance: bigint, threshold: bigint | null): Notice[] {
  if (threshold === null || balance >= threshold) return []
  const text = `The balance of ${formatDollars(balance)} is below ${formatDollars(threshold)}: add money before sends are refused`
  return [{ kind: 'low_balance', text, campaignId: null, until: null, owedMicros: null }]
}
