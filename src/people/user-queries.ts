// Every statement on the users table.

import type { Page } from '../kit/contract/schema.js'
import { isId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { raw, sql } from '../kit/postgres/sql.js'
import type { Credentials, InstallationRole, User, UserId } from './user.js'

const COLUMNS = raw(`u.id, u.email, u.name, u.installation_role as "installationRole",
  u.created_at as "createdAt", u.last_seen_at as "lastSeenAt"`)

const CREDENTIALS = raw(`u.id as "userId", u.password_hash as "passwordHash",
  case when u.totp_confirmed_at is not null then u.totp_secret end as "totpSecret",
  u.totp_step::int as "totpStep",
  (select count(*)::int from passkeys p where p.user_id = u.id) as passkeys`)

export async function insertUser(
  tx: Transaction,
  user: User,
  passwordHash: string | null,
): Promise<void> {
  await tx.query(sql`
    insert into users (id, email, name, installation_role, password_hash, created_at)
    values (${user.id}, ${user.email}, ${user.name}, ${user.installationRole}, ${passwordHash},
      ${user.createdAt})`)
}

export async function findUser(db: Queryable, id: string): Promise<User | null> {
  if (!isId('usr', id)) return null
  const [row] = await db.query<User>(sql`select ${COLUMNS} from users u where u.id = ${id}`)
  return row ?? null
}

/** The same, locked until the transaction ends. */
export async function lockUser(tx: Transaction, id: string): Promise<User | null> {
  if (!isId('usr', id)) return null
  const [row] = await tx.query<User>(sql`
    select ${COLUMNS} from users u where u.id = ${id} for update`)
  return row ?? null
}

export async function findUserByEmail(db: Queryable, email: string): Promise<User | null> {
  const [row] = await db.query<User>(sql`select ${COLUMNS} from users u where u.email = ${email}`)
  return row ?? null
}

export async function findUserBySubject(
  db: Queryable,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<User | null> {
  const [row] = await db.query<User>(sql`
    select ${COLUMNS} from users u where u.oidc_issuer = ${issuer} and u.oidc_subject = ${subject}`)
  return row ?? null
}

export async function linkSubject(
  tx: Transaction,
  id: UserId,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<void> {
  await tx.query(sql`
    update users set oidc_issuer = ${issuer}, oidc_subject = ${subject} where id = ${id}`)
}

export async function findCredentials(db: Queryable, email: string): Promise<Credentials | null> {
  const [row] = await db.query<Credentials>(sql`
    select ${CREDENTIALS} from users u where u.email = ${email}`)
  return row ?? null
}

export async function getCredentials(db: Queryable, id: UserId): Promise<Credentials> {
  const [row] = await db.query<Credentials>(sql`
    select ${CREDENTIALS} from users u where u.id = ${id}`)
  return row!
}

export async function updateName(tx: Transaction, id: UserId, name: string): Promise<void> {
  await tx.query(sql`update users set name = ${name} where id = ${id}`)
}

export async function updatePassword(tx: Transaction, id: UserId, hash: string): Promise<void> {
  await tx.query(sql`update users set password_hash = ${hash} where id = ${id}`)
}

export async function updateInstallationRole(
  tx: Transaction,
  id: UserId,
  role: InstallationRole | null,
): Promise<void> {
  await tx.query(sql`
    update users set installation_role = ${role}, installation_role_source = null
    where id = ${id}`)
}

/** Leaves a role that an operator gave. False if nothing changed. */
export async function updateRoleByGroups(
  tx: Transaction,
  id: UserId,
  role: InstallationRole | null,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update users set installation_role = ${role}, installation_role_source = 'oidc'
    where id = ${id} and (installation_role is null or installation_role_source = 'oidc')
      and installation_role is distinct from ${role} returning id`)
  return rows.length > 0
}

export async function recordSeen(db: Queryable, id: UserId, now: Date): Promise<void> {
  await db.query(sql`update users set last_seen_at = ${now} where id = ${id}`)
}

/** A secret that has yet to be confirmed with a code. */
export async function storeTotpSecret(
  tx: Transaction,
  id: UserId,
  secret: string | null,
): Promise<void> {
  await tx.query(sql`
    update users set totp_secret = ${secret}, totp_confirmed_at = null, totp_step = 0
    where id = ${id}`)
}

export async function findUnconfirmedTotp(db: Queryable, id: UserId): Promise<string | null> {
  const [row] = await db.query<{ secret: string | null }>(sql`
    select totp_secret as secret from users where id = ${id} and totp_confirmed_at is null`)
  return row?.secret ?? null
}

export async function confirmTotp(
  tx: Transaction,
  id: UserId,
  { step, now }: { step: number; now: Date },
): Promise<void> {
  await tx.query(sql`
    update users set totp_confirmed_at = ${now}, totp_step = ${step}
    where id = ${id} and totp_secret is not null`)
}

/** False if the code of this step, or a later one, was used already. Two requests cannot both use it. */
export async function useTotpStep(db: Queryable, id: UserId, step: number): Promise<boolean> {
  const rows = await db.query(sql`
    update users set totp_step = ${step} where id = ${id} and totp_step < ${step} returning id`)
  return rows.length > 0
}

/** Newest first, one more than the page has. */
export async function listUsers(
  db: Queryable,
  { search, accountId }: { search: string | null; accountId: string | null },
  page: Page,
): Promise<User[]> {
  return db.query<User>(sql`
    select ${COLUMNS} from users u
    where (${page.after}::text is null or u.id < ${page.after})
      and (${search}::text is null or u.id = ${search} or strpos(u.email, lower(${search})) > 0
        or strpos(lower(u.name), lower(${search})) > 0)
      and (${accountId}::text is null or exists (select 1 from memberships m
        where m.user_id = u.id and m.account_id = ${accountId}))
    order by u.id desc limit ${page.limit + 1} offset ${page.skip}`)
}

/** With everything that belongs to the user. */
export async function deleteUser(tx: Transaction, id: UserId): Promise<void> {
  await tx.query(sql`delete from user_sessions where user_id = ${id}`)
  await tx.query(sql`delete from sign_in_steps where user_id = ${id}`)
  await tx.query(sql`delete from passkeys where user_id = ${id}`)
  await tx.query(sql`delete from memberships where user_id = ${id}`)
  await tx.query(sql`delete from invitations where user_id = ${id}`)
  await tx.query(sql`delete from users where id = ${id}`)
}
