// Every statement on the smpp_binds table: the current SMPP binds in all processes. A process confirms its
// binds every few seconds. Rows of a dead process soon stop counting and are deleted by others. Times are
// real time.

import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { acrossAccounts, countAcross, sql } from '../kit/postgres/sql.js'
import type { AccountId } from './account.js'

export interface SmppBind {
  accountId: AccountId
  id: string
  tokenId: string
  boundAs: string
  peer: string
}

/** A bind that was not confirmed for this long does not count. */
const STALE_MS = 15_000

function aliveSince(now: Date): Date {
  return new Date(now.getTime() - STALE_MS)
}

/** False if the account has reached its maximum. */
export async function insertBind(
  tx: Transaction,
  bind: SmppBind,
  bindsMax: number,
  now: Date,
): Promise<boolean> {
  const { accountId } = bind
  // Two concurrent binds must not both take the last place.
  await tx.query(
    sql`select pg_advisory_xact_lock(hashtextextended(${`smpp binds ${accountId}`}, 0))`,
  )
  const rows = await tx.query(sql`
    insert into smpp_binds (account_id, id, token_id, bound_as, peer, bound_at, seen_at)
    select a.account_id, ${bind.id}, ${bind.tokenId}, ${bind.boundAs}, ${bind.peer}, ${now}, ${now}
    from accounts a
    where a.account_id = ${accountId} and ${bindsMax} > (select count(*) from smpp_binds
      where account_id = ${accountId} and seen_at > ${aliveSince(now)})
    returning 1`)
  return rows.length > 0
}

/** For several accounts at once. Restores rows that another process deleted as dead. */
export async function confirmBinds(
  db: Queryable,
  binds: readonly SmppBind[],
  now: Date,
): Promise<void> {
  await db.query(sql`
    insert into smpp_binds as b (account_id, id, token_id, bound_as, peer, bound_at, seen_at)
    select account_id, id, token_id, bound_as, peer, ${now}, ${now}
    from unnest(${binds.map((b) => b.accountId)}::text[], ${binds.map((b) => b.id)}::text[],
      ${binds.map((b) => b.tokenId)}::text[], ${binds.map((b) => b.boundAs)}::text[],
      ${binds.map((b) => b.peer)}::text[]) as c (account_id, id, token_id, bound_as, peer)
    on conflict (account_id, id) do update set seen_at = excluded.seen_at`)
}

export async function isBindAlive(
  db: Queryable,
  { accountId, id }: Pick<SmppBind, 'accountId' | 'id'>,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from smpp_binds
    where account_id = ${accountId} and id = ${id} and seen_at > ${aliveSince(now)}`)
  return rows.length > 0
}

/** For monitoring. Crosses accounts, so it only reads. */
export async function countBinds(db: Queryable, now: Date): Promise<number> {
  const statement = sql`
    select count(*)::int as count from smpp_binds where seen_at > ${aliveSince(now)}`
  const [row] = await db.query<{ count: number }>(countAcross(statement))
  return row!.count
}

export async function deleteBind(
  db: Queryable,
  { accountId, id }: Pick<SmppBind, 'accountId' | 'id'>,
): Promise<void> {
  await db.query(sql`delete from smpp_binds where account_id = ${accountId} and id = ${id}`)
}

/** Accounts with binds of dead processes. A plain read across accounts. */
export async function listStaleBinds(
  db: Queryable,
  now: Date,
): Promise<Pick<SmppBind, 'accountId'>[]> {
  const statement = sql`
    select distinct account_id as "accountId" from smpp_binds where seen_at <= ${aliveSince(now)}`
  return db.query(acrossAccounts(statement))
}

export async function deleteStaleBinds(
  db: Queryable,
  accountId: AccountId,
  now: Date,
): Promise<void> {
  await db.query(sql`
    delete from smpp_binds where account_id = ${accountId} and seen_at <= ${aliveSince(now)}`)
}
