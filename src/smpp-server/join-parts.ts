// Joins long messages. Their parts arrive in any order, perhaps over several connections. Each part is stored
// before it is acknowledged, so acknowledged parts survive a crash. The last one creates the message. A client with
// a window of one gets a response per part with the part's ID. The last response has the message's ID.

import { appendEvent } from '../events/append-events.js'
import { insertDelivery } from '../events/queue/delivery-round-queries.js'
import { newId } from '../kit/ids.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { MessageState } from '../smpp/message-state.js'
import {
  deleteParts,
  insertPart,
  listParts,
  lockSet,
  type SubmittedPart,
  updateBind,
} from './part-queries.js'
import { isWanted, partId } from './receipt-request.js'

export type NewPart = Omit<SubmittedPart, 'setId' | 'messageId' | 'receivedAt'>

export type Stored =
  /** Other parts are missing, or this one is a repeat: its response. */
  | { kind: 'answered'; id: string }
  /** All parts are here. */
  | { kind: 'whole'; parts: SubmittedPart[] }

/** The time, and whether a connection still exists. */
export interface StoreContext {
  now: Date
  isBindAlive: (tx: Transaction, bindId: string) => Promise<boolean>
}

/**
 * After a broken connection, the customer repeats unanswered parts. Within this time, a repeat is not a new
 * message.
 */
const REPEAT_MS = 10 * 60_000

export async function storePart(
  tx: Transaction,
  part: NewPart,
  moment: StoreContext,
): Promise<Stored> {
  await lockSet(tx, part)
  const parts = await listParts(tx, part)
  const twin = parts.find(({ sequence }) => sequence === part.sequence)
  const isSame = twin !== undefined && twin.total === part.total && twin.body === part.body
  if (!isSame) return insertNew(tx, part, parts, moment.now)
  if (twin.messageId === null) {
    if (parts.length === part.total) return { kind: 'whole', parts: parts }
    return { kind: 'answered', id: partId(twin.setId, twin.sequence) }
  }
  if (!(await isRepeat(tx, part, twin, moment))) return insertNew(tx, part, parts, moment.now)
  await updateBind(tx, twin, part.bindId)
  return { kind: 'answered', id: repeatedId(parts, twin) }
}

/** If its connection is still open, the response has arrived, so the same part again belongs to another message. */
async function isRepeat(
  tx: Transaction,
  { bindId }: NewPart,
  twin: SubmittedPart,
  { now, isBindAlive }: StoreContext,
): Promise<boolean> {
  const isRecent = now.getTime() - twin.receivedAt.getTime() < REPEAT_MS
  return isRecent && twin.bindId !== bindId && !(await isBindAlive(tx, twin.bindId))
}

async function insertNew(
  tx: Transaction,
  part: NewPart,
  previous: readonly SubmittedPart[],
  now: Date,
): Promise<Stored> {
  // Clients increment their references and wrap around, so this part starts another message.
  const isOther = previous.some(
    ({ total, sequence, messageId }) =>
      messageId !== null || total !== part.total || sequence === part.sequence,
  )
  if (isOther) await endSet(tx, previous, INCOMPLETE, now)
  const set = isOther ? [] : previous
  const setId = set[0]?.setId ?? newId('prt', now)
  const stored = { ...part, setId, messageId: null, receivedAt: now }
  await insertPart(tx, stored)
  const parts = [...set, stored].sort((a, b) => a.sequence - b.sequence)
  if (parts.length === part.total) return { kind: 'whole', parts }
  return { kind: 'answered', id: partId(setId, stored.sequence) }
}

/** The last part was answered with the message's ID, the others with their own. */
function repeatedId(parts: readonly SubmittedPart[], twin: SubmittedPart): string {
  return lastOf(parts) === twin ? twin.messageId! : partId(twin.setId, twin.sequence)
}

/** The part that completed the message. If several arrived at the same time, the highest. */
function lastOf(parts: readonly SubmittedPart[]): SubmittedPart {
  return parts.reduce((last, part) => (part.receivedAt >= last.receivedAt ? part : last))
}

export function joinedText(parts: readonly SubmittedPart[]): string {
  return parts.map(({ body }) => body).join('')
}

/** The content of receipts for parts that never became a message. */
export interface PartsFailure {
  state: MessageState
  /** Three digits. */
  error: number
}

/** None of our error codes applies, because the message never existed. */
export const INCOMPLETE: PartsFailure = { state: 'UNDELIVERABLE', error: 1 }
export const REFUSED: PartsFailure = { state: 'REJECTED', error: 2 }

/** As in the event. */
export interface EndedParts extends PartsFailure {
  ids: string[]
  number: string
  peer: string
  submittedAt: string
}

/**
 * Removes the set and sends the requested receipts, unless it has become a message. `unanswered`: the part that
 * was refused.
 */
export async function endSet(
  tx: Transaction,
  parts: readonly SubmittedPart[],
  ending: PartsFailure,
  now: Date,
  unanswered: number | null = null,
): Promise<void> {
  const first = parts[0]!
  await deleteParts(tx, first)
  if (parts.some(({ messageId }) => messageId !== null)) return
  const told = parts.filter(
    ({ receipt, sequence }) => isWanted(receipt, 'failure') && sequence !== unanswered,
  )
  if (told.length === 0) return
  const data: EndedParts = {
    ...ending,
    ids: told.map(({ setId, sequence }) => partId(setId, sequence)),
    number: first.sender,
    peer: first.peer,
    submittedAt: first.receivedAt.toISOString(),
  }
  const { accountId, tokenId } = first
  const eventType = 'smpp.receipt'
  const eventId = await appendEvent(tx, { accountId, eventType, data: { ...data }, now })
  await insertDelivery(tx, accountId, tokenId, eventId, now)
}
