// What changed about a person's access while a page was open, in a sentence.

import type { GetSessionReply } from '../../generated/types.gen'
import { describeRole } from './describe-role'

type Access = Pick<GetSessionReply, 'account' | 'operator' | 'user'>

/** Null: nothing that the page must show. */
export function describeAccessChange(before: Access, now: Access): string | null {
  return describeAccount(before, now) ?? describeOperator(before, now)
}

function describeAccount(before: Access, now: Access): string | null {
  if (!before.account) return null
  const { accountId, name } = before.account
  const role = roleIn(now, accountId)
  if (role === null) return `You no longer have access to ${name}.`
  if (role !== roleIn(before, accountId)) {
    return `Your role in ${name} is now ${describeRole(role).label}.`
  }
  const other = now.account?.accountId === accountId ? null : now.account?.name
  return other ? `You switched to ${other} in another tab.` : null
}

function describeOperator({ operator: before }: Access, { operator: now }: Access): string | null {
  if (!before || before.role === now?.role) return null
  if (!now) return 'You no longer have a role for this installation.'
  return `Your role for this installation is now ${describeRole(now.role).label}.`
}

function roleIn({ user }: Access, accountId: string) {
  return user?.accounts.find((one) => one.accountId === accountId)?.role ?? null
}
