// Every statement on the emails table. Times are real time: moving the test clock must not send anything.

import type { AccountId } from '../accounts/account.js'
import { HOUR_MS } from '../kit/clock.js'
import { newId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { acrossAccounts, sql } from '../kit/postgres/sql.js'
import type { EmailContent, QueuedEmail } from './email.js'

/** More emails to one person within an hour would not be read. The console shows everything. */
export const EMAILS_PER_HOUR_MAX = 10
/** Strangers get invitations, so an account must not send many. */
export const INVITATIONS_PER_HOUR_MAX = 50
const KEPT_MS = 30 * 24 * HOUR_MS

export interface NewEmail {
  recipient: string
  /** What it is about: nobody gets two emails about one thing. */
  about: string
  content: EmailContent
}

/** In the transaction of what it reports. Returns whether it was queued. */
export async function queueEmail(
  tx: Transaction,
  accountId: AccountId,
  { recipient, about, content }: NewEmail,
  machineNow: Date,
): Promise<boolean> {
  const since = new Date(machineNow.getTime() - HOUR_MS)
  const [recent] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from emails
    where account_id = ${accountId} and recipient = ${recipient} and created_at > ${since}`)
  if (recent!.count >= EMAILS_PER_HOUR_MAX) return false
  const rows = await tx.query(sql`
    insert into emails (account_id, id, dedupe_key, recipient, content, created_at, attempts, due_at)
    values (${accountId}, ${newId('eml', machineNow)}, ${`${about} ${recipient}`}, ${recipient},
      ${content}::jsonb, ${machineNow}, 0, ${machineNow})
    on conflict (account_id, dedupe_key) do nothing returning 1`)
  return rows.length > 0
}

/** Emails about invitations that an account queued lately. `about` starts with the kind of ID. */
export async function mayEmailInvitation(
  tx: Transaction,
  accountId: AccountId,
  machineNow: Date,
): Promise<boolean> {
  const since = new Date(machineNow.getTime() - HOUR_MS)
  const [recent] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from emails
    where account_id = ${accountId} and dedupe_key >= 'inv_' and dedupe_key < 'inv\`'
      and created_at > ${since}`)
  return recent!.count < INVITATIONS_PER_HOUR_MAX
}

/** Its content is not true anymore. An attempt that is running cannot be stopped. */
export async function cancelEmail(
  tx: Transaction,
  accountId: AccountId,
  { about, recipient }: Pick<NewEmail, 'about' | 'recipient'>,
): Promise<void> {
  await tx.query(sql`
    delete from emails
    where account_id = ${accountId} and dedupe_key = ${`${about} ${recipient}`} and due_at is not null`)
}

export async function deleteOldEmails(
  tx: Transaction,
  accountId: AccountId,
  machineNow: Date,
): Promise<void> {
  const before = new Date(machineNow.getTime() - KEPT_MS)
  await tx.query(sql`
    delete from emails where account_id = ${accountId} and due_at is null and created_at < ${before}`)
}

/** Longest due first. A plain read across accounts. */
export async function listDueEmails(
  db: Queryable,
  machineNow: Date,
  limit: number,
): Promise<QueuedEmail[]> {
  const statement = sql`
    select account_id as "accountId", id, recipient, content, attempts, due_at as "dueAt"
    from emails where due_at <= ${machineNow} order by due_at limit ${limit}`
  return db.query<QueuedEmail>(
    acrossAccounts(statement, { order: ['dueAt'], limit, times: ['dueAt'] }),
  )
}

/** False if another process has it. Its lease ends at `until`. */
export async function claimEmail(
  db: Queryable,
  { accountId, id, attempts }: QueuedEmail,
  until: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update emails set due_at = ${until}, attempts = ${attempts + 1}
    where account_id = ${accountId} and id = ${id} and attempts = ${attempts} and due_at is not null
    returning 1`)
  return rows.length > 0
}

/**
 * Sent (`problem` is null), to be retried at `dueAt`, or given up. Then its content is erased: it may have a link that
 * signs in. Only by the process whose attempt it was: after its lease, another may have sent the email.
 */
export async function recordAttempt(
  db: Queryable,
  { accountId, id, attempts }: QueuedEmail,
  { problem, dueAt, now }: { problem: string | null; dueAt: Date | null; now: Date },
): Promise<void> {
  await db.query(sql`
    update emails set due_at = ${dueAt}, problem = ${problem},
      finished_at = ${dueAt === null ? now : null},
      content = case when ${dueAt === null} then '{}'::jsonb else content end
    where account_id = ${accountId} and id = ${id} and attempts = ${attempts + 1}
      and due_at is not null`)
}
