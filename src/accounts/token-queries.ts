// Every statement on the access_tokens table.

import type { Scope } from '../kit/contract/operation.js'
import type { Page } from '../kit/contract/schema.js'
import type { Queryable } from '../kit/postgres/db.js'
import { raw, sql } from '../kit/postgres/sql.js'
import type { AccountId, AccountStatus } from './account.js'
import { findAccountStatus } from './account-queries.js'
import type { Token } from './token.js'

/** A token that binds by SMPP for one campaign is restricted to it everywhere. */
const CAMPAIGNS =
  'coalesce(t.campaigns, case when s.campaign_id is not null then array[s.campaign_id] end)'

const COLUMNS =
  raw(`t.id, t.account_id as "accountId", t.name, t.scopes, ${CAMPAIGNS} as campaigns, t.created_by as "createdBy", t.created_at as "createdAt",
  t.expires_at as "expiresAt", t.last_used_at as "lastUsedAt", case when s.system_id is not null then
    jsonb_build_object('systemId', s.system_id, 'campaignId', s.campaign_id, 'number', s.number,
      'bound', coalesce(b.bound, 0)) end as smpp`)

export interface LiveToken {
  id: string
  accountId: AccountId
  scopes: Scope[]
  expiresAt: Date | null
  campaigns: string[] | null
  accountStatus: AccountStatus
}

export async function insertToken(db: Queryable, token: Token, hash: Buffer): Promise<void> {
  await db.query(sql`
    insert into access_tokens (token_hash, account_id, id, name, scopes, campaigns, created_by,
      created_at, expires_at)
    values (${hash}, ${token.accountId}, ${token.id}, ${token.name}, ${token.scopes},
      ${token.campaigns}, ${token.createdBy}, ${token.createdAt}, ${token.expiresAt})`)
}

/**
 * Null if a token is unknown, expired, or revoked. Two statements: on a cluster, the second one uses only
 * that account's worker, so another worker that is down affects no one else.
 */
export async function findLiveToken(
  db: Queryable,
  hash: Buffer,
  now: Date,
): Promise<LiveToken | null> {
  const [token] = await db.query<Omit<LiveToken, 'accountStatus'>>(sql`
    select t.id, t.account_id as "accountId", t.scopes, t.expires_at as "expiresAt",
      ${raw(CAMPAIGNS)} as campaigns
    from access_tokens t
    left join smpp_systems s on s.account_id = t.account_id and s.token_id = t.id
    where t.token_hash = ${hash} and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > ${now})`)
  const accountStatus = token && (await findAccountStatus(db, token.accountId))
  return token && accountStatus ? { ...token, accountStatus } : null
}

export async function listTokens(
  db: Queryable,
  accountId: AccountId,
  page: Page,
): Promise<Token[]> {
  return db.query<Token>(sql`
    select ${COLUMNS} from access_tokens t
    left join smpp_systems s on s.account_id = ${accountId} and s.token_id = t.id
    left join (select token_id, count(*)::int as bound from smpp_binds
      where account_id = ${accountId} group by token_id) b on b.token_id = t.id
    where t.account_id = ${accountId} and t.revoked_at is null
      and (${page.after}::text is null or t.id < ${page.after})
    order by t.id desc limit ${page.limit + 1} offset ${page.skip}`)
}

export async function revokeToken(
  db: Queryable,
  accountId: AccountId,
  id: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update access_tokens set revoked_at = ${now}
    where account_id = ${accountId} and id = ${id} and revoked_at is null
    returning id`)
  return rows.length > 0
}

/** The account's tokens that are valid or expired but not revoked, by ID or name. */
export async function listTokensNamed(
  db: Queryable,
  accountId: AccountId,
  texts: readonly string[],
): Promise<{ id: string; name: string | null }[]> {
  return db.query(sql`
    select id, name from access_tokens
    where account_id = ${accountId} and revoked_at is null
      and (id = any (${texts}::text[]) or name = any (${texts}::text[]))`)
}

/** Revokes the tokens these tokens created, except those to keep. One level. Returns the revoked IDs. */
export async function revokeCreatedBy(
  db: Queryable,
  accountId: AccountId,
  { creators, kept }: { creators: readonly string[]; kept: readonly string[] },
  now: Date,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    update access_tokens set revoked_at = ${now}
    where account_id = ${accountId} and created_by = any (${creators}::text[])
      and revoked_at is null and not (id = any (${kept}::text[]))
    returning id`)
  return rows.map(({ id }) => id)
}

/** Which of these hashes still belong to a valid token, and whose it is. */
export async function listLiveHashes(
  db: Queryable,
  hashes: readonly Buffer[],
  now: Date,
): Promise<{ hash: Buffer; accountId: AccountId }[]> {
  return db.query(sql`
    select token_hash as hash, account_id as "accountId" from access_tokens
    where token_hash = any (${hashes}::bytea[]) and revoked_at is null
      and (expires_at is null or expires_at > ${now})`)
}

export async function recordTokenUse(
  db: Queryable,
  { accountId, id }: { accountId: AccountId; id: string },
  now: Date,
): Promise<void> {
  await db.query(sql`
    update access_tokens set last_used_at = ${now} where account_id = ${accountId} and id = ${id}`)
}
