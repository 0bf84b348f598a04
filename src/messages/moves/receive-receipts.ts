// Receipts: a carrier's report on a message, identified by our ID or the carrier's. Most of them move it. A late or
// repeated receipt moves nothing and is noted in the timeline. A receipt with an unknown ID is stored and looked up
// again, because the response with the ID may still arrive. If it never does, the receipt is matched by its other
// fields.

import { setImmediate } from 'node:timers/promises'
import { KeyedBatchWriter, RECORDS_PER_WRITE_MAX } from '../../kit/batch-writer.js'
import { isId } from '../../kit/ids.js'
import { isWorkerAway } from '../../kit/postgres/db-failure.js'
import type { World } from '../../kit/world.js'
import type { Receipt } from '../carrier-port.js'
import type { LinkEvidence } from '../evidence/link-evidence.js'
import { knownCode, MESSAGE_ERRORS } from '../message-errors.js'
import { encodeAnswer, encodeEntry } from '../timeline.js'
import { CarrierIdFinder } from './carrier-id-finder.js'
import type { CarrierId } from './carrier-id-queries.js'
import { type MatchDeps, ReceiptMatcher } from './match-receipts.js'
import {
  appendEntries,
  type DeliveredPart,
  type Move,
  markDelivered,
  type Note,
} from './move-queries.js'
import { type MoveRecorder, retryWhileDatabaseDown } from './move-recorder.js'
import { batchHolders } from './number-holders.js'
import { deleteUnmatchedReceipts, insertUnmatchedReceipt } from './receipt-queries.js'
import type { RecentIds } from './recent-ids.js'

const POLL_AGAIN_MS = 1_000

export interface ReceiptDeps extends MatchDeps {
  recorder: Pick<MoveRecorder, 'move'>
  recent: Pick<RecentIds, 'find'>
  evidence: Pick<LinkEvidence, 'count'>
}

type Named = Pick<CarrierId, 'accountId' | 'messageId' | 'part' | 'parts'>
/** Unknown: its message is not found yet. Away: its account is on a worker that does not respond. */
type LateResult = 'recorded' | 'unknown' | 'away'

export class ReceiptReceiver {
  readonly #world: World
  readonly #deps: ReceiptDeps
  readonly #notes: KeyedBatchWriter<Note, boolean>
  readonly #parts: KeyedBatchWriter<DeliveredPart, boolean>
  readonly #ids: CarrierIdFinder
  readonly #matcher: ReceiptMatcher
  #underWay = 0
  readonly #drained: (() => void)[] = []

