// Every statement on the memberships table. It is read from the user's side and from the account's.

import type { AccountId } from '../accounts/account.js'
import type { AccountRole } from '../accounts/role.js'
import type { Page } from '../kit/contract/schema.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { AccountPerson, Membership, UserId } from './user.js'

export type MembershipSource = 'invitation' | 'oidc'

export interface NewMembership extends Membership {
  userId: UserId
  source: MembershipSource
}

/** A second one replaces the role of the first. */
export async function putMembership(
  tx: Transaction,
  { userId, accountId, role, source }: NewMembership,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into memberships (user_id, account_id, role, source, created_at)
    values (${userId}, ${accountId}, ${role}, ${source}, ${now})
    on conflict (user_id, account_id) do update set role = excluded.role, source = excluded.source`)
}

export async function deleteMembership(
  tx: Transaction,
  userId: UserId,
  accountId: AccountId,
): Promise<void> {
  await tx.query(sql`
    delete from memberships where user_id = ${userId} and account_id = ${accountId}`)
}

/** Oldest account first. */
export async function listMemberships(
  db: Queryable,
  userIds: readonly UserId[],
): Promise<(Membership & { userId: UserId; source: MembershipSource })[]> {
  return db.query(sql`
    select user_id as "userId", account_id as "accountId", role, source from memberships
    where user_id = any (${userIds}::text[]) order by account_id`)
}

export async function findRole(
  db: Queryable,
  userId: UserId,
  accountId: AccountId,
): Promise<AccountRole | null> {
  const [row] = await db.query<{ role: AccountRole }>(sql`
    select role from memberships where user_id = ${userId} and account_id = ${accountId}`)
  return row?.role ?? null
}

/** Locked until the transaction ends: two owners cannot remove each other at once. */
export async function lockOwners(tx: Transaction, accountId: AccountId): Promise<UserId[]> {
  const rows = await tx.query<{ userId: UserId }>(sql`
    select user_id as "userId" from memberships
    where account_id = ${accountId} and role = 'owner' order by user_id for update`)
  return rows.map(({ userId }) => userId)
}

/** Newest users first, one more than the page has. */
export async function listPeople(
  db: Queryable,
  accountId: AccountId,
  page: Page,
): Promise<AccountPerson[]> {
  return db.query<AccountPerson>(sql`
    select u.id, u.email, u.name, u.installation_role as "installationRole", m.role,
      u.totp_confirmed_at is not null or exists (select 1 from passkeys p where p.user_id = u.id)
        as "hasSecondFactor",
      m.created_at as "createdAt", u.last_seen_at as "lastSeenAt"
    from memberships m join users u on u.id = m.user_id
    where m.account_id = ${accountId} and (${page.after}::text is null or m.user_id < ${page.after})
    order by m.user_id desc limit ${page.limit + 1} offset ${page.skip}`)
}

export async function findPerson(
  db: Queryable,
  accountId: AccountId,
  userId: UserId,
): Promise<AccountPerson | null> {
  const [row] = await db.query<AccountPerson>(sql`
    select u.id, u.email, u.name, u.installation_role as "installationRole", m.role,
      u.totp_confirmed_at is not null or exists (select 1 from passkeys p where p.user_id = u.id)
        as "hasSecondFactor",
      m.created_at as "createdAt", u.last_seen_at as "lastSeenAt"
    from memberships m join users u on u.id = m.user_id
    where m.account_id = ${accountId} and m.user_id = ${userId}`)
  return row ?? null
}
