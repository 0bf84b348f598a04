// Double-entry accounting. Every account has five ledgers: its wallet (the customer's balance), the funding
// it came from, and what it was spent on. Only this module writes these tables.

import type { AccountId } from '../accounts/account.js'

export type Ledger = 'wallet' | 'funding' | 'fees' | 'numbers' | 'messages'

/** Why money moved, and between which ledgers. The wallet is always one of the two. */
export const REASONS = {
  credit: { from: 'funding', to: 'wallet' },
  correction: { from: 'wallet', to: 'funding' },
  correction_credit: { from: 'funding', to: 'wallet' },
  campaign_creation: { from: 'wallet', to: 'fees' },
  campaign_renewal: { from: 'wallet', to: 'fees' },
  number_purchase: { from: 'wallet', to: 'numbers' },
  number_renewal: { from: 'wallet', to: 'numbers' },
  number_refund: { from: 'numbers', to: 'wallet' },
  call: { from: 'wallet', to: 'numbers' },
  message: { from: 'wallet', to: 'messages' },
  message_refund: { from: 'messages', to: 'wallet' },
  /** Refunded because its outcome was unknown, then delivered. */
  message_recharge: { from: 'wallet', to: 'messages' },
} as const satisfies Record<string, { from: Ledger; to: Ledger }>

export type Reason = keyof typeof REASONS
export const REASON_NAMES = Object.keys(REASONS) as Reason[]

/** These have one entry per message, so statements count and sum them instead of listing them. */
export const MESSAGE_REASONS = ['message', 'message_refund'] as const satisfies readonly Reason[]

export interface Transfer {
  accountId: AccountId
  reason: Reason
  /** What the money is for. Unique, so the same reference cannot be charged twice. */
  reference: string
  amountMicros: bigint
  campaignId?: string | null
  now: Date
}

/** A transfer as the customer sees it: its effect on the wallet. */
export interface LedgerEntry {
  id: string
  reason: Reason
  reference: string
  campaignId: string | null
  /** Negative if money left the wallet. */
  amountMicros: bigint
  /** The wallet's balance after this entry and all before it, in ID order. */
  balanceAfterMicros: bigint
  note: string | null
  createdAt: Date
}