  constructor(world: World, deps: ReceiptDeps) {
    this.#world = world
    this.#deps = deps
    this.#notes = new KeyedBatchWriter({
      batchMax: RECORDS_PER_WRITE_MAX,
      write: async (accountId, notes) => {
        const existing = await retryWhileDatabaseDown(() =>
          appendEntries(world.db, accountId, notes),
        )
        return notes.map(({ messageId }) => existing.has(messageId))
      },
    })
    this.#parts = new KeyedBatchWriter({
      batchMax: RECORDS_PER_WRITE_MAX,
      write: async (accountId, parts) => {
        const whole = await retryWhileDatabaseDown(() => markDelivered(world.db, accountId, parts))
        return parts.map(({ messageId }) => whole.has(messageId))
      },
    })
    const holdersOf = batchHolders(world.db)
    this.#ids = new CarrierIdFinder(world, holdersOf)
    this.#matcher = new ReceiptMatcher(world, deps, holdersOf)
  }

  /** Resolves when it is durable. Only then may the carrier get a response. */
  async receive(receipt: Receipt): Promise<void> {
    this.#underWay += 1
    try {
      await this.#record(receipt, this.#world.clock.now())
    } finally {
      this.#underWay -= 1
      if (this.#underWay === 0) for (const resolve of this.#drained.splice(0)) resolve()
    }
  }

  /**
   * A receipt that waited. Matched by its other fields, because by now the response with the ID would have been
   * recorded.
   */
  async receiveLate(receipt: Receipt, receivedAt: Date): Promise<LateResult> {
    const now = this.#world.clock.now()
    const match = await this.#find(receipt, true)
    if (match === 'away') return 'away'
    const found = match ?? (await this.#matcher.match(receipt, receivedAt))
    const isMatched = found !== null && 'isFirst' in found && found.isFirst === true
    return found && (await this.#apply(found, receipt, now, isMatched)) ? 'recorded' : 'unknown'
  }

  /** Resolves when none is in progress. */
  async drain(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#drained.push(resolve))
  }

  async #record(receipt: Receipt, now: Date): Promise<void> {
    const { db } = this.#world
    const match = await this.#find(receipt)
    if (match && match !== 'away' && (await this.#apply(match, receipt, now))) return
    const hasIds = 'carrierIds' in receipt.of && receipt.of.carrierIds.length > 0
    const mayCome = hasIds && (match === null || match === 'away')
    const checkAt = mayCome ? new Date(now.getTime() + POLL_AGAIN_MS) : null
    const id = await retryWhileDatabaseDown(() => insertUnmatchedReceipt(db, receipt, now, checkAt))
    if (!mayCome || match === 'away') return
    // The response may have been recorded since the lookup.
    const late = await this.#find(receipt)
    if (late === null || late === 'away') return
    if (await this.#apply(late, receipt, now)) await deleteUnmatchedReceipts(db, [id])
  }

  /** Away: its account cannot be reached now. Such a receipt waits, so the link accepts those of others. */
  async #find({ link, of, clue }: Receipt, isLate = false): Promise<Named | null | 'away'> {
    if ('id' in of) {
      const { accountId, id: messageId } = of
      return isId('msg', messageId) ? { accountId, messageId, part: 0, parts: 1 } : null
    }
    const { carrierIds } = of
    if (carrierIds.length === 0) return null
    const { recent } = this.#deps
    const found = recent.find(link, carrierIds)
    if (found) return this.#ifNear(found)
    // Its response may have arrived in the same packet and be handled in this turn of the event loop.
    await setImmediate()
    const named =
      recent.find(link, carrierIds) ?? (await this.#ids.find({ link, carrierIds, clue, isLate }))
    return named === null || named === 'away' ? named : this.#ifNear(named)
  }

  async #ifNear(named: Named): Promise<Named | 'away'> {
    const { workers } = this.#world.db
    if (!workers.isOutage) return named
    try {
      await workers.assertNear(named.accountId)
      return named
    } catch (error) {
      if (isWorkerAway(error)) return 'away'
      throw error
    }
  }

  /** False if there is no such message. */
  #apply(match: Named, receipt: Receipt, now: Date, isMatched = false): Promise<boolean> {
    const { tracing } = this.#world
    const { accountId, messageId: id } = match
    if (!tracing?.mayFollow(id)) return this.#applyTo(match, receipt, now, isMatched)
    const startMs = tracing.startMs()
    return this.#applyTo(match, receipt, now, isMatched).finally(() => {
      const { status, link, carrierCode } = receipt
      const attributes = {
        'longcode.status': status,
        'longcode.link': link,
        'longcode.carrier_code': carrierCode,
      }
      const error = status === 'FAILED' ? 'FAILED' : null
      const span = { name: 'carrier receipt', kind: 'consumer', startMs, attributes } as const
      tracing.record({ accountId, id, ...span, error })
    })
  }

  /** `isMatched`: until now, nobody knew that the carrier has it. */
  async #applyTo(match: Named, receipt: Receipt, now: Date, isMatched: boolean): Promise<boolean> {
    const { accountId, messageId, parts } = match
    const { status } = receipt
    const { recorder, evidence } = this.#deps
    // The message is delivered with its last part, and failed with the first part that fails.
    if (status === 'DELIVERED' && parts > 1 && !(await this.#parts.add(accountId, match))) {
      // One part proves that the carrier has the message. Receipts of the others are matched in the same way.
      const entry = encodeAnswer(this.#world.config, now, 'sent')
      const sent: Move = { messageId, target: 'SENT', errorCode: null, entry, unprovenAt: now }
      if (isMatched) await recorder.move(accountId, sent)
      return true
    }
    const move = moveOf(this.#world, messageId, receipt, now)
    const { link, carrierId } = receipt
    if (carrierId !== undefined) {
      move.provenAs = { link, carrierId, accountId, messageId, part: 0, parts: 1 }
    }
    if ((await recorder.move(accountId, move)) === 'moved') {
      if (status !== 'SENT') evidence.count(link, 'receipted')
      return true
    }
    if (status === 'SENT' && !receipt.isUnconfirmed) return true
    const entry = receipt.isUnconfirmed ? move.entry : encodeEntry(now, 'stale', status)
    return this.#notes.add(accountId, { messageId, entry })
  }
}

function moveOf(
  { config }: World,
  messageId: string,
  { status, errorCode: reportedCode, carrierCode, isUnconfirmed, isOptedOut }: Receipt,
  now: Date,
): Move {
  if (status !== 'FAILED') {
    const entry = isUnconfirmed
      ? encodeAnswer(config, now, 'unconfirmed', carrierCode?.slice(0, 100))
      : encodeAnswer(config, now, status.toLowerCase())
    return { messageId, target: status, errorCode: null, entry }
  }
  const errorCode = knownCode(reportedCode ?? 1499)
  const entry = encodeAnswer(config, now, 'failed', describeFailure(errorCode, carrierCode))
  return { messageId, target: status, errorCode, entry, ...optoutOf(isOptedOut, carrierCode) }
}

export function optoutOf(isOptedOut?: boolean, carrierCode?: string | null) {
  return isOptedOut ? { optedOutAs: carrierCode || 'opted out' } : {}
}

/** Our text, and the carrier's own code for questions to the carrier. */
export function describeFailure(
  errorCode: keyof typeof MESSAGE_ERRORS,
  carrierCode?: string | null,
): string {
  const own = `${errorCode} ${MESSAGE_ERRORS[errorCode].text}`
  return carrierCode ? `${own} (carrier code ${carrierCode.slice(0, 100)})` : own
}
