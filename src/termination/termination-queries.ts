// Every statement on the campaign_endings table. The row is the work: any process that finds it due continues
// it.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { acrossAccounts, raw, sql } from '../kit/postgres/sql.js'
import type { Termination } from './termination.js'

const COLUMNS = raw(`account_id as "accountId", campaign_id as "campaignId",
  move_numbers_to as "moveNumbersTo", ended_at as "endedAt", phase,
  optouts_after as "optoutsAfter", numbers_released as "numbersReleased",
  numbers_moved as "numbersMoved", messages_cancelled as "messagesCancelled",
  refunded_micros as "refundedMicros", look_at as "checkAt"`)

export interface TerminationKey {
  accountId: AccountId
  campaignId: string
}

export async function insertTermination(tx: Transaction, e: Termination): Promise<void> {
  await tx.query(sql`
    insert into campaign_endings (account_id, campaign_id, move_numbers_to, ended_at, phase, look_at)
    values (${e.accountId}, ${e.campaignId}, ${e.moveNumbersTo}, ${e.endedAt}, ${e.phase},
      ${e.checkAt})`)
}

export async function findTermination(
  db: Queryable,
  accountId: AccountId,
  campaignId: string,
): Promise<Termination | null> {
  const [row] = await db.query<Termination>(sql`
    select ${COLUMNS} from campaign_endings
    where account_id = ${accountId} and campaign_id = ${campaignId}`)
  return row ?? null
}

/** Null if it is finished or not due yet. One process at a time works on it. */
export async function lockTermination(
  tx: Transaction,
  { accountId, campaignId }: TerminationKey,
  now: Date,
): Promise<Termination | null> {
  const [row] = await tx.query<Termination>(sql`
    select ${COLUMNS} from campaign_endings
    where account_id = ${accountId} and campaign_id = ${campaignId} and look_at <= ${now}
    for update`)
  return row ?? null
}

/** Its progress so far. The caller holds the lock. */
export async function updateTermination(tx: Transaction, e: Termination): Promise<void> {
  await tx.query(sql`
    update campaign_endings set phase = ${e.phase}, optouts_after = ${e.optoutsAfter},
      numbers_released = ${e.numbersReleased}, numbers_moved = ${e.numbersMoved},
      messages_cancelled = ${e.messagesCancelled}, refunded_micros = ${e.refundedMicros},
      look_at = ${e.checkAt}
    where account_id = ${e.accountId} and campaign_id = ${e.campaignId}`)
}

/** Rows that are due, longest waiting first. A plain read across accounts. */
export async function listOpenTerminations(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<TerminationKey[]> {
  const statement = sql`
    select account_id as "accountId", campaign_id as "campaignId", look_at as "checkAt"
    from campaign_endings where look_at <= ${now} order by look_at limit ${limit}`
  return db.query<TerminationKey>(acrossAccounts(statement, { order: ['checkAt'], limit }))
}
