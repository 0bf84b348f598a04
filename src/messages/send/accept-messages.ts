// Accepts messages in batches. The client gets its response after the commit. Messages to send immediately are
// handed to the dispatcher in memory, under a lease written with them. The dispatcher finds all others by a claim.

import type { AccountId } from '../../accounts/account.js'
import { replay } from '../../accounts/idempotency.js'
import { findAnswer } from '../../accounts/idempotency-queries.js'
import { KeyedBatchWriter } from '../../kit/batch-writer.js'
import { Refusal } from '../../kit/contract/refusal.js'
import { newId } from '../../kit/ids.js'
import { brokenConstraint } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import { findBalanceMicros, lockWallet } from '../../ledger/ledger-queries.js'
import type { QueuedMessage } from '../lane-queries.js'
import { BATCH_MESSAGES_MAX } from '../message.js'
import {
  type Batch,
  explainRefusals,
  type IdempotencyKey,
  insertAccepted,
  type NewMessage,
  type RefusalFacts,
  type Written,
} from './accept-queries.js'

/**
 * Until this many wait, an account has one batch in the database: two would wait for the same wallet, and each
 * message of a larger batch costs less.
 */
const BATCH_ALONGSIDE_MIN = 64
/** From this size on, a batch keeps the database busy for so long that three run better in parallel. */
const BATCH_LARGE = 200
const BATCHES_UNDER_WAY_MAX = 3

/** One message of a batch: its ID, or why it was refused. */
export type Acceptance = { id: string; isReplay: boolean } | Refusal

/** Sends accepted messages immediately: the dispatcher. */
export interface HandoffTarget {
  /** Whether a message accepted now may be handed off in memory. */
  hasCapacity: () => boolean
  /** Right after the commit of a batch that starts with this ID. */
  handOff: (
    accountId: AccountId,
    firstId: string,
    messages: readonly QueuedMessage[],
    now: Date,
  ) => void
}

export interface Acceptor {
  accept: (accountId: AccountId, message: NewMessage) => Promise<Acceptance>
  acceptAll: (accountId: AccountId, messages: readonly NewMessage[]) => Promise<Acceptance[]>
  drain: () => Promise<void>
}

export function createAcceptor(world: World, handOff: HandoffTarget['handOff']): Acceptor {
  const count = world.metrics
    .counter('longcode_messages_accepted_total', 'Messages accepted')
    .cell()
  const writer = new KeyedBatchWriter<NewMessage, Acceptance>({
    batchMax: BATCH_MESSAGES_MAX,
    concurrency: BATCHES_UNDER_WAY_MAX,
    alongsideMin: [BATCH_ALONGSIDE_MIN, BATCH_LARGE],
    laneOf: (accountId) => world.db.pipelineOf(accountId),
    largeFrom: BATCH_LARGE,
    write: async (accountId, messages) => {
      // Lists are ordered by ID, so the time inside it must be createdAt, and later batches must have later IDs.
      const now = world.clock.now()
      const idOf = ({ trace }: NewMessage) =>
        trace ? trace.follow(accountId, 'msg', now) : newId('msg', now)
      const newBatch = { now, ids: messages.map(idOf), messages }
      const { batch, written } = await writeBatch(world, accountId, newBatch)
      count.value += written.count
      passOn(world, accountId, batch, written, handOff)
      if (written.count === messages.length) {
        return batch.ids.map((id) => ({ id, isReplay: false }))
      }
      return answerAll(world, accountId, batch, written)
    },
  })
  return {
    accept: (accountId, message) => writer.add(accountId, message),
    acceptAll: (accountId, messages) => writer.addAll(accountId, messages),
    drain: () => writer.drain(),
  }
}

/** What one or several statements wrote, and the batch as they wrote it. */
interface Outcome {
  batch: Batch
  written: Written
}

async function writeBatch(world: World, accountId: AccountId, batch: Batch): Promise<Outcome> {
  try {
    const isLarge = batch.messages.length >= BATCH_LARGE
    const db = isLarge ? world.db.shareOf(accountId) : world.db.pipeline(accountId)
    return { batch, written: await insertAccepted(db, accountId, batch) }
  } catch (error) {
    if (brokenConstraint(error) !== 'wallet_covered') throw error
    // Several statements would be several handoffs, so these few go through the queue.
    const queued = { ...batch, messages: batch.messages.map((m) => viaQueue(m, batch.now)) }
    return { batch: queued, written: await writeAffordable(world, accountId, queued) }
  }
}

function viaQueue(message: NewMessage, now: Date): NewMessage {
  if (message.path.kind === 'queue') return message
  return { ...message, path: { kind: 'queue', dueAt: now } }
}

