// Records what carriers report and what we do. Moves and retries are collected per account and written in batches.
// An impossible move is not an error, because carriers repeat and reorder their receipts.

import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '../../accounts/account.js'
import type { DirectDeliveries } from '../../events/queue/direct-deliveries.js'
import { KeyedBatchWriter, RECORDS_PER_WRITE_MAX } from '../../kit/batch-writer.js'
import { elapsedMs } from '../../kit/clock.js'
import { DatabaseAbandoned, DatabaseFailure, isWorkerAway } from '../../kit/postgres/db-failure.js'
import type { World } from '../../kit/world.js'
import type { LinkEvidence } from '../evidence/link-evidence.js'
import { LEASE_MS } from '../lane.js'
import { insertCarrierIds } from './carrier-id-queries.js'
import { type Move, type MoveResult, moveMessages } from './move-queries.js'
import type { RecentIds } from './recent-ids.js'
import { recordCarrierOptouts } from './record-carrier-optouts.js'
import { type Requeue, requeueMessages } from './requeue-queries.js'

/** Carriers take seconds, so a few milliseconds do not matter, and one commit serves many. */
const WRITE_EVERY_MS = 10
/** A lease lasts no longer. Then another process takes over what is not recorded. */
const KEPT_MS = LEASE_MS
const KEPT_RETRY_MS = 250

/** Stale: the message has no such move before it, or there is no such message. */
type MoveOutcome = 'moved' | 'stale'

export class MoveRecorder {
  readonly #moves: KeyedBatchWriter<Move, MoveOutcome>
  readonly #recent: Pick<RecentIds, 'add'>
  readonly #evidence: Pick<LinkEvidence, 'count'>
  readonly #requeues: KeyedBatchWriter<Requeue, void>

  constructor(
    world: World,
    recent: Pick<RecentIds, 'add'>,
    evidence: Pick<LinkEvidence, 'count'>,
    direct: DirectDeliveries,
  ) {
    this.#recent = recent
    this.#evidence = evidence
    this.#moves = new KeyedBatchWriter({
      batchMax: RECORDS_PER_WRITE_MAX,
      everyMs: WRITE_EVERY_MS,
      write: (accountId, moves) =>
        retryWhileDatabaseDown(() => writeMoves({ world, evidence, direct }, accountId, moves)),
    })
    this.#requeues = new KeyedBatchWriter<Requeue, void>({
      batchMax: RECORDS_PER_WRITE_MAX,
      write: async (accountId, requeues) => {
        await retryWhileDatabaseDown(() => requeueMessages(world.db, accountId, requeues))
        world.hints.notify('messages', [accountId])
        return requeues.map(() => undefined)
      },
    })
  }

  /** Resolves when it is durable. */
  move(accountId: AccountId, move: Move): Promise<MoveOutcome> {
    // Before it is written, because its receipt may come first.
    if (move.carrierIds) {
      this.#recent.add(move.carrierIds)
      this.#evidence.count(move.carrierIds[0]!.link, 'sent')
    }
    return this.#moves.add(accountId, move)
  }

  requeue(accountId: AccountId, requeue: Requeue): Promise<void> {
    if (requeue.unknown) this.#evidence.count(requeue.unknown.link, 'unknown')
    return this.#requeues.add(accountId, requeue)
  }

  async drain(): Promise<void> {
    await this.#moves.drain()
    await this.#requeues.drain()
  }
}

// A carrier does not repeat its response, and a message it accepted must not be submitted twice, so this is retried
// while the database is down. Writing it twice does no harm, because states never go back.
export async function retryWhileDatabaseDown<T>(write: () => Promise<T>): Promise<T> {
  const startedMs = elapsedMs()
  for (;;) {
    try {
      return await write()
    } catch (error) {
      const isOver = error instanceof DatabaseAbandoned || elapsedMs(startedMs) >= KEPT_MS
      if (!(error instanceof DatabaseFailure) || isOver) throw error
      await sleep(KEPT_RETRY_MS)
    }
  }
}

/** The same, but a worker that does not respond ends it: what waits for it must not make others wait. */
export function retryUnlessAway<T>(write: () => Promise<T>, ifAway: T): Promise<T> {
  return retryWhileDatabaseDown(() =>
    write().catch((error) => {
      if (isWorkerAway(error)) return ifAway
      throw error
    }),
  )
}

interface Parts {
  world: World
  evidence: Pick<LinkEvidence, 'count'>
  direct: DirectDeliveries
}

// One statement moves a message once. If a batch contains a message twice (its submit and its receipt came
// together), it is written in rounds, in order of arrival.
async function writeMoves(
  parts: Parts,
  accountId: AccountId,
  moves: Move[],
): Promise<MoveOutcome[]> {
  const { world, evidence } = parts
  const carrierIds = moves.flatMap((move) => move.carrierIds ?? [])
  // First, because anyone notified of the move may read what the carrier reported.
  if (carrierIds.length > 0)
    await insertCarrierIds(world.db, accountId, carrierIds, world.clock.now())
  const outcomes = new Map<Move, MoveOutcome>()
  for (let rest = moves; rest.length > 0; ) {
    const round = new Map<string, Move>()
    const later: Move[] = []
    for (const move of rest) {
      if (round.has(move.messageId)) later.push(move)
      else round.set(move.messageId, move)
    }
    const results = await writeRound(parts, accountId, [...round.values()], outcomes)
    await nameProven(world, accountId, round, results)
    for (const { recharged, forgiven } of results) {
      evidence.count(null, 'recharged', recharged.size)
      evidence.count(null, 'forgiven', forgiven.size)
    }
    rest = later
  }
  return moves.map((move) => outcomes.get(move)!)
}

/**
 * A provider's list contains messages by its IDs. A message proven by a receipt must not be taken for another one.
 */
async function nameProven(
  { db, clock }: World,
  accountId: AccountId,
  moves: ReadonlyMap<string, Move>,
  results: readonly MoveResult[],
): Promise<void> {
  const unnamed = results.flatMap((result) => [...result.unnamed])
  const ids = unnamed.flatMap((id) => moves.get(id)?.provenAs ?? [])
  if (ids.length > 0) await insertCarrierIds(db, accountId, ids, clock.now())
}

async function writeRound(
  { world, direct }: Parts,
  accountId: AccountId,
  moves: Move[],
  outcomes: Map<Move, MoveOutcome>,
): Promise<MoveResult[]> {
  const { db, clock, hints } = world
  const now = clock.now()
  const [optouts, plain] = [moves.filter(isOptout), moves.filter((move) => !isOptout(move))]
  const results = [
    await moveMessages(db, accountId, plain, now, {
      transact: (work) => db.transaction(work, { accountId }),
      direct,
    }),
  ]
  if (optouts.length > 0) {
    // Together, because nobody reports it again, and a moved message is no longer queried.
    const both = await db.transaction(
      async (tx) => {
        const result = await moveMessages(tx, accountId, optouts, now, {
          transact: (work) => work(tx),
        })
        const moved = optouts.filter(({ messageId }) => result.moved.has(messageId))
        return { ...result, optouts: await recordCarrierOptouts(tx, accountId, moved, now) }
      },
      { accountId },
    )
    results.push({ ...both, deliveries: both.deliveries + both.optouts })
  }
  if (results.some(({ deliveries }) => deliveries > 0)) hints.notify('deliveries', [accountId])
  for (const move of moves) {
    const isMoved = results.some(({ moved }) => moved.has(move.messageId))
    outcomes.set(move, isMoved ? 'moved' : 'stale')
  }
  return results
}

function isOptout({ optedOutAs }: Move): boolean {
  return optedOutAs !== undefined
}
