// An account is one tenant: it owns brands, campaigns, numbers, messages, webhooks and a balance.
// A caller is an account as one access token shows it.

import type { Scope } from '../kit/operation.js'

export type AccountId = string

export const ACCOUNT_STATUSES = ['ACTIVE', 'SUSPENDED', 'DELETED'] as const
/** A deleted account keeps its ledger and nothing else; it never comes back. */
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

export interface Account {
  accountId: AccountId
  name: string
  status: AccountStatus
  lowBalanceMicros: bigint | null
  createdAt: Date
}

export interface Caller {
  accountId: AccountId
  tokenId: string
  scopes: readonly Scope[]
}
