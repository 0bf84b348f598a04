// An account is one tenant: it owns brands, campaigns, numbers, messages, webhooks and a balance.
// A caller is an account as one access token shows it.

import type { Scope } from '../kit/contract/operation.js'

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

/** Secrets are shown to those who could replace them, and to nobody else. */
export function mayManage({ scopes }: Caller): boolean {
  return scopes.includes('manage')
}

export interface Caller {
  accountId: AccountId
  tokenId: string
  scopes: readonly Scope[]
  /** When the token ends; null: never. What it creates ends no later. */
  expiresAt: Date | null
  /** Only on the few routes that admit suspended accounts. */
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
