// Moves messages in batches of one account and one kind of move, with the statement in move-statement-queries.ts,
// and writes other changes to messages in progress.

import type { AccountId } from '../../accounts/account.js'
import {
  type DirectDeliveries,
  type DirectDelivery,
  type DirectLease,
  readLeased,
} from '../../events/queue/direct-deliveries.js'
import { spanOf } from '../../kit/id-queries.js'
import { encodeTime } from '../../kit/ids.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { textArray } from '../../kit/postgres/pg-array.js'
import { composed, valuesOf } from '../../kit/postgres/pieces.js'
import { sql } from '../../kit/postgres/sql.js'
import { coverMessages } from '../../ledger/recharge-messages.js'
import { type ErrorCode, MESSAGE_ERRORS } from '../message-errors.js'
import { MOVES, STATUSES, type Status } from '../message-state.js'
import { ENTRIES_MAX, encodeEntry } from '../timeline.js'
import type { CarrierId } from './carrier-id-queries.js'
import { MOVE_STATEMENTS, MOVE_TYPES } from './move-statement-queries.js'

export interface Move {
  messageId: string
  target: Status
  errorCode: ErrorCode | null
  /** More specific than the code's own text. */
  errorMessage?: string
  /** No carrier accepted the message, so it costs nothing, whatever its code usually costs. */
  isUnseen?: boolean
  /** Settled without evidence: it is SENT, and costs nothing unless a receipt arrives later. */
  isUnproven?: boolean
  /** A receipt with an unknown ID may still be about it. */
  unprovenAt?: Date
  /** The timeline entry of this move. Moves with the same entry share a statement. */
  entry: string
  /** What only this message's entry has at its end, such as the carrier's IDs. */
  note?: string
  /** Used only by a move that does not finish our part, such as SCHEDULED to QUEUED. */
  dueAt?: Date | null
  /** The carrier's reason, if it refused the message because the phone opted out there. Recorded with the move. */
  optedOutAs?: string
  /** The carrier's ID, if a receipt identifies the message by our ID. Stored if no response gave it to us. */
  provenAs?: CarrierId
  /** The carrier's IDs from now on. They can be found as soon as the move is written. */
  carrierIds?: readonly CarrierId[]
}

// The most likely previous states first: a receipt follows our record of the submit far more often than it
// overtakes it. Then forward again, because another process may have moved the message between two reads. States
// only go forward, so a message that is not found on the way back has no such move before it.
const SOURCES = Object.fromEntries(
  STATUSES.map((target) => {
    const sources = MOVES.filter((move) => move[1] === target).map((move) => move[0])
    return [target, [...sources.toReversed(), ...sources.slice(1)]]
  }),
) as Record<Status, Status[]>

export interface MoveResult {
  moved: Set<string>
  deliveries: number
  /** Those that no response has named. */
  unnamed: Set<string>
  /** Those that were refunded and cost something now. */
  recharged: Set<string>
  /** Those that would, if the balance covered it. */
  forgiven: Set<string>
}

interface MoveOptions {
  /** Runs recharges in one transaction with their move. */
  transact?: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>
  /** Gets the deliveries that each statement leases. Only for statements that are their own transaction. */
  direct?: DirectDeliveries
}

/** At most one move per message in a batch. The caller handles IDs that did not move. */
export async function moveMessages(
  db: Queryable,
  accountId: AccountId,
  moves: readonly Move[],
  now: Date,
  { transact, direct }: MoveOptions = {},
): Promise<MoveResult> {
  const result = noResult()
  for (const alike of groupAlike(moves)) {
    let ids = alike.map((move) => move.messageId)
    const notes = notesOf(alike)
    for (const source of SOURCES[alike[0]!.target]) {
      if (ids.length === 0) break
      await moveFrom(db, { accountId, source, like: alike[0]!, ids, notes, now, direct }, result)
      ids = ids.filter((id) => !result.moved.has(id))
    }
    // The rest was moved before, or was refunded while its outcome was unknown.
    if (ids.length === 0 || !transact || !isEnd(alike[0]!.target)) continue
    const step: Step = { accountId, source: 'SENT', like: alike[0]!, ids, notes, now }
    if (await hasRefunded(db, step))
      addResult(result, await transact((tx) => moveRefunded(tx, step)))
  }
  return result
}

