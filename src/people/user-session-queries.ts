// Every statement on the user_sessions table.

import type { AccountId } from '../accounts/account.js'
import type { AccountRole } from '../accounts/role.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { InstallationRole, UserId } from './user.js'

export interface UserSession {
  id: string
  userId: UserId
  /** The account that the session shows. */
  accountId: AccountId | null
  /** Signed in with more than a password. */
  isStrong: boolean
  address: string
  userAgent: string
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date
}

/** A session with its person, and their role in its account at this moment. */
export interface SignedInUser {
  sessionId: string
  userId: UserId
  name: string
  email: string
  installationRole: InstallationRole | null
  accountId: AccountId | null
  role: AccountRole | null
  isStrong: boolean
  hasSecondFactor: boolean
  lastUsedAt: Date
  createdAt: Date
}

/** Ended sessions are deleted when a new one starts: there are few. */
export async function insertUserSession(
  tx: Transaction,
  session: UserSession,
  secretHash: Buffer,
): Promise<void> {
  const { createdAt } = session
  await tx.query(sql`delete from user_sessions where expires_at <= ${createdAt}`)
  await tx.query(sql`
    insert into user_sessions (secret_hash, id, user_id, account_id, is_strong, address,
      user_agent, created_at, expires_at, last_used_at)
    values (${secretHash}, ${session.id}, ${session.userId}, ${session.accountId},
      ${session.isStrong}, ${session.address}, ${session.userAgent}, ${createdAt},
      ${session.expiresAt}, ${session.lastUsedAt})`)
}

/** Null if the session has ended. */
export async function findSignedIn(
  db: Queryable,
  secretHash: Buffer,
  now: Date,
): Promise<SignedInUser | null> {
  const [row] = await db.query<SignedInUser>(sql`
    select s.id as "sessionId", s.user_id as "userId", u.name, u.email,
      u.installation_role as "installationRole", s.account_id as "accountId", m.role,
      s.is_strong as "isStrong", s.last_used_at as "lastUsedAt", s.created_at as "createdAt",
      u.totp_confirmed_at is not null or exists (select 1 from passkeys p where p.user_id = u.id)
        as "hasSecondFactor"
    from user_sessions s
    join users u on u.id = s.user_id
    left join memberships m on m.user_id = s.user_id and m.account_id = s.account_id
    where s.secret_hash = ${secretHash} and s.expires_at > ${now}`)
  return row ?? null
}

/** Which of these sessions still have a role in their account, with that account. */
export async function listLiveSessions(
  db: Queryable,
  secretHashes: readonly Buffer[],
  now: Date,
): Promise<{ secretHash: Buffer; accountId: AccountId; role: AccountRole; isStrong: boolean }[]> {
  return db.query(sql`
    select s.secret_hash as "secretHash", m.account_id as "accountId", m.role,
      s.is_strong as "isStrong"
    from user_sessions s
    join memberships m on m.user_id = s.user_id and m.account_id = s.account_id
    where s.secret_hash = any (${secretHashes}::bytea[]) and s.expires_at > ${now}`)
}

export async function recordSessionUse(db: Queryable, id: string, now: Date): Promise<void> {
  await db.query(sql`update user_sessions set last_used_at = ${now} where id = ${id}`)
}

/** Newest first. A person has few. */
export async function listSessions(
  db: Queryable,
  userId: UserId,
  now: Date,
): Promise<UserSession[]> {
  return db.query<UserSession>(sql`
    select id, user_id as "userId", account_id as "accountId", is_strong as "isStrong", address,
      user_agent as "userAgent", created_at as "createdAt", expires_at as "expiresAt",
      last_used_at as "lastUsedAt"
    from user_sessions where user_id = ${userId} and expires_at > ${now}
    order by id desc limit 100`)
}

export async function switchSessionAccount(
  db: Queryable,
  id: string,
  accountId: AccountId,
): Promise<void> {
  await db.query(sql`update user_sessions set account_id = ${accountId} where id = ${id}`)
}

export async function strengthenSession(tx: Transaction, id: string): Promise<void> {
  await tx.query(sql`update user_sessions set is_strong = true where id = ${id}`)
}

export async function deleteSessionByHash(db: Queryable, secretHash: Buffer): Promise<void> {
  await db.query(sql`delete from user_sessions where secret_hash = ${secretHash}`)
}

/** False if the user has no such session. */
export async function deleteSessionById(
  db: Queryable,
  userId: UserId,
  id: string,
): Promise<boolean> {
  const rows = await db.query(sql`
    delete from user_sessions where user_id = ${userId} and id = ${id} returning id`)
  return rows.length > 0
}

/** All sessions of the user, except one. Returns how many there were. */
export async function deleteOtherSessions(
  db: Queryable,
  userId: UserId,
  keptId: string | null,
): Promise<number> {
  const rows = await db.query(sql`
    delete from user_sessions
    where user_id = ${userId} and (${keptId}::text is null or id <> ${keptId}) returning id`)
  return rows.length
}
