// Matches receipts whose ID no response gave us to messages with an unknown outcome: the account by our number,
// then the message by reference, or by time and text. From then on the carrier's ID names that message, so a
// repeated receipt is found by it.

import type { AccountId } from '../../accounts/account.js'
import { KeyedBatchWriter } from '../../kit/batch-writer.js'
import type { Transaction } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import type { Receipt, ReceiptClue, ReceiptPort } from '../carrier-port.js'
import { chooseMessage } from '../evidence/fit-receipt.js'
import type { LinkEvidence } from '../evidence/link-evidence.js'
import {
  type Candidate,
  lockUnproven,
  type Match,
  recordMatches,
} from '../evidence/unproven-queries.js'
import { encodeEntry } from '../timeline.js'
import { type CarrierId, findCarrierIds, insertCarrierIds } from './carrier-id-queries.js'
import { retryUnlessAway } from './move-recorder.js'
import type { FindHolders } from './number-holders.js'

const RECEIPTS_PER_QUERY_MAX = 100

export interface MatchDeps {
  carrier: ReceiptPort
  evidence: Pick<LinkEvidence, 'count'>
}

export type Matched = CarrierId & {
  /** False: another process found it first. */
  isFirst: boolean
}

interface Wanted {
  receipt: Receipt
  clue: ReceiptClue
  carrierIds: readonly string[]
  receivedAt: Date
}

export class ReceiptMatcher {
  readonly #world: Pick<World, 'db' | 'clock'>
  readonly #deps: MatchDeps
  readonly #holdersOf: FindHolders
  readonly #matches: KeyedBatchWriter<Wanted, Matched | null>

  constructor(world: Pick<World, 'db' | 'clock'>, deps: MatchDeps, holdersOf: FindHolders) {
    this.#world = world
    this.#deps = deps
    this.#holdersOf = holdersOf
    this.#matches = new KeyedBatchWriter({
      batchMax: RECEIPTS_PER_QUERY_MAX,
      write: (accountId, lookups) =>
        retryUnlessAway<(Matched | null)[]>(
          () => world.db.transaction((tx) => this.#matchAll(tx, accountId, lookups), { accountId }),
          lookups.map(() => null),
        ),
    })
  }

  /** Null if no message fits or several do. Durable when it resolves. */
  async match(receipt: Receipt, receivedAt: Date): Promise<Matched | null> {
    const written = receipt.clue?.() ?? null
    if (written === null || !('carrierIds' in receipt.of)) return null
    const { carrierIds } = receipt.of
    const holders = await this.#holdersOf([written.number, written.peer])
    const swapped = { ...written, number: written.peer, peer: written.number }
    const clue = [written, swapped].find(({ number }) => holders.has(number))
    if (!clue || carrierIds.length === 0) return null
    const { accountId } = holders.get(clue.number)!
    const matched = await this.#matches.add(accountId, { receipt, clue, carrierIds, receivedAt })
    if (matched?.isFirst) {
      this.#deps.evidence.count(receipt.link, 'matched')
      this.#deps.evidence.count(receipt.link, 'sent')
    }
    return matched
  }

  async #matchAll(
    tx: Transaction,
    accountId: AccountId,
    lookups: readonly Wanted[],
  ): Promise<(Matched | null)[]> {
    const now = this.#world.clock.now()
    const pairs = lookups.map(({ clue }) => clue)
    const round = new Round(await lockUnproven(tx, accountId, pairs, now))
    if (round.messages.length === 0) return lookups.map(() => null)
    // Another process may have matched some of them while this one waited for the lock.
    const knownIds = await findKnown(tx, accountId, lookups)
    const matches: Match[] = []
    const matched = lookups.map((one) => {
      const first = knownIds.get(keyOf(one))
      if (first) return { ...first, isFirst: false }
      const found = this.#choose(accountId, one, round)
      if (!found) return null
      knownIds.set(keyOf(one), found.row)
      matches.push(found.match)
      return { ...found.row, isFirst: true }
    })
    const rows = matched.flatMap((one) => (one?.isFirst ? one : []))
    if (rows.length > 0) await insertCarrierIds(tx, accountId, rows, now)
    if (matches.length > 0) await recordMatches(tx, accountId, matches)
    return matched
  }

  #choose(
    accountId: AccountId,
    { receipt, clue, carrierIds, receivedAt }: Wanted,
    round: Round,
  ): { row: CarrierId; match: Match } | null {
    const { link, status } = receipt
    const { message, by } = chooseMessage({ link, clue, receivedAt }, round.between(clue))
    if (!message) return null
    const { id: messageId, body } = message
    const parts = this.#deps.carrier.receiptsOf?.(link, body) ?? 1
    const part = round.nextPart(message, parts)
    const isPart = status === 'DELIVERED' && parts > 1
    const detail = by === 'reference' ? 'reference' : 'numbers, time, and text'
    const entry = encodeEntry(this.#world.clock.now(), 'matched', detail)
    return {
      row: { link, carrierId: carrierIds[0]!, accountId, messageId, part, parts },
      match: { messageId, deliveredPart: isPart ? part : null, entry },
    }
  }
}

function keyOf({ receipt, carrierIds }: Wanted): string {
  return `${receipt.link} ${carrierIds[0]}`
}

/** By link. There is nearly always just one. */
async function findKnown(
  tx: Transaction,
  accountId: AccountId,
  lookups: readonly Wanted[],
): Promise<Map<string, CarrierId>> {
  const knownIds = new Map<string, CarrierId>()
  for (const link of new Set(lookups.map(({ receipt }) => receipt.link))) {
    const own = lookups.filter(({ receipt }) => receipt.link === link)
    const carrierIds = own.flatMap((one) => one.carrierIds)
    const found = await findCarrierIds(tx, { link, carrierIds, accountId })
    for (const one of own) {
      const id = one.carrierIds.find((spelling) => found.has(spelling))
      if (id !== undefined) knownIds.set(keyOf(one), found.get(id)!)
    }
  }
  return knownIds
}

/** The messages that the receipts of one batch may be about, minus those already matched. */
class Round {
  messages: readonly Candidate[]

  constructor(messages: readonly Candidate[]) {
    this.messages = messages
  }

  between({ number, peer }: ReceiptClue): Candidate[] {
    return this.messages.filter((one) => one.number === number && one.peer === peer)
  }

  /** The part that this receipt counts for. A message with no part left matches nothing else. */
  nextPart(message: Candidate, parts: number): number {
    let part = 0
    while (part < parts - 1 && (message.deliveredParts & (1n << BigInt(part))) !== 0n) part += 1
    message.deliveredParts |= 1n << BigInt(part)
    const isWhole = message.deliveredParts === (1n << BigInt(parts)) - 1n
    if (isWhole) this.messages = this.messages.filter((one) => one !== message)
    return part
  }
}
