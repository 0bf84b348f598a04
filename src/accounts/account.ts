// An account is one tenant: it owns brands, campaigns, numbers, messages, webhooks and a balance.
// A caller is an account as one access token shows it.

import type { Scope } from '../kit/operation.js'

export type AccountId = string

export interface Account {
  accountId: AccountId
  name: string
  status: 'ACTIVE' | 'SUSPENDED'
  lowBalanceMicros: bigint | null
  createdAt: Date
}

export interface Caller {
  accountId: AccountId
  tokenId: string
  scopes: readonly Scope[]
}
