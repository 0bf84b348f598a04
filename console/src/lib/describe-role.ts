// Roles in words.

import type { ShowInvitationReply } from '../../generated/types.gen'

export type AnyRole = NonNullable<ShowInvitationReply['role']>
export type PersonRole = Exclude<AnyRole, 'operator' | 'reviewer' | 'support' | 'finance'>

const ROLES: Record<AnyRole, { label: string; help: string }> = {
  owner: { label: 'Owner', help: 'Everything, including billing and all people.' },
  admin: { label: 'Admin', help: 'Everything, and people except owners.' },
  developer: {
    label: 'Developer',
    help: 'Send, and manage brands, campaigns, numbers, webhooks, and tokens.',
  },
  agent: { label: 'Agent', help: 'Read conversations and send messages.' },
  billing: { label: 'Billing', help: 'Balance, usage, and statements. No messages.' },
  'read-only': { label: 'Read-only', help: 'See everything except billing. Change nothing.' },
  operator: { label: 'Operator', help: 'Everything on the operator pages.' },
  reviewer: { label: 'Reviewer', help: 'Review brands and campaigns.' },
  support: { label: 'Support', help: 'Look up accounts, calls, and carriers.' },
  finance: { label: 'Finance', help: 'Balances and prices.' },
}

export const ACCOUNT_ROLES: readonly PersonRole[] = [
  'owner',
  'admin',
  'developer',
  'agent',
  'billing',
  'read-only',
]

export const INSTALLATION_ROLES: readonly Exclude<AnyRole, PersonRole>[] = [
  'operator',
  'reviewer',
  'support',
  'finance',
]

const NO_ROLE = { label: 'No role', help: 'No access to the operator pages.' }

export function describeRole(role: AnyRole | null): { label: string; help: string } {
  return role === null ? NO_ROLE : ROLES[role]
}
