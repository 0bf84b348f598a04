// An account is one tenant: it owns brands, campaigns, numbers, messages, webhooks, and a balance. A caller
// is an account as authenticated by one access token.

import type { Scope } from '../kit/contract/operation.js'
import type { AccountRole } from './role.js'

export type AccountId = string

/** Rows of this account concern the installation itself. It has no account record. */
export const INSTALLATION: AccountId = 'installation'

export const ACCOUNT_STATUSES = ['ACTIVE', 'SUSPENDED', 'DELETED'] as const
/** A deleted account keeps only its ledger and cannot be restored. */
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

export interface Account {
  accountId: AccountId
  name: string
  status: AccountStatus
  lowBalanceMicros: bigint | null
  createdAt: Date
}

/** Secrets are shown only to tokens that could replace them. */
export function mayManage({ scopes }: Caller): boolean {
  return scopes.includes('manage')
}

/** Who made a request, if a person did in the console. */
export interface Person {
  userId: string
  name: string
  role: AccountRole
}

export interface Caller {
  accountId: AccountId
  /** The token, or the ID of the person. */
  tokenId: string
  person?: Person
  scopes: readonly Scope[]
  /** When the token expires; null: never. Tokens that it creates expire no later. */
  expiresAt: Date | null
  /** True only on the few routes that admit suspended accounts. */
  isSuspended?: true
  /** The campaigns that the token is restricted to; null: the whole account. */
  campaigns: readonly string[] | null
}

export function maySeeCampaign(
  { campaigns }: Pick<Caller, 'campaigns'>,
  campaignId: string | null | undefined,
): boolean {
  return campaigns === null || (typeof campaignId === 'string' && campaigns.includes(campaignId))
}
