// Every statement on the smpp_systems table.

import type { Scope } from '../kit/contract/operation.js'
import type { Queryable } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { AccountId, AccountStatus } from './account.js'
import { findAccountStatus, listInactive } from './account-queries.js'
import type { SmppSecret, SmppSystem } from './smpp-system.js'

export async function insertSystem(
  db: Queryable,
  owner: { accountId: AccountId; tokenId: string },
  { systemId, campaignId, number, passwordSalt, passwordHash }: SmppSystem & SmppSecret,
  now: Date,
): Promise<void> {
  await db.query(sql`
    insert into smpp_systems (system_id, account_id, token_id, password_salt, password_hash,
      campaign_id, number, created_at)
    values (${systemId}, ${owner.accountId}, ${owner.tokenId}, ${passwordSalt}, ${passwordHash},
      ${campaignId}, ${number}, ${now})`)
}

export interface FoundSystem extends SmppSystem, SmppSecret {
  accountId: AccountId
  tokenId: string
  tokenHash: Buffer
  scopes: Scope[]
  accountStatus: AccountStatus
}

/** Null for one that is unknown, or whose token has expired or is revoked. */
export async function findSystem(
  db: Queryable,
  systemId: string,
  now: Date,
): Promise<FoundSystem | null> {
  const [system] = await db.query<Omit<FoundSystem, 'accountStatus'>>(sql`
    select s.system_id as "systemId", s.account_id as "accountId", s.token_id as "tokenId",
      s.campaign_id as "campaignId", s.number, s.password_salt as "passwordSalt",
      s.password_hash as "passwordHash", t.token_hash as "tokenHash", t.scopes
    from smpp_systems s
    join access_tokens t on t.account_id = s.account_id and t.id = s.token_id
    where s.system_id = ${systemId} and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > ${now})`)
  const accountStatus = system && (await findAccountStatus(db, system.accountId))
  return system && accountStatus ? { ...system, accountStatus } : null
}

/** Which of these may stay bound: their token is good still, and their account active. */
export async function listLiveSystems(
  db: Queryable,
  systemIds: readonly string[],
  now: Date,
): Promise<string[]> {
  const systems = await db.query<{ systemId: string; accountId: AccountId }>(sql`
    select s.system_id as "systemId", s.account_id as "accountId"
    from smpp_systems s
    join access_tokens t on t.account_id = s.account_id and t.id = s.token_id
    where s.system_id = any (${systemIds}::text[]) and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > ${now})`)
  const ended = new Set(
    await listInactive(
      db,
      systems.map(({ accountId }) => accountId),
    ),
  )
  return systems.filter(({ accountId }) => !ended.has(accountId)).map(({ systemId }) => systemId)
}

/** Those whose token has ended or is gone, over all accounts. */
export async function listEndedSystems(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<{ systemId: string; accountId: AccountId; tokenId: string }[]> {
  return db.query(sql`
    select s.system_id as "systemId", s.account_id as "accountId", s.token_id as "tokenId"
    from smpp_systems s
    left join access_tokens t on t.account_id = s.account_id and t.id = s.token_id
    where t.id is null or t.revoked_at is not null or t.expires_at <= ${now}
    limit ${limit}`)
}

export async function deleteSystem(db: Queryable, systemId: string): Promise<void> {
  await db.query(sql`delete from smpp_systems where system_id = ${systemId}`)
}