// Low balance: the messages that it covers are written, in order of arrival, as if they had come one by one. The
// wallet stays locked, so nobody spends the counted amount.
async function writeAffordable(world: World, accountId: AccountId, batch: Batch): Promise<Written> {
  return world.db.shareOf(accountId).transaction(async (tx) => {
    await lockWallet(tx, accountId)
    const written = new Set<number>()
    for (let rest = [...batch.messages.keys()]; rest.length > 0; ) {
      const affordable = affordableOf(batch, rest, await findBalanceMicros(tx, accountId))
      if (affordable.length === 0) break
      const portion = {
        now: batch.now,
        ids: affordable.map((index) => batch.ids[index]!),
        messages: affordable.map((index) => batch.messages[index]!),
      }
      const accepted = await insertAccepted(tx, accountId, portion)
      for (const [i, index] of affordable.entries()) if (accepted.has(i)) written.add(index)
      // A message refused for another reason cost nothing, so the next one may use its share.
      if (accepted.count === affordable.length) break
      const tried = new Set(affordable)
      rest = rest.filter((index) => !tried.has(index))
    }
    return { count: written.size, has: (index) => written.has(index) }
  })
}

function affordableOf({ messages }: Batch, indexes: number[], balanceMicros: bigint): number[] {
  let left = balanceMicros
  return indexes.filter((index) => {
    const { priceMicros } = messages[index]!
    if (priceMicros > left) return false
    left -= priceMicros
    return true
  })
}

/** Notifies dispatchers: one of them has the messages or will find them. */
function passOn(
  world: World,
  accountId: AccountId,
  { now, ids, messages }: Batch,
  written: Written,
  handOff: HandoffTarget['handOff'],
): void {
  const fresh: QueuedMessage[] = []
  let [isHandoff, isQueued] = [false, false]
  for (let i = 0; i < messages.length; i += 1) {
    const message = messages[i]!
    if (message.path.kind === 'handoff') {
      isHandoff = true
      if (written.has(i)) fresh.push(queuedMessage(accountId, ids[i]!, message, now))
    } else if (written.has(i)) {
      isQueued = true
    }
  }
  // The handoff has its row as soon as one message was meant for it, accepted or not.
  if (isHandoff) handOff(accountId, ids[0]!, fresh, now)
  if (isQueued) world.hints.notify('messages', [accountId])
}

// Field by field, because a spread is many times slower and this runs for every message.
function queuedMessage(
  accountId: AccountId,
  id: string,
  message: NewMessage,
  now: Date,
): QueuedMessage {
  return {
    accountId,
    id,
    campaignId: message.campaignId,
    type: message.type,
    from: message.from,
    to: message.to,
    route: message.route,
    body: message.body,
    mediaUrls: message.mediaUrls,
    numSegments: message.numSegments,
    isReply: message.automatic !== null,
    attempts: 0,
    validitySeconds: message.validitySeconds,
    expiresAt: null,
    countedDay: null,
    isMediaChecked: false,
    createdAt: now,
    dueAt: now,
    status: 'QUEUED',
  }
}

async function answerAll(
  world: World,
  accountId: AccountId,
  { now, ids, messages }: Batch,
  written: Written,
): Promise<Acceptance[]> {
  const refused = messages.filter((_, i) => !written.has(i))
  const facts = await explainRefusals(world.db, accountId, refused)
  const factsOf = new Map(refused.map((message, i) => [message, facts[i]!]))
  return Promise.all(
    messages.map(async (message, i): Promise<Acceptance> => {
      if (written.has(i)) return { id: ids[i]!, isReplay: false }
      const replayed = message.once && (await replayOf(world, accountId, message.once, now))
      return replayed ?? refusalOf(factsOf.get(message)!)
    }),
  )
}

function refusalOf({ isEnded, isActive, isOptedOut }: RefusalFacts): Refusal {
  if (isEnded) {
    const text = 'The campaign has ended: it can no longer send messages'
    return new Refusal('campaign_state', text)
  }
  if (!isActive) return new Refusal('campaign_state', 'The campaign is not ACTIVE')
  return new Refusal(isOptedOut ? 'recipient_opted_out' : 'balance_insufficient')
}

/** The earlier response for this key. Null if the key is new. */
export async function replayOf(
  { db }: Pick<World, 'db'>,
  accountId: AccountId,
  { key, requestHash }: IdempotencyKey,
  now: Date,
): Promise<Acceptance | null> {
  const stored = await findAnswer(db, { accountId, key, requestHash, now })
  if (!stored) return null
  try {
    return { id: replay<{ id: string }>(stored, requestHash).id, isReplay: true }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