function addResult(result: MoveResult, more: MoveResult): void {
  result.deliveries += more.deliveries
  for (const name of ['moved', 'unnamed', 'recharged', 'forgiven'] as const) {
    for (const id of more[name]) result[name].add(id)
  }
}

function noResult(): MoveResult {
  return {
    moved: new Set(),
    deliveries: 0,
    unnamed: new Set(),
    recharged: new Set(),
    forgiven: new Set(),
  }
}

function isEnd(target: Status): boolean {
  return target === 'DELIVERED' || target === 'READ' || target === 'FAILED'
}

interface Step {
  accountId: AccountId
  source: Status
  like: Move
  ids: readonly string[]
  /** By message. */
  notes: string | null
  now: Date
  direct?: DirectDeliveries | undefined
}

function isFree({ errorCode, isUnseen }: Move): boolean {
  return errorCode !== null && (isUnseen || !MESSAGE_ERRORS[errorCode].isCharged)
}

function moveFrom(db: Queryable, step: Step, result: MoveResult): Promise<void> {
  return moveAs(db, step, isFree(step.like) || step.like.isUnproven ? 'free' : 'charged', result)
}

/** Recharges messages that turn out to have arrived, in order, as far as the balance allows. The rest stays free. */
async function moveRefunded(tx: Transaction, step: Step): Promise<MoveResult> {
  const { accountId, ids, like, now } = step
  const result = noResult()
  const refunded = await lockRefunded(tx, accountId, ids)
  const covered = isFree(like) ? [] : await coverMessages(tx, accountId, refunded, now)
  const left = refunded.filter((one) => !covered.includes(one))
  for (const [rows, as] of [
    [covered, 'recharged'],
    [left, 'forgiven'],
  ] as const) {
    if (rows.length === 0) continue
    await moveAs(tx, { ...step, ids: rows.map(({ id }) => id) }, as, result)
    // A failure that costs nothing leaves the money alone.
    const notes = rows.map(({ id }) => ({ messageId: id, entry: encodeEntry(now, as) }))
    if (!isFree(like)) await appendEntries(tx, accountId, notes)
  }
  for (const { id } of covered) result.recharged.add(id)
  if (!isFree(like)) for (const { id } of left) result.forgiven.add(id)
  return result
}

