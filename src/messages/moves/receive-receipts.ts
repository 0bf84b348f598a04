// Receipts: what a carrier says became of a message, named by our id or by the carrier's. Most of them move it.
// One that is late or repeated moves nothing and is noted in the timeline; one that no message answers to is
// kept as a stray, and looked for again where the answer that names it may still be on its way.

import { KeyedBatchWriter } from '../../kit/batch-writer.js'
import { isId } from '../../kit/ids.js'
import type { World } from '../../kit/world.js'
import type { Receipt } from '../carrier-port.js'
import { knownCode, MESSAGE_ERRORS } from '../message-errors.js'
import { encodeAnswer, encodeEntry } from '../timeline.js'
import { type CarrierId, findCarrierIds } from './carrier-id-queries.js'
import {
  appendEntries,
  type DeliveredPart,
  type Move,
  markDelivered,
  type Note,
} from './move-queries.js'
import { type MoveRecorder, persist } from './move-recorder.js'
import { deleteStrayReceipts, insertStrayReceipt } from './receipt-queries.js'
import type { RecentIds } from './recent-ids.js'

const BATCH_MAX = 500
const LOOK_AGAIN_MS = 1_000

export interface ReceiptDeps {
  recorder: Pick<MoveRecorder, 'move'>
  recent: Pick<RecentIds, 'find'>
}

type Named = Pick<CarrierId, 'accountId' | 'messageId' | 'part' | 'parts'>

export class ReceiptReceiver {
  readonly #world: World
  readonly #deps: ReceiptDeps
  readonly #notes: KeyedBatchWriter<Note, boolean>
  readonly #parts: KeyedBatchWriter<DeliveredPart, boolean>
  readonly #lookups: KeyedBatchWriter<readonly string[], CarrierId | null>
  #underWay = 0
  readonly #drained: (() => void)[] = []

  constructor(world: World, deps: ReceiptDeps) {
    this.#world = world
    this.#deps = deps
    this.#notes = new KeyedBatchWriter({
      batchMax: BATCH_MAX,
      write: async (accountId, notes) => {
        const known = await persist(() => appendEntries(world.db, accountId, notes))
        return notes.map(({ messageId }) => known.has(messageId))
      },
    })
    this.#parts = new KeyedBatchWriter({
      batchMax: BATCH_MAX,
      write: async (accountId, parts) => {
        const whole = await persist(() => markDelivered(world.db, accountId, parts))
        return parts.map(({ messageId }) => whole.has(messageId))
      },
    })
    this.#lookups = new KeyedBatchWriter({
      batchMax: BATCH_MAX,
      write: async (link, spellings) => {
        const found = await persist(() => findCarrierIds(world.db, link, spellings.flat()))
        return spellings.map((ids) => firstOf(ids, found))
      },
    })
  }

  /** Resolves when it is durable: only then may the carrier be answered. */
  async receive(receipt: Receipt): Promise<void> {
    this.#underWay += 1
    try {
      await this.#record(receipt, this.#world.clock.now())
    } finally {
      this.#underWay -= 1
      if (this.#underWay === 0) for (const resolve of this.#drained.splice(0)) resolve()
    }
  }

  /** One that waited. False where its message is still not known. */
  async receiveLate(receipt: Receipt): Promise<boolean> {
    const named = await this.#find(receipt)
    return named !== null && (await this.#apply(named, receipt, this.#world.clock.now()))
  }

  /** Resolves when none is under way. */
  async drain(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#drained.push(resolve))
  }

  async #record(receipt: Receipt, now: Date): Promise<void> {
    const { db } = this.#world
    const named = await this.#find(receipt)
    if (named && (await this.#apply(named, receipt, now))) return
    const mayCome = named === null && 'carrierIds' in receipt.of && receipt.of.carrierIds.length > 0
    const lookAt = mayCome ? new Date(now.getTime() + LOOK_AGAIN_MS) : null
    const id = await persist(() => insertStrayReceipt(db, receipt, now, lookAt))
    // The answer may have been written down between the look and now.
    if (mayCome && (await this.receiveLate(receipt))) await deleteStrayReceipts(db, [id])
  }

  async #find({ link, of }: Receipt): Promise<Named | null> {
    if ('messageId' in of) {
      return isId('msg', of.messageId) ? { ...of, part: 0, parts: 1 } : null
    }
    if (of.carrierIds.length === 0) return null
    const recent = this.#deps.recent.find(link, of.carrierIds)
    return recent ?? this.#lookups.add(link, of.carrierIds)
  }

  /** False where there is no such message. */
  async #apply(named: Named, receipt: Receipt, now: Date): Promise<boolean> {
    const { accountId, messageId, parts } = named
    const { status } = receipt
    // The whole is delivered with its last part, and failed with the first that is.
    if (status === 'DELIVERED' && parts > 1 && !(await this.#parts.add(accountId, named)))
      return true
    const move = moveOf(this.#world, messageId, receipt, now)
    if ((await this.#deps.recorder.move(accountId, move)) === 'moved') return true
    if (status === 'SENT' && !receipt.isUnconfirmed) return true
    const entry = receipt.isUnconfirmed ? move.entry : encodeEntry(now, 'stale', status)
    return this.#notes.add(accountId, { messageId, entry })
  }
}

function firstOf(ids: readonly string[], found: ReadonlyMap<string, CarrierId>): CarrierId | null {
  for (const id of ids) {
    const one = found.get(id)
    if (one) return one
  }
  return null
}

function moveOf(
  { config }: World,
  messageId: string,
  { status, errorCode: given, carrierCode, isUnconfirmed, isOptedOut }: Receipt,
  now: Date,
): Move {
  if (status !== 'FAILED') {
    const entry = isUnconfirmed
      ? encodeAnswer(config, now, 'unconfirmed', carrierCode?.slice(0, 100))
      : encodeAnswer(config, now, status.toLowerCase())
    return { messageId, target: status, errorCode: null, entry }
  }
  const errorCode = knownCode(given ?? 1499)
  const entry = encodeAnswer(config, now, 'failed', failureWords(errorCode, carrierCode))
  return { messageId, target: status, errorCode, entry, ...optoutOf(isOptedOut, carrierCode) }
}

export function optoutOf(isOptedOut?: boolean, carrierCode?: string | null) {
  return isOptedOut ? { optedOutAs: carrierCode || 'opted out' } : {}
}

/** Our words for it, and the carrier's own code for whoever asks the carrier. */
export function failureWords(
  errorCode: keyof typeof MESSAGE_ERRORS,
  carrierCode?: string | null,
): string {
  const own = `${errorCode} ${MESSAGE_ERRORS[errorCode].text}`
  return carrierCode ? `${own} (the carrier says ${carrierCode.slice(0, 100)})` : own
}
