// What operators do with people, over HTTP and on the command line.

import { getAccount } from '../../accounts/account-queries.js'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { ACCOUNT_ROLES } from '../../accounts/role.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import type { Page } from '../../kit/contract/schema.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import type { InviteSettings } from '../../people/invitation-email.js'
import {
  type Invite,
  invitePerson,
  type MadeInvitation,
  type MadeLink,
  makeRecovery,
} from '../../people/invite.js'
import { listMemberships } from '../../people/membership-queries.js'
import {
  INSTALLATION_ROLES,
  type InstallationRole,
  type Membership,
  type User,
} from '../../people/user.js'
import {
  deleteUser,
  findUserByEmail,
  listUsers,
  lockUser,
  updateInstallationRole,
} from '../../people/user-queries.js'
import { refuseDeleted } from '../accounts/manage-accounts.js'

export interface UserWithAccounts extends User {
  accounts: Membership[]
}

export interface UserFilter {
  search: string | null
  accountId: string | null
}

/** One more than the page has. */
export async function listUsersWithAccounts(
  db: Queryable,
  filter: UserFilter,
  page: Page,
): Promise<UserWithAccounts[]> {
  return withAccounts(db, await listUsers(db, filter, page))
}

async function withAccounts(db: Queryable, users: readonly User[]): Promise<UserWithAccounts[]> {
  const memberships = await listMemberships(
    db,
    users.map(({ id }) => id),
  )
  return users.map((user) => ({
    ...user,
    accounts: memberships
      .filter(({ userId }) => userId === user.id)
      .map(({ accountId, role }) => ({ accountId, role })),
  }))
}

interface Times {
  now: Date
  machineNow: Date
}

export async function inviteUser(
  tx: Transaction,
  actor: Actor,
  invite: Invite,
  settings: InviteSettings,
  times: Times,
): Promise<MadeInvitation> {
  const { accountId, role } = invite
  const roles: readonly string[] = accountId === null ? INSTALLATION_ROLES : ACCOUNT_ROLES
  if (!roles.includes(role)) {
    const where = accountId === null ? 'without an account' : 'in an account'
    throw fieldRefusal('role', `must be one of ${roles.join(', ')} ${where}`)
  }
  if (accountId !== null) refuseDeleted(await getAccount(tx, accountId))
  return invitePerson(tx, actor, invite, settings, times)
}

export async function changeUserRole(
  tx: Transaction,
  actor: Actor,
  { id, role }: { id: string; role: InstallationRole | null },
  now: Date,
): Promise<UserWithAccounts> {
  const user = await getLocked(tx, id)
  if (user.installationRole !== role) {
    await updateInstallationRole(tx, id, role)
    const act = { act: 'user.role', accountId: null, subject: id } as const
    const { email } = user
    const [before, after] = [
      { email, role: user.installationRole },
      { email, role },
    ]
    await recordAct(tx, actor, { ...act, before, after }, now)
  }
  const [changed] = await withAccounts(tx, [{ ...user, installationRole: role }])
  return changed!
}

export async function recoverUser(
  tx: Transaction,
  actor: Actor,
  id: string,
  settings: InviteSettings,
  times: Times,
): Promise<MadeLink> {
  return makeRecovery(tx, actor, await getLocked(tx, id), settings, times)
}

export async function removeUser(
  tx: Transaction,
  actor: Actor,
  id: string,
  now: Date,
): Promise<void> {
  const { email, name } = await getLocked(tx, id)
  await deleteUser(tx, id)
  const act = { act: 'user.delete', accountId: null, subject: id } as const
  await recordAct(tx, actor, { ...act, before: { email, name }, after: null }, now)
}

/** The command line also takes an email address. */
export async function findUserId(db: Queryable, idOrEmail: string): Promise<string> {
  if (!idOrEmail.includes('@')) return idOrEmail
  const user = await findUserByEmail(db, idOrEmail.trim().toLowerCase())
  if (!user) throw new Refusal('person_missing')
  return user.id
}

async function getLocked(tx: Transaction, id: string): Promise<User> {
  const user = await lockUser(tx, id)
  if (!user) throw new Refusal('person_missing')
  return user
}