/** A plain read, because there is nearly always none, and nothing is locked for it. */
async function hasRefunded(db: Queryable, { accountId, ids }: Step): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from messages where account_id = ${accountId} and id = any (${ids}::text[])
      and status = 'SENT' and is_refunded limit 1`)
  return rows.length > 0
}

/** Each list is one text, null if it is empty. */
interface MovedRow {
  moved: string | null
  /** Those of them that no response has named. */
  unnamed: string | null
  deliveries: number
  leased: string | null
}

async function moveAs(
  db: Queryable,
  step: Step,
  as: keyof (typeof MOVE_STATEMENTS)['untimed'],
  result: MoveResult,
): Promise<void> {
  const offer = step.direct?.offer(step.accountId, step.ids.length, step.now) ?? null
  let leased: DirectDelivery[] = []
  try {
    const text = MOVE_STATEMENTS[step.source === 'DELIVERED' ? 'timed' : 'untimed'][as]
    const [row] = await db.query<MovedRow>(composed(text, valuesOfMove(step, offer)))
    addMoved(result, row!)
    leased = readLeased(row!.leased)
  } finally {
    offer?.settle(leased, {
      status: step.like.target,
      previousStatus: step.source,
      errorCode: step.like.errorCode,
      errorMessage: messageOf(step.like),
      createdAt: step.now,
    })
  }
}

function valuesOfMove(step: Step, lease: DirectLease | null): unknown[] {
  const { accountId, like, now } = step
  const values = valuesOf(MOVE_TYPES, {
    ids: textArray(step.ids),
    ...spanOf(step.ids),
    target: like.target,
    source: step.source,
    errorCode: like.errorCode,
    errorMessage: messageOf(like),
    dueAt: like.dueAt ?? null,
    unprovenAt: like.unprovenAt ?? null,
    entry: like.entry,
    notes: step.notes,
    moment: encodeTime(now.getTime()),
    subscriberIds: textArray(lease?.subscriberIds ?? []),
    batchIds: textArray(lease?.batchIds ?? []),
    leaseUntil: lease?.leaseUntil ?? null,
  })
  return [accountId, now, ...values]
}

function addMoved(result: MoveResult, { moved, unnamed, deliveries }: MovedRow): void {
  result.deliveries += deliveries
  for (const id of moved?.split(' ') ?? []) result.moved.add(id)
  for (const id of unnamed?.split(' ') ?? []) result.unnamed.add(id)
}

/** A JSON object by message, or null if there are none. */
function notesOf(moves: readonly Move[]): string | null {
  if (!moves.some(({ note }) => note)) return null
  return JSON.stringify(Object.fromEntries(moves.map(({ messageId, note }) => [messageId, note])))
}

/** Moves that differ only in the message, its note, and the exact time of their entry. */
function groupAlike(moves: readonly Move[]): Move[][] {
  const groups = new Map<string, Move[]>()
  for (const move of moves) {
    const note = move.entry.slice(move.entry.indexOf('|'))
    const key = `${move.target} ${move.errorCode} ${move.errorMessage} ${move.isUnseen} ${move.isUnproven} ${move.unprovenAt !== undefined} ${move.dueAt?.getTime()} ${note}`
    const group = groups.get(key)
    if (group) group.push(move)
    else groups.set(key, [move])
  }
  return [...groups.values()]
}

function messageOf(move: Move): string | null {
  if (move.errorCode === null) return null
  return move.errorMessage ?? MESSAGE_ERRORS[move.errorCode].text
}

/** Those that are SENT and refunded, locked in order. */
async function lockRefunded(tx: Transaction, accountId: AccountId, ids: readonly string[]) {
  return tx.query<{ id: string; campaignId: string; priceMicros: bigint }>(sql`
    select id, campaign_id as "campaignId", price_micros as "priceMicros" from messages
    where account_id = ${accountId} and id = any (${ids}::text[]) and status = 'SENT' and is_refunded
    order by id for update`)
}

export interface Note {
  messageId: string
  entry: string
}

/** Adds entries to messages that do not move. Returns the IDs that exist. */
export async function appendEntries(
  db: Queryable,
  accountId: AccountId,
  notes: readonly Note[],
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

export interface DeliveredPart {
  messageId: string
  /** From 0. */
  part: number
  parts: number
}

/** The messages that are now delivered in all parts. A repeated part counts once. */
export async function markDelivered(
  db: Queryable,
  accountId: AccountId,
  delivered: readonly DeliveredPart[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    with marked as (
      update messages m set delivered_parts = coalesce(m.delivered_parts, 0) | x.bits
      from (select id, bit_or(1::bigint << part) as bits, max(parts) as parts
        from unnest(${delivered.map((d) => d.messageId)}::text[],
          ${delivered.map((d) => d.part)}::int[], ${delivered.map((d) => d.parts)}::int[])
          as x (id, part, parts) group by id) x
      where m.account_id = ${accountId} and m.id = x.id
      returning m.id, m.delivered_parts = (1::bigint << x.parts) - 1 as is_whole
    ) select id from marked where is_whole`)
  return new Set(rows.map((row) => row.id))
}
