// Every statement on the rented_numbers table, numbers from their order at a provider to their return, and on the
// campaign_profiles table, which holds them there. A row is a task: a worker that finds it due continues it.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { acrossAccounts, raw, sql } from '../kit/postgres/sql.js'
import type { Alive } from '../kit/stay-alive.js'

/**
 * `held`: everything is done there, until it is released, moved, or forwarded. `move`: it was held and must be
 * bound to another campaign. Unlike a number that was never bound (`bind`), it is ours and paid for.
 */
export const TASK_PHASES = ['order', 'bind', 'held', 'move', 'release'] as const
type TaskPhase = (typeof TASK_PHASES)[number]

export interface TaskKey {
  accountId: AccountId
  id: string
}

export interface ProvisioningTask extends TaskKey {
  phoneNumber: string
  /** The campaign that it is bound to there. Until then, the one it was bought for. */
  campaignId: string
  link: string
  phase: TaskPhase
  since: Date
  chargedMicros: bigint
  purchasedAt: Date
  /** When an order was last about to leave. Null: there is none. */
  orderedAt: Date | null
  /** The provider's own ID. Null: it is not ours yet. */
  numberId: string | null
  isForwardingDue: boolean
  attempts: number
  lastError: string | null
  /** A lease while a worker has it. Null: nothing to do. */
  dueAt: Date | null
}

const COLUMNS = raw(`account_id as "accountId", id, phone_number as "phoneNumber",
  campaign_id as "campaignId", link, phase, since, charged_micros as "chargedMicros",
  purchased_at as "purchasedAt", ordered_at as "orderedAt", number_id as "numberId",
  is_forwarding_due as "isForwardingDue", attempts, last_error as "lastError", due_at as "dueAt"`)

export async function insertTask(tx: Transaction, task: ProvisioningTask): Promise<void> {
  await tx.query(sql`
    insert into rented_numbers (account_id, id, phone_number, campaign_id, link, phase, since,
      charged_micros, purchased_at, due_at)
    values (${task.accountId}, ${task.id}, ${task.phoneNumber}, ${task.campaignId}, ${task.link},
      ${task.phase}, ${task.since}, ${task.chargedMicros}, ${task.purchasedAt}, ${task.dueAt})`)
}

/** Those with a task, or whose worker seems dead, longest waiting first. A plain read across accounts. */
export async function listDueTasks(
  db: Queryable,
  { now, aliveBy }: { now: Date; aliveBy: Date },
  limit: number,
): Promise<TaskKey[]> {
  const statement = sql`
    select account_id as "accountId", id, due_at as "dueAt" from rented_numbers
    where due_at <= ${now} or alive_until <= ${aliveBy}
    order by due_at limit ${limit}`
  return db.query<TaskKey>(acrossAccounts(statement, { order: ['dueAt'], limit }))
}

/** Null if another worker has it, or there is nothing to do anymore. */
export async function claimTask(
  db: Queryable,
  { accountId, id }: TaskKey,
  { now, leaseUntil, alive }: { now: Date; leaseUntil: Date; alive: Alive },
): Promise<ProvisioningTask | null> {
  const [row] = await db.query<ProvisioningTask>(sql`
    update rented_numbers set due_at = ${leaseUntil}, alive_until = ${alive.until}
    where account_id = ${accountId} and id = ${id}
      and (due_at <= ${now} or alive_until <= ${alive.now})
    returning ${COLUMNS}`)
  return row ?? null
}

/** The worker is alive. Nobody else needs to take over before then. */
export async function renewTask(
  db: Queryable,
  leased: ProvisioningTask,
  aliveUntil: Date,
): Promise<void> {
  await db.query(sql`
    update rented_numbers set alive_until = ${aliveUntil}
    where account_id = ${leased.accountId} and id = ${leased.id} and due_at = ${leased.dueAt}`)
}

/** Only under the lease. False if it has ended, or the task has changed in the meantime. */
export async function recordTask(
  db: Queryable,
  leased: ProvisioningTask,
  {
    campaignId,
    phase,
    since,
    orderedAt,
    numberId,
    isForwardingDue,
    attempts,
    lastError,
    dueAt,
  }: ProvisioningTask,
): Promise<boolean> {
  const rows = await db.query(sql`
    update rented_numbers set campaign_id = ${campaignId}, phase = ${phase}, since = ${since},
      ordered_at = ${orderedAt}, number_id = ${numberId}, is_forwarding_due = ${isForwardingDue}, attempts = ${attempts},
      last_error = ${lastError}, due_at = ${dueAt},
      alive_until = case when ${dueAt === leased.dueAt}::boolean then alive_until end
    where account_id = ${leased.accountId} and id = ${leased.id} and due_at = ${leased.dueAt}
    returning 1`)
  return rows.length > 0
}

