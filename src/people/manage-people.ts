// Changes the roles of people in an account, and removes people. Every account that has an owner keeps one.

import type { AccountId } from '../accounts/account.js'
import type { Actor } from '../accounts/audit.js'
import { recordAct } from '../accounts/audit-queries.js'
import type { AccountRole } from '../accounts/role.js'
import { revokeCreatedBy } from '../accounts/token-queries.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Transaction } from '../kit/postgres/db.js'
import { deleteMembership, findPerson, lockOwners, putMembership } from './membership-queries.js'
import type { AccountPerson, UserId } from './user.js'

/** Whose rules apply: a person's own role, or `owner` for tokens and operators. */
export interface Manager {
  actor: Actor
  role: AccountRole
}

export interface PersonOfAccount {
  accountId: AccountId
  userId: UserId
}

/** Only owners make owners and change them. */
export function checkRank(manager: Manager, roles: readonly (string | null)[]): void {
  if (manager.role !== 'owner' && roles.includes('owner')) throw new Refusal('owner_required')
}

export async function changeRole(
  tx: Transaction,
  manager: Manager,
  { accountId, userId }: PersonOfAccount,
  role: AccountRole,
  now: Date,
): Promise<AccountPerson> {
  const owners = await lockOwners(tx, accountId)
  const person = await getPerson(tx, { accountId, userId })
  checkRank(manager, [person.role, role])
  if (person.role === role) return person
  if (person.role === 'owner') keepOwner(owners)
  await putMembership(tx, { userId, accountId, role, source: 'invitation' }, now)
  const act = { act: 'user.role', accountId, subject: userId } as const
  const { email } = person
  const [before, after] = [
    { email, role: person.role },
    { email, role },
  ]
  await recordAct(tx, manager.actor, { ...act, before, after }, now)
  return { ...person, role }
}

/** Their tokens stay, because programs use them, unless `revokesTokens`. Returns those revoked. */
export async function removePerson(
  tx: Transaction,
  manager: Manager,
  { accountId, userId, revokesTokens }: PersonOfAccount & { revokesTokens: boolean },
  now: Date,
): Promise<string[]> {
  const owners = await lockOwners(tx, accountId)
  const person = await getPerson(tx, { accountId, userId })
  checkRank(manager, [person.role])
  if (person.role === 'owner') keepOwner(owners)
  await deleteMembership(tx, userId, accountId)
  const created = { creators: [userId], kept: [] }
  const revoked = revokesTokens ? await revokeCreatedBy(tx, accountId, created, now) : []
  const act = { act: 'user.remove', accountId, subject: userId } as const
  const before = { email: person.email, role: person.role }
  const after = revoked.length > 0 ? { revokedTokens: revoked } : null
  await recordAct(tx, manager.actor, { ...act, before, after }, now)
  return revoked
}

async function getPerson(
  tx: Transaction,
  { accountId, userId }: PersonOfAccount,
): Promise<AccountPerson> {
  const person = await findPerson(tx, accountId, userId)
  if (!person) throw new Refusal('person_missing')
  return person
}

function keepOwner(owners: readonly UserId[]): void {
  if (owners.length <= 1) throw new Refusal('last_owner')
}
