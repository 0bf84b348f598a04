// Every statement on the registrations table: brands and campaigns being registered through a provider. The
// row is the work: any process that finds it due continues it.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { acrossAccounts, raw, sql } from '../kit/postgres/sql.js'
import type { Alive } from '../kit/stay-alive.js'
import type { Registration, RegistrationKey, RegistrationState } from './registration.js'

const COLUMNS = raw(`account_id as "accountId", record_id as "recordId", kind, link, state, since,
  reference, provider_id as "providerId", posted_at as "postedAt", said as "notesDigest", networks, attempts,
  failing_since as "failingSince", last_error as "lastError", due_at as "dueAt"`)

interface Submitted extends RegistrationKey {
  kind: Registration['kind']
  link: string
  now: Date
}

/**
 * In the transaction of the submission. An existing row keeps the provider's ID, and the record is corrected
 * there.
 */
export async function submitRegistration(
  tx: Transaction,
  { accountId, recordId, kind, link, now }: Submitted,
): Promise<void> {
  await tx.query(sql`
    insert into registrations as r (account_id, record_id, kind, link, state, since, reference, due_at)
    values (${accountId}, ${recordId}, ${kind}, ${link}, 'submit', ${now}, ${recordId}, ${now})
    on conflict (account_id, record_id) do update set state = 'submit', since = excluded.since,
      due_at = excluded.due_at, attempts = 0, failing_since = null, last_error = null`)
}

/** A brand that was verified without a provider is registered with its first campaign. */
export async function ensureRegistration(
  tx: Transaction,
  { accountId, recordId, kind, link, now }: Submitted,
): Promise<void> {
  await tx.query(sql`
    insert into registrations (account_id, record_id, kind, link, state, since, reference, due_at)
    values (${accountId}, ${recordId}, ${kind}, ${link}, 'submit', ${now}, ${recordId}, ${now})
    on conflict (account_id, record_id) do nothing`)
}

export async function findRegistration(
  db: Queryable,
  { accountId, recordId }: RegistrationKey,
): Promise<Registration | null> {
  const [row] = await db.query<Registration>(sql`
    select ${COLUMNS} from registrations
    where account_id = ${accountId} and record_id = ${recordId}`)
  return row ?? null
}

/**
 * Rows that are due, or whose worker stopped responding, longest waiting first. A plain read across accounts.
 */
export async function listDueRegistrations(
  db: Queryable,
  { now, aliveBy }: { now: Date; aliveBy: Date },
  limit: number,
): Promise<RegistrationKey[]> {
  const statement = sql`
    select account_id as "accountId", record_id as "recordId", due_at as "dueAt" from registrations
    where due_at <= ${now} or alive_until <= ${aliveBy}
    order by due_at limit ${limit}`
  return db.query<RegistrationKey>(acrossAccounts(statement, { order: ['dueAt'], limit }))
}

/** Null if another process has it, or if nothing is left to do. */
export async function claimRegistration(
  db: Queryable,
  { accountId, recordId }: RegistrationKey,
  { now, leaseUntil, alive }: { now: Date; leaseUntil: Date; alive: Alive },
): Promise<Registration | null> {
  const [row] = await db.query<Registration>(sql`
    update registrations set due_at = ${leaseUntil}, alive_until = ${alive.until}
    where account_id = ${accountId} and record_id = ${recordId}
      and (due_at <= ${now} or alive_until <= ${alive.now})
    returning ${COLUMNS}`)
  return row ?? null
}

/** The worker is alive, so no other process takes over before then. */
export async function renewRegistration(
  db: Queryable,
  leased: Registration,
  aliveUntil: Date,
): Promise<void> {
  await db.query(sql`
    update registrations set alive_until = ${aliveUntil}
    where account_id = ${leased.accountId} and record_id = ${leased.recordId}
      and due_at = ${leased.dueAt}`)
}

/** Only under the lease: false if it has ended, or if the requested step has changed. */
export async function recordRegistration(
  db: Queryable,
  leased: Registration,
  r: Registration,
): Promise<boolean> {
  const rows = await db.query(sql`
    update registrations set state = ${r.state}, since = ${r.since}, reference = ${r.reference},
      provider_id = ${r.providerId}, posted_at = ${r.postedAt}, said = ${r.notesDigest}, networks = ${r.networks},
      attempts = ${r.attempts}, failing_since = ${r.failingSince}, last_error = ${r.lastError},
      due_at = ${r.dueAt},
      alive_until = case when ${r.dueAt === leased.dueAt}::boolean then alive_until end
    where account_id = ${leased.accountId} and record_id = ${leased.recordId}
      and due_at = ${leased.dueAt}
    returning 1`)
  return rows.length > 0
}