/** The same for a finished task. */
export async function deleteTask(tx: Transaction, leased: ProvisioningTask): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from rented_numbers
    where account_id = ${leased.accountId} and id = ${leased.id} and due_at = ${leased.dueAt}
    returning 1`)
  return rows.length > 0
}

interface OfNumbers {
  accountId: AccountId
  phoneNumbers: readonly string[]
  now: Date
}

/** In the transaction that releases them here. A worker's concurrent findings are repeated. */
export async function releaseTasks(tx: Transaction, { accountId, phoneNumbers, now }: OfNumbers) {
  await tx.query(sql`
    update rented_numbers set phase = 'release', since = ${now}, due_at = ${now}, attempts = 0
    where account_id = ${accountId} and phone_number = any (${phoneNumbers}::text[])
      and phase <> 'release'`)
}

/** They belong to another campaign now. Returns those that must also be moved there. Others will be bound anyway. */
export async function rebindTasks(
  tx: Transaction,
  { accountId, phoneNumbers, now }: OfNumbers,
): Promise<string[]> {
  const rows = await tx.query<{ phoneNumber: string; phase: TaskPhase }>(sql`
    update rented_numbers set phase = case when phase = 'bind' then 'bind' else 'move' end,
      since = ${now}, due_at = ${now}, attempts = 0
    where account_id = ${accountId} and phone_number = any (${phoneNumbers}::text[])
      and phase in ('bind', 'held', 'move')
    returning phone_number as "phoneNumber", phase`)
  return rows.flatMap(({ phoneNumber, phase }) => (phase === 'move' ? [phoneNumber] : []))
}

/** Which of these numbers are moving from one campaign to another. */
export async function findMovingNumbers(
  db: Queryable,
  accountId: AccountId,
  phoneNumbers: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ phoneNumber: string }>(sql`
    select phone_number as "phoneNumber" from rented_numbers
    where account_id = ${accountId} and phone_number = any (${phoneNumbers}::text[])
      and phase = 'move'`)
  return new Set(rows.map(({ phoneNumber }) => phoneNumber))
}

export async function forwardTasks(tx: Transaction, { accountId, phoneNumbers, now }: OfNumbers) {
  await tx.query(sql`
    update rented_numbers set is_forwarding_due = true, due_at = ${now}
    where account_id = ${accountId} and phone_number = any (${phoneNumbers}::text[])
      and phase <> 'release'`)
}

/** All of an account's: their forwarding stops or resumes with the account. */
export async function forwardAllTasks(
  tx: Transaction,
  accountId: AccountId,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update rented_numbers set is_forwarding_due = true, due_at = ${now}
    where account_id = ${accountId} and phase <> 'release'`)
}

export interface ProfileKey {
  accountId: AccountId
  campaignId: string
  link: string
}

/** The ID if it exists. `ours`: nobody is creating it, so the caller does. `busy`: another process is. */
export async function claimProfile(
  db: Queryable,
  { accountId, campaignId, link }: ProfileKey,
  { now, abandonedBefore }: { now: Date; abandonedBefore: Date },
): Promise<{ id: string } | 'ours' | 'busy'> {
  const [begun] = await db.query(sql`
    insert into campaign_profiles as p (account_id, campaign_id, link, begun_at)
    values (${accountId}, ${campaignId}, ${link}, ${now})
    on conflict (account_id, campaign_id, link) do update set begun_at = excluded.begun_at
    where p.profile_id is null and p.begun_at <= ${abandonedBefore}
    returning 1`)
  if (begun) return 'ours'
  const id = await findProfileId(db, { accountId, campaignId, link })
  return id === null ? 'busy' : { id }
}

/** Null if none exists. */
export async function findProfileId(
  db: Queryable,
  { accountId, campaignId, link }: ProfileKey,
): Promise<string | null> {
  const [row] = await db.query<{ id: string | null }>(sql`
    select profile_id as id from campaign_profiles
    where account_id = ${accountId} and campaign_id = ${campaignId} and link = ${link}`)
  return row?.id ?? null
}

export async function recordProfile(
  db: Queryable,
  { accountId, campaignId, link }: ProfileKey,
  profileId: string,
): Promise<void> {
  await db.query(sql`
    update campaign_profiles set profile_id = ${profileId}
    where account_id = ${accountId} and campaign_id = ${campaignId} and link = ${link}`)
}

/** It was definitely not created, so the next worker starts immediately. */
export async function deleteProfile(
  db: Queryable,
  { accountId, campaignId, link }: ProfileKey,
): Promise<void> {
  await db.query(sql`
    delete from campaign_profiles
    where account_id = ${accountId} and campaign_id = ${campaignId} and link = ${link}
      and profile_id is null`)
}

/** Longer than a provider usually takes. */
export const PROVISIONING_STUCK_MS = 10 * 60_000

export interface StuckProvisioning {
  count: number
  /** Of the longest waiting one. */
  since: Date | null
  phase: TaskPhase | null
  link: string | null
  lastError: string | null
}

/** Numbers without progress since then, for the operator. A plain read across accounts. */
export async function findStuckProvisioning(
  db: Queryable,
  before: Date,
): Promise<StuckProvisioning> {
  const statement = sql`
    select since, phase, link, last_error as "lastError" from rented_numbers
    where due_at is not null and since <= ${before} order by since limit ${STUCK_MAX}`
  const rows = await db.query<Omit<StuckProvisioning, 'count'>>(
    acrossAccounts(statement, { order: ['since'], limit: STUCK_MAX, times: ['since'] }),
  )
  const none = { since: null, phase: null, link: null, lastError: null }
  return { ...(rows[0] ?? none), count: rows.length }
}

const STUCK_MAX = 1_000
