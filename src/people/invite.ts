// One-time links: an invitation gives a person a role, and a recovery lets one sign in again. Links are random, stored as
// a hash, and work once. Nothing changes until the person has chosen a password.

import { randomBytes } from 'node:crypto'
import type { AccountId } from '../accounts/account.js'
import type { Actor } from '../accounts/audit.js'
import { recordAct } from '../accounts/audit-queries.js'
import type { AccountRole } from '../accounts/role.js'
import { hashToken } from '../accounts/token.js'
import { DAY_MS } from '../kit/clock.js'
import { Refusal } from '../kit/contract/refusal.js'
import { newId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import {
  cancelInvitationEmail,
  emailInvitation,
  type InviteSettings,
  type LinkWithCode,
  linkUrl,
} from './invitation-email.js'
import {
  deleteInvitation,
  findInvitation,
  type Invitation,
  insertInvitation,
  markUsed,
} from './invitation-queries.js'
import { lockOwners, putMembership } from './membership-queries.js'
import { deletePasskeys } from './passkey-queries.js'
import type { InstallationRole, User, UserId } from './user.js'
import {
  findUserByEmail,
  insertUser,
  lockUser,
  storeTotpSecret,
  updateInstallationRole,
  updatePassword,
} from './user-queries.js'
import { deleteOtherSessions } from './user-session-queries.js'

const INVITATION_MS = 7 * DAY_MS
const RECOVERY_MS = DAY_MS
export const LINK_LENGTH_MAX = 100

export interface Invite {
  email: string
  /** Null: a role for the installation. */
  accountId: AccountId | null
  role: AccountRole | InstallationRole
}

/** Real time, like sessions: moving the test clock must not end a link. The record has the service's time. */
interface Times {
  now: Date
  machineNow: Date
}

export interface MadeLink {
  invitation: Invitation
  /** Only this result and an email in the queue have it. */
  url: string
}

export interface MadeInvitation extends MadeLink {
  emailed: boolean
}

export async function invitePerson(
  tx: Transaction,
  actor: Actor,
  { email, accountId, role }: Invite,
  settings: InviteSettings,
  times: Times,
): Promise<MadeInvitation> {
  const made = makeLink({ kind: 'invitation', email, userId: null, accountId, role }, actor, times)
  const { invitation, code } = made
  const replaced = await insertInvitation(tx, invitation, hashToken(code))
  for (const one of replaced) await cancelInvitationEmail(tx, one)
  const act = { act: 'user.invite', accountId, subject: invitation.id } as const
  await recordAct(tx, actor, { ...act, before: null, after: { email, role } }, times.now)
  const emailed = await emailInvitation(tx, actor, made, settings, times.machineNow)
  return { invitation, url: linkUrl(settings.publicUrl, code), emailed }
}

/** For a person who lost a password or a second factor. An operator hands the link over. */
export async function makeRecovery(
  tx: Transaction,
  actor: Actor,
  { id: userId, email }: User,
  { publicUrl }: InviteSettings,
  times: Times,
): Promise<MadeLink> {
  const link = { kind: 'recovery', email, userId, accountId: null, role: null } as const
  const made = makeLink(link, actor, times)
  await insertInvitation(tx, made.invitation, hashToken(made.code))
  const act = { act: 'user.recover', accountId: null, subject: userId } as const
  await recordAct(tx, actor, { ...act, before: null, after: { email } }, times.now)
  return { invitation: made.invitation, url: linkUrl(publicUrl, made.code) }
}

function makeLink(
  link: Pick<Invitation, 'kind' | 'email' | 'userId' | 'accountId' | 'role'>,
  actor: Actor,
  { machineNow }: Times,
): LinkWithCode {
  const lastsMs = link.kind === 'recovery' ? RECOVERY_MS : INVITATION_MS
  return {
    code: `lci_${randomBytes(32).toString('base64url')}`,
    invitation: {
      id: newId('inv', machineNow),
      ...link,
      invitedBy: actor.name,
      createdAt: machineNow,
      expiresAt: new Date(machineNow.getTime() + lastsMs),
      usedAt: null,
    },
  }
}

/** Refuses a link that is unknown, expired, withdrawn, or used, and says which. */
export async function getInvitation(
  db: Queryable,
  code: string,
  machineNow: Date,
): Promise<Invitation> {
  const invitation = await findInvitation(db, hashToken(code), machineNow)
  if (!invitation) throw new Refusal('invitation_missing')
  if (invitation.usedAt) throw new Refusal('invitation_used')
  return invitation
}

export async function withdrawInvitation(
  tx: Transaction,
  actor: Actor,
  { id, accountId }: { id: string; accountId: AccountId | null },
  now: Date,
): Promise<void> {
  const invitation = await deleteInvitation(tx, { id, accountId })
  if (!invitation) throw new Refusal('invitation_missing')
  await cancelInvitationEmail(tx, invitation)
  const { email, role } = invitation
  const act = { act: 'user.withdraw', accountId, subject: id } as const
  await recordAct(tx, actor, { ...act, before: { email, role }, after: null }, now)
}

export interface InvitationAcceptance {
  /** The person of the current session; null: none. */
  signedInAs: UserId | null
  /** Absent for a person who has a user already. */
  name: string | null
  passwordHash: string | null
  origin: string
  requestId: string
}

/** Creates the user if there is none with this email, and gives the role. */
export async function acceptInvitation(
  tx: Transaction,
  invitation: Invitation,
  acceptance: InvitationAcceptance,
  { now, machineNow }: Times,
): Promise<UserId> {
  if (!(await markUsed(tx, invitation.id, machineNow))) throw new Refusal('invitation_used')
  await cancelInvitationEmail(tx, invitation)
  const existing = await findUserByEmail(tx, invitation.email)
  if (existing && existing.id !== acceptance.signedInAs) throw new Refusal('sign_in_first')
  const user = existing ?? (await createUser(tx, invitation.email, acceptance, now))
  await giveRole(tx, user.id, invitation, now)
  const { accountId, role } = invitation
  const act = { act: 'user.join', accountId, subject: user.id } as const
  const after = { email: user.email, role, invitedBy: invitation.invitedBy }
  await recordAct(tx, actorFor(user, acceptance), { ...act, before: null, after }, now)
  return user.id
}

async function createUser(
  tx: Transaction,
  email: string,
  { name, passwordHash }: InvitationAcceptance,
  now: Date,
): Promise<User> {
  const user: User = {
    id: newId('usr', now),
    email,
    name: name!,
    installationRole: null,
    createdAt: now,
    lastSeenAt: null,
  }
  await insertUser(tx, user, passwordHash)
  return user
}

async function giveRole(
  tx: Transaction,
  userId: UserId,
  { accountId, role }: Invitation,
  now: Date,
): Promise<void> {
  if (accountId === null) {
    await updateInstallationRole(tx, userId, role as InstallationRole)
    return
  }
  // An invitation must not take the role of the last owner.
  const owners = await lockOwners(tx, accountId)
  if (role !== 'owner' && owners.length === 1 && owners[0] === userId) {
    throw new Refusal('last_owner')
  }
  const membership = { userId, accountId, role: role as AccountRole }
  await putMembership(tx, { ...membership, source: 'invitation' }, now)
}

/** A new password, no second factors, and no sessions: whatever was lost or stolen stops working. */
export async function acceptRecovery(
  tx: Transaction,
  invitation: Invitation,
  acceptance: InvitationAcceptance,
  { now, machineNow }: Times,
): Promise<UserId> {
  if (!(await markUsed(tx, invitation.id, machineNow))) throw new Refusal('invitation_used')
  const user = await lockUser(tx, invitation.userId!)
  if (!user) throw new Refusal('invitation_missing')
  await updatePassword(tx, user.id, acceptance.passwordHash!)
  await storeTotpSecret(tx, user.id, null)
  await deletePasskeys(tx, user.id)
  await deleteOtherSessions(tx, user.id, null)
  const act = { act: 'user.recovered', accountId: null, subject: user.id } as const
  const entry = { ...act, before: null, after: { email: user.email } }
  await recordAct(tx, actorFor(user, acceptance), entry, now)
  return user.id
}

function actorFor(user: User, { origin, requestId }: InvitationAcceptance): Actor {
  return { kind: 'customer', id: user.id, name: user.name, origin, requestId }
}