/** Records a failed attempt under the lease. The stored provider data stays unchanged. */
export async function delayRegistration(
  db: Queryable,
  leased: Registration,
  failed: Pick<Registration, 'attempts' | 'failingSince' | 'lastError' | 'dueAt'>,
): Promise<void> {
  await db.query(sql`
    update registrations set attempts = ${failed.attempts}, failing_since = ${failed.failingSince},
      last_error = ${failed.lastError}, due_at = ${failed.dueAt}, alive_until = null
    where account_id = ${leased.accountId} and record_id = ${leased.recordId}
      and due_at = ${leased.dueAt}`)
}

/** The same for registrations that are over. */
export async function deleteRegistration(db: Queryable, leased: Registration): Promise<void> {
  await db.query(sql`
    delete from registrations
    where account_id = ${leased.accountId} and record_id = ${leased.recordId}
      and due_at = ${leased.dueAt}`)
}

/** The provider announced news, so its state is read now. Rows about to be submitted are left alone. */
export async function hastenRegistration(
  db: Queryable,
  { accountId, recordId, link }: RegistrationKey & { link: string },
  now: Date,
): Promise<void> {
  await db.query(sql`
    update registrations set due_at = ${now}, attempts = 0
    where account_id = ${accountId} and record_id = ${recordId} and link = ${link}
      and state in ('review', 'registered', 'suspended') and due_at > ${now}`)
}

/** An account's campaigns that wait for their brand, or those in the given state. */
export async function hastenCampaigns(
  tx: Transaction,
  accountId: AccountId,
  campaignIds: readonly string[],
  state: RegistrationState,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update registrations set due_at = ${now}, attempts = 0
    where account_id = ${accountId} and record_id = any (${campaignIds}::text[])
      and state = ${state} and due_at > ${now}`)
}

/** The campaign ended here, so it must end at the provider too, where it costs money each month. */
export async function endRegistration(
  tx: Transaction,
  { accountId, recordId }: RegistrationKey,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update registrations set state = 'end', since = ${now}, due_at = ${now}, attempts = 0
    where account_id = ${accountId} and record_id = ${recordId}`)
}

/**
 * For joins in higher modules, which must not know this table's columns: records that only a provider decides
 * on.
 */
export const IN_REGISTRATION = raw(
  `(select account_id, record_id as id from registrations where state in ('submit', 'review'))`,
)

/** Longer than any normal provider outage. */
export const REGISTRATION_STUCK_MS = 10 * 60_000

export interface StuckRegistrations {
  count: number
  /** For the one that has been failing longest. */
  since: Date | null
  recordId: string | null
  link: string | null
  lastError: string | null
}

/** Registrations that have been failing since then, for the operator. A plain read across accounts. */
export async function findStuckRegistrations(
  db: Queryable,
  before: Date,
): Promise<StuckRegistrations> {
  const statement = sql`
    select failing_since as since, record_id as "recordId", link, last_error as "lastError"
    from registrations
    where failing_since <= ${before} order by failing_since limit ${STUCK_MAX}`
  const rows = await db.query<Omit<StuckRegistrations, 'count'>>(
    acrossAccounts(statement, { order: ['since'], limit: STUCK_MAX, times: ['since'] }),
  )
  const none = { since: null, recordId: null, link: null, lastError: null }
  return { ...(rows[0] ?? none), count: rows.length }
}

export interface Uncarried {
  count: number
  /** For the one that was approved first. */
  recordId: string | null
  link: string | null
  networks: string | null
}

/** Registered campaigns that some networks do not carry, for the operator. A plain read across accounts. */
export async function findUncarried(db: Queryable): Promise<Uncarried> {
  const statement = sql`
    select since, record_id as "recordId", link, networks from registrations
    where networks is not null and state = 'registered' order by since limit ${STUCK_MAX}`
  const rows = await db.query<Omit<Uncarried, 'count'> & { since: Date }>(
    acrossAccounts(statement, { order: ['since'], limit: STUCK_MAX }),
  )
  const { recordId, link, networks } = rows[0] ?? { recordId: null, link: null, networks: null }
  return { count: rows.length, recordId, link, networks }
}

export interface RegisteredCampaign {
  accountId: AccountId
  campaignId: string
  link: string
}

/** Records registered through a provider, for the operator. A plain read across accounts. */
export async function listRegisteredCampaigns(db: Queryable): Promise<RegisteredCampaign[]> {
  const statement = sql`
    select account_id as "accountId", record_id as "campaignId", link, since from registrations
    where kind = 'campaign' and state = 'registered' order by since limit ${REGISTERED_MAX}`
  return db.query<RegisteredCampaign>(
    acrossAccounts(statement, { order: ['since'], limit: REGISTERED_MAX }),
  )
}

const STUCK_MAX = 1_000
const REGISTERED_MAX = 10_000
