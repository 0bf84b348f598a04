// What people may do in an account, by role. Tokens have scopes. A person has a role, and this table says what it allows.
// docs/people.md shows it, and test/api/role-matrix.snapshot.txt lists every operation.

import type { Scope } from '../kit/contract/operation.js'

export const ACCOUNT_ROLES = [
  'owner',
  'admin',
  'developer',
  'agent',
  'billing',
  'read-only',
] as const
export type AccountRole = (typeof ACCOUNT_ROLES)[number]

interface RoleAccess {
  scopes: readonly Scope[]
  /** Operations it may use in addition to those of its scopes. */
  operations?: readonly string[]
}

const ROLE_ACCESS: Readonly<Record<AccountRole, RoleAccess>> = {
  owner: { scopes: ['read', 'send', 'manage', 'billing'] },
  admin: { scopes: ['read', 'send', 'manage', 'billing'] },
  developer: { scopes: ['read', 'send', 'manage'] },
  agent: { scopes: ['read', 'send'] },
  // `read` would show all messages, which invoices do not need. Campaigns and numbers renew, so the forecast needs them.
  billing: {
    scopes: ['billing'],
    operations: ['getAccount', 'getPrices', 'getQuotas', 'listCampaigns', 'listNumbers'],
  },
  'read-only': { scopes: ['read'] },
}

/** Roles that invite people, change their roles, and remove them. Only owners do so for owners. */
const MANAGES_PEOPLE: readonly AccountRole[] = ['owner', 'admin']

export function scopesOfRole(role: AccountRole): readonly Scope[] {
  return ROLE_ACCESS[role].scopes
}

export function mayUseOperation(
  role: AccountRole,
  operationId: string | undefined,
  scope: Scope,
): boolean {
  const { scopes, operations = [] } = ROLE_ACCESS[role]
  return scopes.includes(scope) || (operationId !== undefined && operations.includes(operationId))
}

export function managesPeople(role: AccountRole): boolean {
  return MANAGES_PEOPLE.includes(role)
}
