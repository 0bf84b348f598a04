// Users as JSON, for operators.

import type { UserWithAccounts } from './manage-users.js'

export function wireUser(user: UserWithAccounts) {
  const { id, name, email, installationRole: role, accounts, createdAt, lastSeenAt } = user
  return {
    id,
    name,
    email,
    role,
    accounts,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
  }
}
