// Accepts messages in batches. The caller is answered after the commit; what can be sent at once is
// handed to the dispatcher in memory, under a lease written with it, and everything else is found by it.

import type { AccountId } from '../../accounts/account.js'
import { replay } from '../../accounts/idempotency.js'
import { findAnswer } from '../../accounts/idempotency-queries.js'
import { KeyedBatchWriter } from '../../kit/batch-writer.js'
import { Refusal } from '../../kit/contract/refusal.js'
import { newId } from '../../kit/ids.js'
import { brokenConstraint } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import { findBalanceMicros, lockWallet } from '../../ledger/ledger-queries.js'
import { explainRefusals, insertAccepted, type NewMessage, type OnceKey } from './accept-queries.js'

const BATCH_MAX = 1000
/** One batch is with the database, the next one waits for its turn there, not here. */
const BATCH_BESIDE_MIN = 24
/** From here on a batch keeps the database busy for so long that three are better run side by side. */
const BATCH_LARGE = 200
const BATCHES_UNDER_WAY_MAX = 3

/** One message of a batch: its id, or why not. */
export type Acceptance = { id: string; isReplay: boolean } | Refusal

/** Whoever sends at once what was just accepted: the dispatcher. */
export interface HandoffTarget {
  /** Whether a message accepted now may be handed on in memory. */
  hasCapacity: () => boolean
  /** Right after the commit of a batch that begins with this id. */
  handOn: (
    accountId: AccountId,
    firstId: string,
    messages: readonly NewMessage[],
    now: Date,
  ) => void
}

export interface Acceptor {
  accept: (accountId: AccountId, message: NewMessage) => Promise<Acceptance>
  acceptAll: (accountId: AccountId, messages: readonly NewMessage[]) => Promise<Acceptance[]>
  drain: () => Promise<void>
}

export function createAcceptor(world: World, handOn: HandoffTarget['handOn']): Acceptor {
  const count = world.metrics
    .counter('longcode_messages_accepted_total', 'Messages accepted')
    .cell()
  const writer = new KeyedBatchWriter<NewMessage, Acceptance>({
    batchMax: BATCH_MAX,
    concurrency: BATCHES_UNDER_WAY_MAX,
    besideMin: [BATCH_BESIDE_MIN, BATCH_LARGE],
    write: async (accountId, messages) => {
      // Lists go by id, so the time inside it must be createdAt and later batches must have later ids.
      const now = world.clock.now()
      for (const message of messages) message.id = newId('msg', now)
      const accepted = await writeBatch(world, accountId, messages, now)
      count.value += accepted.length
      // The handoff has its row as soon as one was meant for it, accepted or not.
      if (messages.some((message) => message.dueAt === null)) {
        const handed = accepted.filter((message) => message.dueAt === null)
        handOn(accountId, messages[0]!.id, handed, now)
      }
      if (accepted.some((message) => message.dueAt !== null)) world.hints.notify('messages')
      if (accepted.length === messages.length) {
        return messages.map(({ id }) => ({ id, isReplay: false }))
      }
      return answerAll(world, accountId, messages, new Set(accepted), now)
    },
  })
  return {
    accept: (accountId, message) => writer.add(accountId, message),
    acceptAll: (accountId, messages) => writer.addAll(accountId, messages),
    drain: () => writer.drain(),
  }
}

async function writeBatch(
  world: World,
  accountId: AccountId,
  messages: NewMessage[],
  now: Date,
): Promise<NewMessage[]> {
  try {
    const db =
      messages.length < BATCH_LARGE ? world.db.pipeline(accountId) : world.db.shareOf(accountId)
    return await insertAccepted(db, accountId, messages, now)
  } catch (error) {
    if (brokenConstraint(error) !== 'wallet_covered') throw error
    return writeAffordable(world, accountId, messages, now)
  }
}

// Short of money: those that the balance covers are written, in order of arrival, as if they had
// come one by one. The wallet stays locked meanwhile, so that nobody spends what was counted.
async function writeAffordable(
  world: World,
  accountId: AccountId,
  messages: NewMessage[],
  now: Date,
): Promise<NewMessage[]> {
  // Several statements would be several handoffs: these few go through the queue.
  for (const message of messages) message.dueAt ??= now
  return world.db.shareOf(accountId).transaction(async (tx) => {
    await lockWallet(tx, accountId)
    const written: NewMessage[] = []
    for (let rest = messages; rest.length > 0; ) {
      const affordable = affordableOf(rest, await findBalanceMicros(tx, accountId))
      if (affordable.size === 0) break
      const accepted = await insertAccepted(tx, accountId, [...affordable], now)
      written.push(...accepted)
      // One that was refused for another reason cost nothing: the next in line may have its share.
      if (accepted.length === affordable.size) break
      rest = rest.filter((message) => !affordable.has(message))
    }
    return written
  })
}

function affordableOf(messages: readonly NewMessage[], balanceMicros: bigint): Set<NewMessage> {
  let left = balanceMicros
  const affordable = messages.filter((message) => {
    if (message.priceMicros > left) return false
    left -= message.priceMicros
    return true
  })
  return new Set(affordable)
}

async function answerAll(
  world: World,
  accountId: AccountId,
  messages: NewMessage[],
  accepted: ReadonlySet<NewMessage>,
  now: Date,
): Promise<Acceptance[]> {
  const refused = messages.filter((message) => !accepted.has(message))
  const facts = await explainRefusals(world.db, accountId, refused)
  const factsById = new Map(facts.map((fact) => [fact.id, fact]))
  return Promise.all(
    messages.map(async (message): Promise<Acceptance> => {
      if (accepted.has(message)) return { id: message.id, isReplay: false }
      const replayed = message.once && (await replayOf(world, accountId, message.once, now))
      if (replayed) return replayed
      const fact = factsById.get(message.id)
      if (fact?.isEnded) {
        const text = 'The campaign has ended: nothing can be sent from it any more'
        return new Refusal('campaign_state', text)
      }
      if (!fact?.isActive) return new Refusal('campaign_state', 'The campaign is not ACTIVE')
      if (fact.isOptedOut) return new Refusal('recipient_opted_out')
      return new Refusal('balance_insufficient')
    }),
  )
}

/** What the key was answered with before; null where it is new. */
export async function replayOf(
  { db }: Pick<World, 'db'>,
  accountId: AccountId,
  { key, requestHash }: OnceKey,
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
