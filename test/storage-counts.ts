// Compares what quotas count with the rows: messages in the queue, stored messages, and bytes of media. Every test of a service ends with it.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Queryable } from '../src/kit/postgres/db.js'
import { sql } from '../src/kit/postgres/sql.js'
import { findMediaTotals } from '../src/messages/media-totals-queries.js'
import { findMessageTotals } from '../src/messages/stored-queries.js'
import { citusWorkers } from './administer.js'

/** The counts and the rows of one account. They should be equal. */
export async function storageOf(db: Queryable, accountId: string) {
  const [messages] = await db.query<{ queued: number; stored: number }>(sql`
    select count(*) filter (where status in ('QUEUED', 'SCHEDULED'))::int as queued,
      count(*)::int as stored
    from messages where account_id = ${accountId}`)
  const [media] = await db.query<{ files: number; bytes: number }>(sql`
    select count(*)::int as files, coalesce(sum(octet_length(content)), 0)::float8 as bytes
    from media_files where account_id = ${accountId}`)
  const counted = {
    ...(await findMessageTotals(db, accountId)),
    ...(await findMediaTotals(db, accountId)),
  }
  return { counted, real: { ...messages!, ...media! } }
}

/** Everything that the counters of messages and storage are about, and the counters. */
export const COUNTED: readonly string[] = [
  'messages',
  'media_files',
  'media_totals',
  'open_counts',
  'stored_counts',
  'usage_changes',
  'usage_counts',
  'usage_sums',
  'usage_totals',
]

/**
 * False: none of these tables ever had a row, so nothing can be counted wrong. Half of the tests send nothing, and
 * planning the comparisons takes a quarter of PostgreSQL's time for such a test.
 */
export async function mayHaveCounts(db: Queryable): Promise<boolean> {
  if (citusWorkers().length > 0) return true // the rows are not on this node
  const [row] = await db.query<{ bytes: number }>(sql`
    select coalesce(sum(pg_relation_size(oid)), 0)::float8 as bytes from pg_class
    where oid = any (${COUNTED}::regclass[])
      or oid in (select inhrelid from pg_inherits where inhparent = any (${COUNTED}::regclass[]))`)
  return row!.bytes > 0
}

/** Work in the background may change rows between the reads. */
const READS = 100
const PAUSE_MS = 50

export async function assertStorageCounted(db: Queryable): Promise<void> {
  const accounts = await db.query<{ accountId: string }>(sql`
    select account_id as "accountId" from accounts where status <> 'DELETED' limit 200`)
  for (const { accountId } of accounts) {
    let found = await storageOf(db, accountId)
    for (let read = 1; read < READS && !isDeepStrictEqual(found.counted, found.real); read += 1) {
      await sleep(PAUSE_MS)
      found = await storageOf(db, accountId)
    }
    assert.deepEqual(found.counted, found.real, `the quota counts of ${accountId} match its rows`)
  }
}
