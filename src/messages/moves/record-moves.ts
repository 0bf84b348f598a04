// Records what carriers say and what we do: moves and retries gather per account and are written in
// batches. A move that does not exist is no error: carriers repeat and reorder their receipts.

import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '../../accounts/account.js'
import { KeyedBatchWriter } from '../../kit/batch-writer.js'
import { elapsedMs } from '../../kit/clock.js'
import { DatabaseFailure } from '../../kit/postgres/db-failure.js'
import type { World } from '../../kit/world.js'
import { LEASE_MS } from '../lane.js'
import {
  appendEntries,
  type Move,
  moveMessages,
  type Requeue,
  requeueMessages,
} from './move-queries.js'

const BATCH_MAX = 500
/** Carriers take seconds, so a few milliseconds are nobody's loss, and one commit serves many. */
const WRITE_EVERY_MS = 10
/** A lease lasts no longer: then another process takes up what is not recorded. */
const KEPT_MS = LEASE_MS
const KEPT_RETRY_MS = 250

type MoveOutcome = 'moved' | 'stale' | 'unknown'

export interface MoveRecorder {
  /** Resolves when it is durable. */
  move: (accountId: AccountId, move: Move) => Promise<MoveOutcome>
  requeue: (accountId: AccountId, requeue: Requeue) => Promise<void>
  /** How much waits to be written. */
  depth: () => number
  drain: () => Promise<void>
}

export function createMoveRecorder(world: World): MoveRecorder {
  const { db } = world
  const moves = new KeyedBatchWriter<Move, MoveOutcome>({
    batchMax: BATCH_MAX,
    everyMs: WRITE_EVERY_MS,
    write: (accountId, items) => persist(() => writeMoves(world, accountId, items)),
  })
  const requeues = new KeyedBatchWriter<Requeue, void>({
    batchMax: BATCH_MAX,
    write: async (accountId, items) => {
      await persist(() => requeueMessages(db, accountId, items))
      world.hints.notify('messages')
      return items.map(() => undefined)
    },
  })
  return {
    move: (accountId, move) => moves.add(accountId, move),
    requeue: (accountId, requeue) => requeues.add(accountId, requeue),
    depth: () => moves.depth + requeues.depth,
    drain: async () => {
      await moves.drain()
      await requeues.drain()
    },
  }
}

// What a carrier said it does not say again, and what it took must not be handed to it twice: while the
// database is away, that is kept. Written twice it is the same, since states never go back.
async function persist<T>(write: () => Promise<T>): Promise<T> {
  const startedMs = elapsedMs()
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof DatabaseFailure) || elapsedMs(startedMs) >= KEPT_MS) throw error
      await sleep(KEPT_RETRY_MS)
    }
  }
}

// One statement moves a message once. A batch that names it twice (its submit and its receipt came
// together) is written in rounds, in order of arrival.
async function writeMoves(
  world: World,
  accountId: AccountId,
  moves: Move[],
): Promise<MoveOutcome[]> {
  const outcomes = new Map<Move, MoveOutcome>()
  for (let rest = moves; rest.length > 0; ) {
    const round = new Map<string, Move>()
    const later: Move[] = []
    for (const move of rest) {
      if (round.has(move.messageId)) later.push(move)
      else round.set(move.messageId, move)
    }
    await writeRound(world, accountId, [...round.values()], outcomes)
    rest = later
  }
  return moves.map((move) => outcomes.get(move)!)
}

async function writeRound(
  { db, clock, hints }: World,
  accountId: AccountId,
  moves: Move[],
  outcomes: Map<Move, MoveOutcome>,
): Promise<void> {
  const { moved, deliveries } = await moveMessages(db, accountId, moves, clock.now())
  if (deliveries > 0) hints.notify('deliveries')
  const receipts = moves.filter((move) => move.isReceipt && !moved.has(move.messageId))
  const known = receipts.length === 0 ? moved : await noteStale(db, accountId, receipts)
  for (const move of moves) {
    const isKnown = !move.isReceipt || known.has(move.messageId)
    outcomes.set(move, moved.has(move.messageId) ? 'moved' : isKnown ? 'stale' : 'unknown')
  }
}

// Our own record of a submit that a receipt overtook is no receipt: there is nothing to note.
async function noteStale(
  db: World['db'],
  accountId: AccountId,
  moves: Move[],
): Promise<Set<string>> {
  const notes = moves.map((move) => ({
    messageId: move.messageId,
    entry: `${move.entry.split('|', 1)[0]}|stale|${move.target}`,
  }))
  return appendEntries(db, accountId, notes)
}
