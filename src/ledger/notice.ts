// Notices that the owner of an account should act on. Other modules add theirs: campaigns and brands report
// unpaid renewals and returned reviews.

import { type Static, Type } from 'typebox'
import { Noun, NullableNumber, NullableString, NullableTimestamp } from '../kit/contract/schema.js'
import { formatDollars, toDollars } from '../kit/money.js'

const NOTICE_KINDS = [
  'low_balance',
  'renewal_unpaid',
  'campaign_returned',
  'brand_refused',
] as const

export interface Notice {
  kind: (typeof NOTICE_KINDS)[number]
  /** One sentence for people. */
  text: string
  campaignId: string | null
  brandId?: string
  /** The reviewer's notes by field. */
  notes?: readonly { field: string; note: string }[]
  /** When something happens unless the owner pays. */
  until: Date | null
  owedMicros: bigint | null
}

export const NoticeShape = Noun('Notice', {
  kind: Type.Enum([...NOTICE_KINDS]),
  text: Type.String({ description: 'One sentence for people' }),
  campaignId: NullableString,
  brandId: NullableString,
  notes: Type.Array(Type.Object({ field: Type.String(), note: Type.String() }), {
    description: 'The reviewer’s notes. Empty for notices about money',
  }),
  until: NullableTimestamp,
  owed: NullableNumber,
})

export function wireNotice(notice: Notice): Static<typeof NoticeShape> {
  return {
    kind: notice.kind,
    text: notice.text,
    campaignId: notice.campaignId,
    brandId: notice.brandId ?? null,
    notes: [...(notice.notes ?? [])],
    until: notice.until?.toISOString() ?? null,
    owed: notice.owedMicros === null ? null : toDollars(notice.owedMicros),
  }
}

/** None if the balance is at or above the threshold, or if there is no threshold. */
export function lowBalanceNotices(balance: bigint, threshold: bigint | null): Notice[] {
  if (threshold === null || balance >= threshold) return []
  const text = `The balance of ${formatDollars(balance)} is below ${formatDollars(threshold)}. Add money before sends are refused`
  return [{ kind: 'low_balance', text, campaignId: null, until: null, owedMicros: null }]
}
