// Puts messages back into the queue, which were taken from it and not sent.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { composed, parametersOf, relation, unnested, valuesOf } from '../../kit/postgres/pieces.js'
import { scheduleLanes } from '../lane-queries.js'
import { ENTRIES_MAX } from '../timeline.js'

export interface Requeue {
  messageId: string
  /** Null while it waits to be settled. */
  dueAt: Date | null
  attempts: number
  /** Stored after the first attempt. Null: unchanged. */
  expiresAt: Date | null
  isMediaChecked: boolean
  /** The files sent in place of its media. Absent: unchanged. */
  mediaFiles?: readonly string[]
  /** Its share of T-Mobile's cap, if it has not used it. */
  countedDay: string | null
  /** The timeline entry. Null if there is none. */
  entry: string | null
  /** Its outcome is unknown: when to settle it, and the link it left by. */
  unknown?: { settleAt: Date; link: string | null }
}

const REQUEUE_TYPES = {
  id: 'text[]',
  due_at: 'timestamptz[]',
  attempts: 'int[]',
  expires_at: 'timestamptz[]',
  media_checked: 'boolean[]',
  media_files: 'text[]',
  counted_day: 'text[]',
  entry: 'text[]',
  settle_at: 'timestamptz[]',
  unknown_link: 'text[]',
} as const
const arrays = parametersOf(REQUEUE_TYPES, 2)
const REQUEUE = `
  with requeued as (
    update messages m set due_at = r.due_at, attempts = r.attempts,
      expires_at = coalesce(m.expires_at, r.expires_at), media_checked = r.media_checked,
      media_files = coalesce(string_to_array(r.media_files, ' '), m.media_files),
      counted_day = r.counted_day, settle_at = r.settle_at, unknown_link = r.unknown_link,
      timeline = case when r.entry is not null and cardinality(m.timeline) < ${ENTRIES_MAX}
        then m.timeline || r.entry else m.timeline end
    from ${unnested(arrays, 'r')}
    where m.account_id = $1 and m.id = r.id and m.status = 'QUEUED'
    returning m.campaign_id, m.route, m.due_at
  ), scheduled as (${scheduleLanes(relation('requeued'))}
  ) select 1`

/** Back into the queue, to be attempted at dueAt. Their lanes are checked then. */
export async function requeueMessages(
  db: Queryable,
  accountId: AccountId,
  requeues: readonly Requeue[],
): Promise<void> {
  const values = valuesOf(REQUEUE_TYPES, {
    id: requeues.map((r) => r.messageId),
    due_at: requeues.map((r) => r.dueAt),
    attempts: requeues.map((r) => r.attempts),
    expires_at: requeues.map((r) => r.expiresAt),
    media_checked: requeues.map((r) => r.isMediaChecked),
    media_files: requeues.map((r) => r.mediaFiles?.join(' ') ?? null),
    counted_day: requeues.map((r) => r.countedDay),
    entry: requeues.map((r) => r.entry),
    settle_at: requeues.map((r) => r.unknown?.settleAt ?? null),
    unknown_link: requeues.map((r) => r.unknown?.link ?? null),
  })
  await db.query(composed(REQUEUE, [accountId, ...values]))
}
