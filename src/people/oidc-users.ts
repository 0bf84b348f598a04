// The user of a person who signed in by an identity provider, and the roles that their groups give. The roles follow the
// groups at every sign-in. Roles from invitations stay.

import type { ActName, AuditAct } from '../accounts/audit.js'
import { recordAct } from '../accounts/audit-queries.js'
import { ACCOUNT_ROLES, type AccountRole } from '../accounts/role.js'
import { Refusal } from '../kit/contract/refusal.js'
import { newId } from '../kit/ids.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { OidcConfig } from '../kit/settings/oidc-config.js'
import { BadSetting } from '../kit/settings/setting-reader.js'
import {
  deleteMembership,
  listMemberships,
  lockOwners,
  putMembership,
} from './membership-queries.js'
import type { OidcPerson } from './oidc.js'
import { INSTALLATION_ROLES, type InstallationRole, type User } from './user.js'
import {
  findUserByEmail,
  findUserBySubject,
  insertUser,
  linkSubject,
  updateRoleByGroups,
} from './user-queries.js'

export interface GroupRoles {
  installation: InstallationRole | null
  accounts: Map<string, AccountRole>
}

/** Refuses a setting with an unknown role, when the service starts. */
export function checkGroupRoles({ groups }: OidcConfig): void {
  for (const { group, accountId, role } of groups) {
    const roles: readonly string[] = accountId === null ? INSTALLATION_ROLES : ACCOUNT_ROLES
    if (roles.includes(role)) continue
    throw new BadSetting(
      `LONGCODE_OIDC_ROLES gives the group ${group} the role "${role}". Use one of ${roles.join(', ')}.`,
    )
  }
}

/** With several groups, the first role in the order of the lists applies: owner before admin. */
export function rolesOfGroups(config: OidcConfig, groups: readonly string[]): GroupRoles {
  const given = config.groups.filter(({ group }) => groups.includes(group))
  const installation = INSTALLATION_ROLES.find((role) =>
    given.some((one) => one.accountId === null && one.role === role),
  )
  const accounts = new Map<string, AccountRole>()
  for (const role of ACCOUNT_ROLES.toReversed()) {
    for (const one of given) {
      if (one.accountId !== null && one.role === role) accounts.set(one.accountId, role)
    }
  }
  return { installation: installation ?? null, accounts }
}

/** When and from where the person signed in, for the audit log. */
export interface OidcSource {
  now: Date
  origin: string
  requestId: string
}

interface Admission extends OidcSource {
  tx: Transaction
  user: User
}

/** The user, created or linked if necessary, with current roles. Refuses someone whose groups give none. */
export async function admitOidcPerson(
  tx: Transaction,
  config: OidcConfig,
  person: OidcPerson,
  source: OidcSource,
): Promise<User> {
  const roles = rolesOfGroups(config, person.groups)
  const existing = await findExisting(tx, person, source)
  const hasRole = roles.installation !== null || roles.accounts.size > 0
  if (!existing && !hasRole) throw new Refusal('oidc_role_absent')
  const user = existing ?? (await createUser(tx, person, source.now))
  const admission = { ...source, tx, user }
  if (await updateRoleByGroups(tx, user.id, roles.installation)) {
    await recordRole(admission, null, { before: user.installationRole, after: roles.installation })
  }
  await followGroups(admission, roles.accounts)
  return user
}

async function findExisting(
  tx: Transaction,
  person: OidcPerson,
  source: OidcSource,
): Promise<User | null> {
  const linked = await findUserBySubject(tx, person)
  if (linked) return linked
  const sameEmail = await findUserByEmail(tx, person.email)
  if (!sameEmail) return null
  // Anyone could claim the address of someone else at a provider that does not check it.
  if (!person.isEmailVerified) throw new Refusal('oidc_refused')
  await linkSubject(tx, sameEmail.id, person)
  const { issuer, subject } = person
  const change = { before: null, after: { issuer, subject } }
  await record({ ...source, tx, user: sameEmail }, { act: 'user.link', accountId: null, ...change })
  return sameEmail
}

async function createUser(tx: Transaction, person: OidcPerson, now: Date): Promise<User> {
  const { email, name } = person
  const user = { id: newId('usr', now), email, name, installationRole: null, createdAt: now }
  await insertUser(tx, { ...user, lastSeenAt: null }, null)
  await linkSubject(tx, user.id, person)
  return { ...user, lastSeenAt: null }
}

async function followGroups(
  admission: Admission,
  roles: ReadonlyMap<string, AccountRole>,
): Promise<void> {
  const { tx, user, now } = admission
  const userId = user.id
  const current = await listMemberships(tx, [userId])
  for (const [accountId, role] of roles) {
    const membership = current.find((one) => one.accountId === accountId)
    if (membership?.source === 'invitation') continue
    if (membership?.role === role) continue
    if (membership && (await isLastOwner(tx, accountId, userId))) continue
    await putMembership(tx, { userId, accountId, role, source: 'oidc' }, now)
    await recordRole(admission, accountId, { before: membership?.role ?? null, after: role })
  }
  const lost = current.filter(({ source, accountId }) => source === 'oidc' && !roles.has(accountId))
  for (const { accountId, role } of lost) {
    if (await isLastOwner(tx, accountId, userId)) continue
    await deleteMembership(tx, userId, accountId)
    await recordRole(admission, accountId, { before: role, after: null })
  }
}

/** Named like the same changes by a person: a first role is a join, and the loss of a role in an account is a removal. */
async function recordRole(
  admission: Admission,
  accountId: string | null,
  { before, after }: { before: string | null; after: string | null },
): Promise<void> {
  const { email } = admission.user
  const act = roleAct(accountId, { before, after })
  await record(admission, {
    act,
    accountId,
    before: before === null ? null : { email, role: before },
    after: { email, role: after, by: 'groups' },
  })
}

function roleAct(
  accountId: string | null,
  { before, after }: { before: string | null; after: string | null },
): ActName {
  if (before === null) return 'user.join'
  return after === null && accountId !== null ? 'user.remove' : 'user.role'
}

async function record(
  { tx, user, now, origin, requestId }: Admission,
  act: Omit<AuditAct, 'subject'>,
): Promise<void> {
  const actor = { kind: 'customer', id: user.id, name: user.name, origin, requestId } as const
  await recordAct(tx, actor, { ...act, subject: user.id }, now)
}

/** An account keeps its last owner, whatever the groups say. */
async function isLastOwner(tx: Transaction, accountId: string, userId: string): Promise<boolean> {
  const owners = await lockOwners(tx, accountId)
  return owners.length === 1 && owners[0] === userId
}
