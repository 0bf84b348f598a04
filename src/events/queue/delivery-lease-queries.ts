// The consumer side of the outbox: the lease of a claimed delivery, whether it is valid, and its early
// release.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { piece, raw, sql } from '../../kit/postgres/sql.js'

/**
 * No process has this row, or the one that had it is gone: one condition for all statements that claim,
 * pause, count, or search deliveries.
 */
export const isFree = (row: string, now: Date) =>
  piece`(${raw(row)}.lease_until is null or ${raw(row)}.lease_until <= ${now})`

/** It also does not wait for an earlier event of its message, so it can be claimed once it is due. */
export const isReady = (row: string, now: Date) =>
  piece`${isFree(row, now)} and (${raw(row)}.waits_until is null or ${raw(row)}.waits_until <= ${now})`

/** Releases unused claims, so other processes need not wait for the lease to end. */
export async function releaseDeliveries(
  db: Queryable,
  accountId: AccountId,
  ids: readonly string[],
  leases: readonly Date[],
  now: Date,
): Promise<void> {
  await db.query(sql`
    update event_deliveries set lease_until = null, due_at = ${now}
    where account_id = ${accountId} and id = any (${ids}::text[])
      and lease_until = any (${leases}::timestamptz[])`)
}
