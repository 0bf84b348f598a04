// Long messages are submitted in parts, in any order, perhaps over several connections. Each part is kept before it is
// answered, so what was answered outlives the process; the last one to come makes the message. A client with a
// window of one is answered part by part, with ids of the parts; the last is answered with the message's.

import { appendEvent } from '../events/append-events.js'
import { insertDelivery } from '../events/queue/delivery-round-queries.js'
import { newId } from '../kit/ids.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { MessageState } from '../smpp/message-state.js'
import { deleteParts, insertPart, listParts, lockSet, type StoredPart } from './part-queries.js'
import { isWanted, partId } from './receipt-wish.js'

export type NewPart = Omit<StoredPart, 'setId' | 'messageId' | 'receivedAt'>

export type Stored =
  /** Others are missing, or it came before: what it is answered with. */
  | { kind: 'answered'; id: string }
  /** Now all are there. */
  | { kind: 'whole'; parts: StoredPart[] }

/** After a broken connection the customer repeats what had no answer: for so long that is no new message. */
const REPEAT_MS = 10 * 60_000

export async function storePart(tx: Transaction, part: NewPart, now: Date): Promise<Stored> {
  await lockSet(tx, part)
  const known = await listParts(tx, part)
  const twin = known.find(({ sequence }) => sequence === part.sequence)
  const isSame = twin !== undefined && twin.total === part.total && twin.body === part.body
  const isDone = known.some(({ messageId }) => messageId !== null)

  if (isSame && !isDone) {
    if (known.length === part.total) return { kind: 'whole', parts: known }
    return { kind: 'answered', id: partId(twin.setId, twin.sequence) }
  }
  // On its own connection the answer has come, so the same again is another message.
  if (
    isSame &&
    twin.bindId !== part.bindId &&
    now.getTime() - twin.receivedAt.getTime() < REPEAT_MS
  ) {
    return { kind: 'answered', id: repeatedId(known, twin) }
  }

  // Clients count their references up and start again: then another message begins here.
  const isOther = isDone || twin !== undefined || known.some(({ total }) => total !== part.total)
  if (isOther && known.length > 0) await endSet(tx, known, INCOMPLETE, now)
  const set = isOther ? [] : known
  const stored = {
    ...part,
    setId: set[0]?.setId ?? newId('prt', now),
    messageId: null,
    receivedAt: now,
  }
  await insertPart(tx, stored)
  const parts = [...set, stored].sort((a, b) => a.sequence - b.sequence)
  if (parts.length === part.total) return { kind: 'whole', parts }
  return { kind: 'answered', id: partId(stored.setId, stored.sequence) }
}

/** The last to come was answered with the message's id, the others with their own. */
function repeatedId(known: readonly StoredPart[], twin: StoredPart): string {
  return lastOf(known) === twin ? twin.messageId! : partId(twin.setId, twin.sequence)
}

/** The part that made the message: of those that came at one moment, the highest. */
export function lastOf(parts: readonly StoredPart[]): StoredPart {
  return parts.reduce((last, part) => (part.receivedAt >= last.receivedAt ? part : last))
}

export function joinedText(parts: readonly StoredPart[]): string {
  return parts.map(({ body }) => body).join('')
}

/** What the receipts of parts say that came to no message. */
export interface Ending {
  state: MessageState
  /** Three digits. */
  error: number
}

/** The error stands for no code of ours: the message never was. */
export const INCOMPLETE: Ending = { state: 'UNDELIVERABLE', error: 1 }
export const REFUSED: Ending = { state: 'REJECTED', error: 2 }

/** As it stands in the event. */
export interface EndedParts extends Ending {
  ids: string[]
  number: string
  peer: string
  submittedAt: string
}

/** Gone, and whoever asked for receipts is told, unless it is a message by now. `unanswered`: it had a no instead. */
export async function endSet(
  tx: Transaction,
  parts: readonly StoredPart[],
  ending: Ending,
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
