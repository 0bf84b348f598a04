// Accepts messages in batches. The caller is answered after the commit; what can be sent at once is
// handed to the dispatcher in memory, its lease already in the row, and everything else is found by it.

import type { AccountId } from '../accounts/account.js'
import { findAnswer, replay } from '../accounts/idempotency.js'
import { KeyedBatchWriter } from '../kit/batch-writer.js'
import { brokenConstraint } from '../kit/db.js'
import { Refusal } from '../kit/refusal.js'
import type { World } from '../kit/world.js'
import { findBalanceMicros, lockWallet } from '../ledger/ledger-queries.js'
import { explainRefusals, insertAccepted, type NewMessage } from './accept-queries.js'

const BATCH_MAX = 500

/** One message of a batch: its id, or why not. */
export type Acceptance = { id: string; isReplay: boolean } | Refusal

export interface Acceptor {
  accept: (accountId: AccountId, message: NewMessage) => Promise<Acceptance>
  drain: () => Promise<void>
}

export function createAcceptor(
  world: World,
  handOn: (accountId: AccountId, messages: NewMessage[], now: Date) => void,
): Acceptor {
  const writer = new KeyedBatchWriter<NewMessage, Acceptance>({
    batchMax: BATCH_MAX,
    write: async (accountId, messages) => {
      const now = world.clock.now()
      const written = await writeBatch(world, accountId, messages, now)
      const accepted = messages.filter((message) => written.has(message.id))
      handOn(
        accountId,
        accepted.filter((message) => message.isHandedOn),
        now,
      )
      if (accepted.some((message) => !message.isHandedOn)) world.hints.give('messages')
      if (accepted.length === messages.length) {
        return messages.map(({ id }) => ({ id, isReplay: false }))
      }
      return answerAll(world, accountId, messages, written, now)
    },
  })
  return {
    accept: (accountId, message) => writer.add(accountId, message),
    drain: () => writer.drain(),
  }
}

async function writeBatch(
  world: World,
  accountId: AccountId,
  messages: NewMessage[],
  now: Date,
): Promise<Set<string>> {
  try {
    return await insertAccepted(world.db, accountId, messages, now)
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
): Promise<Set<string>> {
  return world.db.transaction(async (tx) => {
    await lockWallet(tx, accountId)
    let balance = await findBalanceMicros(tx, accountId)
    const affordable = messages.filter((message) => {
      if (message.priceMicros > balance) return false
      balance -= message.priceMicros
      return true
    })
    if (affordable.length === 0) return new Set<string>()
    return insertAccepted(tx, accountId, affordable, now)
  })
}

async function answerAll(
  world: World,
  accountId: AccountId,
  messages: NewMessage[],
  written: Set<string>,
  now: Date,
): Promise<Acceptance[]> {
  const refused = messages.filter((message) => !written.has(message.id))
  const facts = await explainRefusals(world.db, accountId, refused)
  const factsById = new Map(facts.map((fact) => [fact.id, fact]))
  return Promise.all(
    messages.map(async (message): Promise<Acceptance> => {
      if (written.has(message.id)) return { id: message.id, isReplay: false }
      const replayed = await replayOf(world, accountId, message, now)
      if (replayed) return replayed
      const fact = factsById.get(message.id)
      if (!fact?.isActive) return new Refusal('campaign_state', 'The campaign is not ACTIVE')
      if (fact.isOptedOut) return new Refusal('recipient_opted_out')
      return new Refusal('balance_insufficient')
    }),
  )
}

async function replayOf(
  { db }: World,
  accountId: AccountId,
  message: NewMessage,
  now: Date,
): Promise<Acceptance | null> {
  if (!message.once) return null
  const { key, requestHash } = message.once
  const stored = await findAnswer(db, { accountId, key, requestHash, now })
  if (!stored) return null
  try {
    return { id: replay<{ id: string }>(stored, requestHash).id, isReplay: true }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
