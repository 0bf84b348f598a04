// Receipts: what a carrier says became of a message. Most of them move it. One that is late or repeated moves
// nothing and is noted in the timeline; one that no message answers to is kept as a stray.

import type { AccountId } from '../../accounts/account.js'
import { KeyedBatchWriter } from '../../kit/batch-writer.js'
import { isId } from '../../kit/ids.js'
import type { World } from '../../kit/world.js'
import type { Carrier, Receipt } from '../carrier-port.js'
import { knownCode, MESSAGE_ERRORS } from '../message-errors.js'
import { encodeAnswer, encodeEntry } from '../timeline.js'
import { appendEntries, type Move, type Note } from './move-queries.js'
import { type MoveRecorder, persist } from './move-recorder.js'
import { insertStrayReceipt } from './receipt-queries.js'

const NOTES_MAX = 500

export interface ReceiptDeps {
  carrier: Pick<Carrier, 'name'>
  recorder: Pick<MoveRecorder, 'move'>
}

export class ReceiptReceiver {
  readonly #world: World
  readonly #deps: ReceiptDeps
  readonly #notes: KeyedBatchWriter<Note, boolean>
  #underWay = 0
  readonly #drained: (() => void)[] = []

  constructor(world: World, deps: ReceiptDeps) {
    this.#world = world
    this.#deps = deps
    this.#notes = new KeyedBatchWriter({
      batchMax: NOTES_MAX,
      write: async (accountId, notes) => {
        const known = await persist(() => appendEntries(world.db, accountId, notes))
        return notes.map(({ messageId }) => known.has(messageId))
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

  /** Resolves when none is under way. */
  async drain(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#drained.push(resolve))
  }

  async #record(receipt: Receipt, now: Date): Promise<void> {
    const { carrier, recorder } = this.#deps
    const { of, status } = receipt
    const { accountId, messageId } =
      'messageId' in of ? of : { accountId: '' as AccountId, messageId: of.carrierIds[0] ?? '' }
    if (isId('msg', messageId)) {
      const outcome = await recorder.move(accountId, moveOf(this.#world, messageId, receipt, now))
      if (outcome === 'moved') return
      const isKnown = await this.#notes.add(accountId, {
        messageId,
        entry: encodeEntry(now, 'stale', status),
      })
      if (isKnown) return
    }
    await insertStrayReceipt(this.#world.db, carrier.name, messageId, receipt, now)
  }
}

function moveOf(
  { config }: World,
  messageId: string,
  { status, errorCode: given }: Receipt,
  now: Date,
): Move {
  if (status !== 'FAILED') {
    const entry = encodeAnswer(config, now, status.toLowerCase())
    return { messageId, target: status, errorCode: null, entry }
  }
  const errorCode = knownCode(given ?? 1499)
  const detail = `${errorCode} ${MESSAGE_ERRORS[errorCode].text}`
  const entry = encodeAnswer(config, now, 'failed', detail)
  return { messageId, target: status, errorCode, entry }
}
