// Every statement on the tables of a sign-in in progress: its steps, and the counts of failures.

import type { Queryable } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { UserId } from './user.js'

export type StepKind = 'second_factor' | 'passkey' | 'new_passkey' | 'oidc'

export interface SignInStep {
  kind: StepKind
  userId: UserId | null
  data: Record<string, string>
}

/** Expired rows that a new one deletes: more than it adds, so none remain, and few, so a sign-in never waits for many. */
const PURGE_BATCH = 20

/** Steps that nobody finished are deleted when new ones start. */
export async function insertStep(
  db: Queryable,
  secretHash: Buffer,
  { kind, userId, data }: SignInStep,
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<void> {
  await db.query(sql`
    with ended as (delete from sign_in_steps where secret_hash = any(array(
      select secret_hash from sign_in_steps where expires_at <= ${now}
      order by expires_at limit ${PURGE_BATCH} for update skip locked)))
    insert into sign_in_steps (secret_hash, kind, user_id, data, expires_at)
    values (${secretHash}, ${kind}, ${userId}, ${data}, ${expiresAt})`)
}

/** Leaves it in place: a mistyped code may be corrected. */
export async function findStep(
  db: Queryable,
  kind: StepKind,
  secretHash: Buffer,
  now: Date,
): Promise<SignInStep | null> {
  const [row] = await db.query<SignInStep>(sql`
    select kind, user_id as "userId", data from sign_in_steps
    where secret_hash = ${secretHash} and kind = ${kind} and expires_at > ${now}`)
  return row ?? null
}

/** Deleted as it is found: of two requests, one gets it. */
export async function takeStep(
  db: Queryable,
  kind: StepKind,
  secretHash: Buffer,
  now: Date,
): Promise<SignInStep | null> {
  const [row] = await db.query<SignInStep>(sql`
    delete from sign_in_steps
    where secret_hash = ${secretHash} and kind = ${kind} and expires_at > ${now}
    returning kind, user_id as "userId", data`)
  return row ?? null
}

/** Counts an attempt before its result is known, so concurrent guesses count like sequential ones. */
export async function countAttempt(
  db: Queryable,
  key: Buffer,
  { now, resetsAt }: { now: Date; resetsAt: Date },
): Promise<{ failures: number; resetsAt: Date }> {
  const [row] = await db.query<{ failures: number; resetsAt: Date }>(sql`
    with ended as (delete from sign_in_limits where key = any(array(
      select key from sign_in_limits where resets_at <= ${now} and key <> ${key}
      order by resets_at limit ${PURGE_BATCH} for update skip locked)))
    insert into sign_in_limits as l (key, failures, resets_at) values (${key}, 1, ${resetsAt})
    on conflict (key) do update set
      failures = case when l.resets_at <= ${now} then 1 else l.failures + 1 end,
      resets_at = case when l.resets_at <= ${now} then excluded.resets_at else l.resets_at end
    returning failures, resets_at as "resetsAt"`)
  return row!
}

/** After a success: `reset` starts again, and `uncount` loses this attempt. */
export async function forgiveAttempts(
  db: Queryable,
  { reset, uncount }: { reset: Buffer[]; uncount: Buffer[] },
): Promise<void> {
  for (const key of reset) await db.query(sql`delete from sign_in_limits where key = ${key}`)
  for (const key of uncount) {
    await db.query(sql`
      update sign_in_limits set failures = greatest(failures - 1, 0) where key = ${key}`)
  }
}
