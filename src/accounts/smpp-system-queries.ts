// Every statement on the smpp_systems table.

import type { Scope } from '../kit/contract/operation.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import { acrossAccounts, raw, sql } from '../kit/postgres/sql.js'
import type { AccountId, AccountStatus } from './account.js'
import { NO_LIMITS, type OperatedSystem, type SmppLimits } from './smpp-limits.js'
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
  limits: SmppLimits
  allowedAddresses: string[] | null
}

const LIMITS = raw(`smpp_per_second as "submitsPerSecond", smpp_binds as binds,
  smpp_window as "window"`)

/** The account's limits; null if it has none and the server's apply. */
export async function findSmppLimits(db: Queryable, accountId: AccountId): Promise<SmppLimits> {
  const [row] = await db.query<SmppLimits>(sql`
    select ${LIMITS} from accounts where account_id = ${accountId}`)
  return row ?? NO_LIMITS
}

/** The caller holds the lock of the account. */
export async function updateSmppLimits(
  db: Queryable,
  accountId: AccountId,
  { submitsPerSecond, binds, window }: SmppLimits,
): Promise<void> {
  await db.query(sql`
    update accounts set smpp_per_second = ${submitsPerSecond}, smpp_binds = ${binds},
      smpp_window = ${window}
    where account_id = ${accountId}`)
}

const OPERATED = raw(`system_id as "systemId", account_id as "accountId", token_id as "tokenId",
  allowed_addresses as "allowedAddresses"`)

/** Newest first, at most a thousand. */
export async function listOperatedSystems(
  db: Queryable,
  accountId: AccountId,
): Promise<OperatedSystem[]> {
  return db.query<OperatedSystem>(sql`
    select ${OPERATED} from smpp_systems where account_id = ${accountId}
    order by created_at desc, system_id limit 1000`)
}

export async function getOperatedSystem(db: Queryable, systemId: string): Promise<OperatedSystem> {
  const [row] = await db.query<OperatedSystem>(sql`
    select ${OPERATED} from smpp_systems where system_id = ${systemId}`)
  if (!row) throw new Refusal('smpp_system_missing')
  return row
}

export async function updateAllowedAddresses(
  db: Queryable,
  systemId: string,
  addresses: readonly string[] | null,
): Promise<void> {
  await db.query(sql`
    update smpp_systems set allowed_addresses = ${addresses} where system_id = ${systemId}`)
}

type SmppAccount = SmppLimits & { accountId: AccountId; status: AccountStatus }

/** A plain read across accounts. Accounts on a worker that is down are left out. */
async function listSmppAccounts(
  db: Queryable,
  accountIds: readonly AccountId[],
): Promise<Map<AccountId, SmppAccount>> {
  const statement = sql`
    select account_id as "accountId", status, ${LIMITS} from accounts
    where account_id = any (${accountIds}::text[])`
  const rows = await db.query<SmppAccount>(acrossAccounts(statement))
  return new Map(rows.map((row) => [row.accountId, row]))
}

/** Null if it is unknown, or its token has expired or was revoked. */
export async function findSystem(
  db: Queryable,
  systemId: string,
  now: Date,
): Promise<FoundSystem | null> {
  const [system] = await db.query<Omit<FoundSystem, 'accountStatus' | 'limits'>>(sql`
    select s.system_id as "systemId", s.account_id as "accountId", s.token_id as "tokenId",
      s.campaign_id as "campaignId", s.number, s.password_salt as "passwordSalt",
      s.password_hash as "passwordHash", s.allowed_addresses as "allowedAddresses",
      t.token_hash as "tokenHash", t.scopes
    from smpp_systems s
    join access_tokens t on t.account_id = s.account_id and t.id = s.token_id
    where s.system_id = ${systemId} and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > ${now})`)
  if (!system) return null
  const [account] = await db.query<SmppLimits & { status: AccountStatus }>(sql`
    select status, ${LIMITS} from accounts where account_id = ${system.accountId}`)
  if (!account) return null
  const { status, ...limits } = account
  return { ...system, accountStatus: status, limits }
}

export interface LiveSystem {
  allowedAddresses: string[] | null
  /** Null: its account cannot be reached, and the last known state applies. */
  limits: SmppLimits | null
}

/**
 * Which of these may stay bound, and with which limits: their token is still valid, and their account is
 * active.
 */
export async function listLiveSystems(
  db: Queryable,
  systemIds: readonly string[],
  now: Date,
): Promise<Map<string, LiveSystem>> {
  const systems = await db.query<
    Pick<OperatedSystem, 'systemId' | 'accountId' | 'allowedAddresses'>
  >(sql`
    select s.system_id as "systemId", s.account_id as "accountId",
      s.allowed_addresses as "allowedAddresses"
    from smpp_systems s
    join access_tokens t on t.account_id = s.account_id and t.id = s.token_id
    where s.system_id = any (${systemIds}::text[]) and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > ${now})`)
  const ids = systems.map(({ accountId }) => accountId)
  const accounts = await listSmppAccounts(db, ids)
  const live = new Map<string, LiveSystem>()
  for (const { systemId, accountId, allowedAddresses } of systems) {
    const account = accounts.get(accountId)
    if (account && account.status !== 'ACTIVE') continue
    const { submitsPerSecond, binds, window } = account ?? NO_LIMITS
    const limits = account ? { submitsPerSecond, binds, window } : null
    live.set(systemId, { allowedAddresses, limits })
  }
  return live
}

/** Those whose token expired or was deleted, in all accounts. */
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
