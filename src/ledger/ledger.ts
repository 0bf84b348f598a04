// Money, double entry. Every account has five ledgers: its wallet (what the customer may spend), the
// funding it came from, and what it was spent on. This room is the only writer of these tables.

import type { AccountId } from '../accounts/account.js'

export const LEDGERS = ['wallet', 'funding', 'fees', 'numbers', 'messages'] as const
export type Ledger = (typeof LEDGERS)[number]

/** Why money moved, and between which ledgers it then moves. */
export const REASONS = {
  credit: { from: 'funding', to: 'wallet' },
  correction: { from: 'wallet', to: 'funding' },
  campaign_creation: { from: 'wallet', to: 'fees' },
  campaign_renewal: { from: 'wallet', to: 'fees' },
  number_purchase: { from: 'wallet', to: 'numbers' },
  number_renewal: { from: 'wallet', to: 'numbers' },
  message: { from: 'wallet', to: 'messages' },
  message_refund: { from: 'messages', to: 'wallet' },
} as const satisfies Record<string, { from: Ledger; to: Ledger }>

export type Reason = keyof typeof REASONS

export interface Transfer {
  accountId: AccountId
  reason: Reason
  /** What the money is for, unique: the same reference cannot be charged twice. */
  reference: string
  amountMicros: bigint
  campaignId?: string | null
  now: Date
}
