// Every statement on media_totals: how many files and bytes an account stores. Each statement that adds or deletes files counts them, so
// the totals are exact after a crash, too. A process of an older version did not count: the totals are compared with the files once a day.

import type { AccountId } from '../accounts/account.js'
import { ownRow } from '../accounts/account-queries.js'
import type { Queryable } from '../kit/postgres/db.js'
import { piece, raw, sql } from '../kit/postgres/sql.js'

/** Additions are spread over slots 1 to this. A statement writes one slot, so two never wait for each other in a circle. */
const SLOTS = 8
const REMOVALS = 0

const ADD = raw(`on conflict (account_id, slot) do update
      set files = media_totals.files + excluded.files, bytes = media_totals.bytes + excluded.bytes`)

/** Counts a row that was inserted: the surrounding statement has its `bytes` as `fresh`. */
export function addedPiece(accountId: AccountId, hash: string) {
  const slot = 1 + (hash.codePointAt(0)! % SLOTS)
  return piece`counted as (
      insert into media_totals (account_id, slot, files, bytes)
      select own.account_id, ${slot}::smallint, count(*), sum(bytes)
      from fresh cross join ${ownRow(accountId)} group by 1 ${ADD}
    )`
}

/** Counts rows that were deleted: the surrounding statement has their `bytes` as `gone`. */
export function removedPiece(accountId: AccountId) {
  return piece`counted as (
      insert into media_totals (account_id, slot, files, bytes)
      select own.account_id, ${REMOVALS}::smallint, -count(*), -sum(bytes)
      from gone cross join ${ownRow(accountId)} group by 1 ${ADD}
    )`
}

export interface MediaTotals {
  files: number
  bytes: number
}

export async function findMediaTotals(db: Queryable, accountId: AccountId): Promise<MediaTotals> {
  const [row] = await db.query<MediaTotals>(sql`
    select coalesce(sum(files), 0)::float8 as files, coalesce(sum(bytes), 0)::float8 as bytes
    from media_totals where account_id = ${accountId}`)
  return row!
}

export async function isMediaCounted(
  db: Queryable,
  accountId: AccountId,
  since: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from media_totals
    where account_id = ${accountId} and slot = ${REMOVALS} and counted_at > ${since}`)
  return rows.length > 0
}

/**
 * Corrects the totals to match the files, and returns by how many bytes they were wrong. One statement, so one
 * snapshot: a change that it does not see is in neither sum, and is added to the corrected total.
 */
export async function correctMediaTotals(
  db: Queryable,
  accountId: AccountId,
  now: Date,
): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`
    with wrong as (
      select real.files - total.files as files, real.bytes - total.bytes as bytes
      from (select count(*) as files, coalesce(sum(octet_length(content)), 0) as bytes
          from media_files where account_id = ${accountId}) real
        cross join (select coalesce(sum(files), 0) as files, coalesce(sum(bytes), 0) as bytes
          from media_totals where account_id = ${accountId}) total
    ), corrected as (
      insert into media_totals (account_id, slot, files, bytes, counted_at)
      select own.account_id, ${REMOVALS}::smallint, wrong.files, wrong.bytes, ${now}::timestamptz
      from wrong cross join ${ownRow(accountId)}
      on conflict (account_id, slot) do update set counted_at = excluded.counted_at,
        files = media_totals.files + excluded.files, bytes = media_totals.bytes + excluded.bytes
    )
    select bytes::float8 as bytes from wrong`)
  return row!.bytes
}
