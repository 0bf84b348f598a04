// The entries of one month for its statement: individual entries, and sums for those that occur once per
// message.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import { entryFloor, RARE, SIGNED } from '../entry-queries.js'
import type { Reason } from '../ledger.js'
import type { Month } from '../month.js'
import { sumMessageEntries } from './day-queries.js'

export interface StatementRow {
  /** Null if the row represents many entries. */
  at: Date | null
  reason: Reason
  campaignId: string | null
  reference: string | null
  note: string | null
  count: number
  amountMicros: bigint
}

/** Oldest first. */
export async function listRareRows(
  db: Queryable,
  accountId: AccountId,
  { start, end }: Month,
): Promise<StatementRow[]> {
  return db.query<StatementRow>(sql`
    select t.created_at as at, t.reason, t.campaign_id as "campaignId", t.reference, n.note,
      1 as count, ${SIGNED} as "amountMicros"
    from ledger_transfers t
    left join ledger_notes n on n.account_id = ${accountId} and n.transfer_id = t.id
    where t.account_id = ${accountId} and ${RARE}
      and t.id >= ${entryFloor(start)} and t.id < ${entryFloor(end)}
    order by t.id`)
}

/** By campaign: message charges and refunds. */
export async function sumMessageRows(
  db: Queryable,
  accountId: AccountId,
  { start, end }: Month,
): Promise<StatementRow[]> {
  const sums = await sumMessageEntries(db, accountId, start, end)
  return sums.map((sum) => ({ at: null, reference: null, note: null, ...sum }))
}
