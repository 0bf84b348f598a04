// Every statement on the forwarding tables: the latest change of each number, for the nodes that answer calls, and
// how often an account may set a target. Each is a separate statement, in the transaction of its change.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

export interface ForwardingChange {
  /** E.164 */
  phoneNumber: string
  forwardNumber: string | null
  /** False: released. */
  isHeld: boolean
}

/** For every node to follow. Always written, because a change that undoes another is a change. */
export async function recordForwardings(
  tx: Transaction,
  changes: readonly ForwardingChange[],
): Promise<void> {
  await tx.query(sql`
    insert into forwarding_changes (phone_number, forward_number, is_held, changed_in)
    select phone_number, forward_number, is_held, pg_current_xact_id()
    from unnest(${changes.map((c) => c.phoneNumber)}::text[],
      ${changes.map((c) => c.forwardNumber)}::text[], ${changes.map((c) => c.isHeld)}::boolean[])
      as changed (phone_number, forward_number, is_held)
    order by phone_number
    on conflict (phone_number) do update set forward_number = excluded.forward_number,
      is_held = excluded.is_held, changed_in = excluded.changed_in`)
}

/** The target set for a number, whether its account is suspended or not. Undefined: no account owns the number. */
export async function findForwardingTarget(
  db: Queryable,
  phoneNumber: string,
): Promise<string | null | undefined> {
  const [row] = await db.query<{ forwardNumber: string | null }>(sql`
    select forward_number as "forwardNumber" from numbers where phone_number = ${phoneNumber}`)
  return row?.forwardNumber
}

/** The same, and whether the account that owns the number is suspended. */
export async function findForwarding(
  db: Queryable,
  phoneNumber: string,
): Promise<{ forwardNumber: string | null; isStopped: boolean } | undefined> {
  const [row] = await db.query<{ forwardNumber: string | null; isStopped: boolean }>(sql`
    select forward_number as "forwardNumber", exists (select from forwarding_stops s
      where s.account_id = n.account_id and s.is_stopped) as "isStopped"
    from numbers n where phone_number = ${phoneNumber}`)
  return row
}

/** Until the end of the transaction, no other one sets a target, because two at once could close a loop. */
export async function lockForwardings(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('forwardings', 0))`)
}

/** In the transaction that suspends or resumes the account. */
export async function recordForwardingStop(
  tx: Transaction,
  accountId: AccountId,
  isStopped: boolean,
): Promise<void> {
  await tx.query(sql`
    insert into forwarding_stops (account_id, is_stopped, changed_in)
    values (${accountId}, ${isStopped}, pg_current_xact_id())
    on conflict (account_id) do update set is_stopped = excluded.is_stopped,
      changed_in = excluded.changed_in`)
}

export interface ForwardingStop {
  accountId: AccountId
  isStopped: boolean
}

/** A page of the accounts that are or were stopped, whose row was written by a transaction from `since` on. */
export async function listForwardingStops(
  db: Queryable,
  since: bigint,
  after: AccountId,
  limit: number,
): Promise<ForwardingStop[]> {
  return db.query(sql`
    select account_id as "accountId", is_stopped as "isStopped" from forwarding_stops
    where changed_in >= ${String(since)}::xid8 and account_id > ${after}
    order by account_id limit ${limit}`)
}

/** Stops lifted before that transaction. Every node has read them long ago. */
export async function deleteForwardingStops(db: Queryable, before: bigint): Promise<void> {
  await db.query(sql`
    delete from forwarding_stops where not is_stopped and changed_in < ${String(before)}::xid8`)
}

export interface ListedForwarding {
  phoneNumber: string
  forwardNumber: string | null
  accountId: AccountId
}

/** A page of all numbers of all accounts, in order. */
export async function listForwardings(
  db: Queryable,
  after: string,
  limit: number,
): Promise<ListedForwarding[]> {
  return db.query(sql`
    select phone_number as "phoneNumber", forward_number as "forwardNumber",
      account_id as "accountId"
    from numbers where phone_number > ${after} order by phone_number limit ${limit}`)
}

/** Every transaction below it has ended. Its changes are readable, or never will be. */
export async function findSettledBelow(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ settledBelow: string }>(sql`
    select pg_snapshot_xmin(pg_current_snapshot())::text as "settledBelow"`)
  return BigInt(row!.settledBelow)
}

export interface ChangesPage {
  /** With the current account of the number. */
  changes: (ForwardingChange & { changedIn: string; accountId: AccountId | null })[]
  /** As of the read: where to continue next time. */
  settledBelow: bigint
}

/**
 * Current state of what transactions from `since` on wrote, after the last one of the previous page. Some of it may
 * have been read before, by design: a transaction that started early may commit late.
 */
export async function listForwardingChanges(
  db: Queryable,
  since: bigint,
  last: { changedIn: string; phoneNumber: string },
  limit: number,
): Promise<ChangesPage> {
  const rows = await db.query<{
    phoneNumber: string | null
    forwardNumber: string | null
    isHeld: boolean
    accountId: AccountId | null
    changedIn: string
    settledBelow: string
  }>(sql`
    select phone_number as "phoneNumber", forward_number as "forwardNumber", is_held as "isHeld",
      (select account_id from numbers where numbers.phone_number = changed.phone_number)
        as "accountId",
      changed_in::text as "changedIn", pg_snapshot_xmin(pg_current_snapshot())::text as "settledBelow"
    from (values (1)) as always
    left join lateral (
      select * from forwarding_changes
      where changed_in >= ${String(since)}::xid8
        and (changed_in, phone_number) > (${last.changedIn}::xid8, ${last.phoneNumber}::text)
      order by changed_in, phone_number limit ${limit}) as changed on true`)
  const changes = rows.flatMap(({ phoneNumber, settledBelow: _, ...change }) =>
    phoneNumber === null ? [] : [{ phoneNumber, ...change }],
  )
  return { changes, settledBelow: BigInt(rows[0]!.settledBelow) }
}

/**
 * A portion of what was written before that transaction and read by every node long ago. Also rows that claim a
 * future transaction, which exist only in a database restored elsewhere.
 */
export async function deleteForwardingChanges(
  db: Queryable,
  before: bigint,
  limit: number,
): Promise<number> {
  const rows = await db.query(sql`
    delete from forwarding_changes where ctid = any (array(
      (select ctid from forwarding_changes where changed_in < ${String(before)}::xid8
        limit ${limit})
      union all
      (select ctid from forwarding_changes
        where changed_in >= pg_snapshot_xmax(pg_current_snapshot()) limit ${limit})))
    returning 1`)
  return rows.length
}

export interface CountedChanges {
  /** When the counted hour started. */
  beganAt: Date
  /** Including the one being counted. */
  changes: number
}

/** One more. The row stays locked, so an account sets its targets one after the other, in any process. */
export async function countForwardingChange(
  tx: Transaction,
  accountId: AccountId,
  hourAgo: Date,
  now: Date,
): Promise<CountedChanges> {
  const [row] = await tx.query<CountedChanges>(sql`
    insert into forwarding_limits as counted (account_id, began_at, changes)
    values (${accountId}, ${now}, 1)
    on conflict (account_id) do update set
      began_at = case when counted.began_at <= ${hourAgo} then excluded.began_at
        else counted.began_at end,
      changes = case when counted.began_at <= ${hourAgo} then 1 else counted.changes + 1 end
    returning began_at as "beganAt", changes`)
  return row!
}
