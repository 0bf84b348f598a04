// The statement that moves messages: a batch of one account, each move guarded by the table of moves,
// with its event, its deliveries and, where nothing is charged, the money back, all in one.

import type { AccountId } from '../accounts/account.js'
import { appendPieces } from '../events/append-events.js'
import type { Queryable } from '../kit/db.js'
import { newId } from '../kit/ids.js'
import { plainArray, textArray } from '../kit/pg-array.js'
import { nameOf, sql } from '../kit/sql.js'
import { refundPieces } from '../ledger/charge-messages.js'
import { withoutBrokenUnits } from '../text/segments.js'
import { type ErrorCode, MESSAGE_ERRORS } from './message-errors.js'
import { MOVES, type Status } from './message-state.js'
import { ENTRIES_MAX } from './timeline.js'

export interface Move {
  messageId: string
  target: Status
  errorCode: ErrorCode | null
  /** Says more than the code's own text. */
  errorMessage?: string
  /** What the timeline keeps of this move. */
  entry: string
  /** What a carrier says is worth a note also where it changes nothing. */
  isReceipt?: boolean
  /** Kept only by a move that is not the end of our part, such as SCHEDULED to QUEUED. */
  dueAt?: Date | null
}

const MOVE_ROWS = MOVES.map(([source, target]) => `('${source}', '${target}')`).join(', ')

const MOVED = `
  input as (
    select * from unnest($3::text[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[])
      as t (id, target, error_code, error_message, entry, event_id, refund_id, due_at)
  ), moved as (
    update messages m
    set status = i.target, error_code = i.error_code, error_message = i.error_message,
      sent_at = case when i.target in ('SENT', 'DELIVERED', 'READ') then coalesce(m.sent_at, $2)
        else m.sent_at end, updated_at = $2,
      due_at = i.due_at::timestamptz, sequence = m.sequence + 1,
      timeline = case when cardinality(m.timeline) < ${ENTRIES_MAX}
        then m.timeline || i.entry else m.timeline end
    from input i, (values ${MOVE_ROWS}) as move (source, target)
    where m.account_id = $1 and m.id = i.id and m.status = move.source and move.target = i.target
    returning m.id, m.campaign_id, m.number, m.sequence, m.status, move.source as previous_status,
      m.error_code, m.error_message, m.price_micros as price, i.event_id, i.refund_id
  ), happened as (
    select event_id as id, 'message.status' as event_type, campaign_id, number, id as message_id,
      sequence, status, previous_status, error_code, error_message, null::jsonb as data
    from moved
  ), ${appendPieces('happened')}`

const RESULT = 'select id, (select count(*)::int from fanned_out) as deliveries from moved'

const MOVE = `with ${MOVED} ${RESULT}`

const MOVE_AND_REFUND = `
  with ${MOVED}, unpaid as (select * from moved where refund_id is not null),
  ${refundPieces('unpaid')} ${RESULT}`

export interface MoveResult {
  moved: Set<string>
  deliveries: number
}

/** At most one move per message in a batch. Ids that did not move are left to the caller. */
export async function moveMessages(
  db: Queryable,
  accountId: AccountId,
  moves: readonly Move[],
  now: Date,
): Promise<MoveResult> {
  const isFree = (move: Move): boolean =>
    move.errorCode !== null && !MESSAGE_ERRORS[move.errorCode].isCharged
  const text = moves.some(isFree) ? MOVE_AND_REFUND : MOVE
  const rows = await db.query<{ id: string; deliveries: number }>({
    name: nameOf(text),
    text,
    values: [
      accountId,
      now,
      plainArray(moves.map((m) => m.messageId)),
      plainArray(moves.map((m) => m.target)),
      plainArray(moves.map((m) => m.errorCode)),
      textArray(moves.map((m) => messageOf(m))),
      textArray(moves.map((m) => m.entry)),
      plainArray(moves.map(() => newId('evt', now))),
      plainArray(moves.map((m) => (isFree(m) ? newId('trf', now) : null))),
      textArray(moves.map((m) => m.dueAt?.toISOString() ?? null)),
    ],
  })
  return { moved: new Set(rows.map((row) => row.id)), deliveries: rows[0]?.deliveries ?? 0 }
}

function messageOf(move: Move): string | null {
  if (move.errorCode === null) return null
  return move.errorMessage ?? MESSAGE_ERRORS[move.errorCode].text
}

/** Notes on messages that do not move. Returns the ids that exist. */
export async function appendEntries(
  db: Queryable,
  accountId: AccountId,
  notes: readonly { messageId: string; entry: string }[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    update messages m
    set timeline = case when cardinality(m.timeline) < ${ENTRIES_MAX}::int
      then m.timeline || n.entry else m.timeline end
    from unnest(${notes.map((n) => n.messageId)}::text[], ${notes.map((n) => n.entry)}::text[])
      as n (id, entry)
    where m.account_id = ${accountId} and m.id = n.id
    returning m.id`)
  return new Set(rows.map((row) => row.id))
}

export interface PutBack {
  messageId: string
  dueAt: Date
  attempts: number
  expiresAt: Date | null
  isMediaChecked: boolean
  /** What the timeline keeps of it; null where there is nothing to tell. */
  entry: string | null
}

/** Back into the queue, to be tried at dueAt. Their lanes are told. */
export async function putBackMessages(
  db: Queryable,
  accountId: AccountId,
  puts: readonly PutBack[],
): Promise<void> {
  await db.query(sql`
    with back as (
      update messages m set due_at = p.due_at, attempts = p.attempts,
        expires_at = coalesce(m.expires_at, p.expires_at), media_checked = p.media_checked,
        timeline = case when p.entry is not null and cardinality(m.timeline) < ${ENTRIES_MAX}::int
          then m.timeline || p.entry else m.timeline end
      from unnest(${puts.map((p) => p.messageId)}::text[], ${puts.map((p) => p.dueAt)}::timestamptz[],
        ${puts.map((p) => p.attempts)}::int[], ${puts.map((p) => p.expiresAt)}::timestamptz[],
        ${puts.map((p) => p.isMediaChecked)}::boolean[], ${puts.map((p) => p.entry)}::text[])
        as p (id, due_at, attempts, expires_at, media_checked, entry)
      where m.account_id = ${accountId} and m.id = p.id and m.status = 'QUEUED'
      returning m.campaign_id, m.route, m.due_at
    )
    insert into lanes as l (account_id, campaign_id, route, next_due_at)
    select ${accountId}, campaign_id, route, min(due_at) from back group by campaign_id, route
    on conflict (account_id, campaign_id, route) do update set next_due_at = excluded.next_due_at
    where l.next_due_at is null or l.next_due_at > excluded.next_due_at`)
}

/** Receipts that no message answers to. */
export async function insertStrayReceipts(
  db: Queryable,
  carrier: string,
  receipts: readonly { messageId: string; status: string; errorCode: number | null }[],
  now: Date,
): Promise<void> {
  await db.query(sql`
    insert into stray_receipts (id, carrier, message_id, status, error_code, received_at)
    select r.id, ${carrier}, left(r.message_id, 200), r.status,
      case when abs(r.error_code) < 1e9 then r.error_code::int end, ${now}
    from unnest(${receipts.map(() => newId('evt', now))}::text[],
      ${receipts.map((r) => withoutBrokenUnits(r.messageId))}::text[],
      ${receipts.map((r) => r.status)}::text[], ${receipts.map((r) => r.errorCode)}::numeric[])
      as r (id, message_id, status, error_code)`)
}
