// Every statement on the invitations table. Used links stay until they expire, to say that they were used.

import type { AccountId } from '../accounts/account.js'
import type { AccountRole } from '../accounts/role.js'
import type { Page } from '../kit/contract/schema.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { raw, sql } from '../kit/postgres/sql.js'
import type { InstallationRole, UserId } from './user.js'

export interface Invitation {
  id: string
  kind: 'invitation' | 'recovery'
  email: string
  /** Whose access is recovered; null: an invitation. */
  userId: UserId | null
  /** Null: the role is one for the installation. */
  accountId: AccountId | null
  /** Null: a recovery. */
  role: AccountRole | InstallationRole | null
  /** A name, for the invited person and for the list. */
  invitedBy: string
  createdAt: Date
  expiresAt: Date
  usedAt: Date | null
}

const COLUMNS = raw(`id, kind, email, user_id as "userId", account_id as "accountId", role,
  invited_by as "invitedBy", created_at as "createdAt", expires_at as "expiresAt",
  used_at as "usedAt"`)

/** A new link for the same purpose replaces the previous one. Expired ones are deleted: there are few. Returns all that it deleted. */
export async function insertInvitation(
  tx: Transaction,
  invitation: Invitation,
  secretHash: Buffer,
): Promise<Invitation[]> {
  const { id, kind, email, userId, accountId, role, invitedBy, createdAt, expiresAt } = invitation
  const replaced = await tx.query<Invitation>(sql`
    delete from invitations where expires_at <= ${createdAt}
      or (used_at is null and email = ${email} and kind = ${kind}
        and account_id is not distinct from ${accountId})
    returning ${COLUMNS}`)
  await tx.query(sql`
    insert into invitations (id, secret_hash, kind, email, user_id, account_id, role, invited_by,
      created_at, expires_at)
    values (${id}, ${secretHash}, ${kind}, ${email}, ${userId}, ${accountId}, ${role},
      ${invitedBy}, ${createdAt}, ${expiresAt})`)
  return replaced
}

/** Also used ones. Null if it is unknown or has expired. */
export async function findInvitation(
  db: Queryable,
  secretHash: Buffer,
  now: Date,
): Promise<Invitation | null> {
  const [row] = await db.query<Invitation>(sql`
    select ${COLUMNS} from invitations where secret_hash = ${secretHash} and expires_at > ${now}`)
  return row ?? null
}

/** False if someone else used it meanwhile. */
export async function markUsed(tx: Transaction, id: string, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update invitations set used_at = ${now} where id = ${id} and used_at is null returning id`)
  return rows.length > 0
}

/** Open ones of an account, or of the installation, newest first, one more than the page has. */
export async function listInvitations(
  db: Queryable,
  { accountId, now }: { accountId: AccountId | null; now: Date },
  page: Page,
): Promise<Invitation[]> {
  return db.query<Invitation>(sql`
    select ${COLUMNS} from invitations
    where kind = 'invitation' and account_id is not distinct from ${accountId}
      and used_at is null and expires_at > ${now}
      and (${page.after}::text is null or id < ${page.after})
    order by id desc limit ${page.limit + 1} offset ${page.skip}`)
}

/** Null if there is no such open invitation. */
export async function deleteInvitation(
  tx: Transaction,
  { id, accountId }: { id: string; accountId: AccountId | null },
): Promise<Invitation | null> {
  const [row] = await tx.query<Invitation>(sql`
    delete from invitations
    where id = ${id} and kind = 'invitation' and used_at is null
      and account_id is not distinct from ${accountId}
    returning ${COLUMNS}`)
  return row ?? null
}
