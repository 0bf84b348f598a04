// The submit journal: a message is written down right before its first byte leaves, many messages in one commit,
// and the row is deleted when the outcome is recorded. So a dead process leaves a record of exactly what may have
// left. Those messages are not sent again blindly, and everything else that it had claimed is sent by another
// process. Simulated messages need no journal.

import { BatchWriter } from '../../kit/batch-writer.js'
import { elapsedMs } from '../../kit/clock.js'
import { DeleteLater } from '../../kit/delete-later.js'
import { newId } from '../../kit/ids.js'
import { KeyedBackoff } from '../../kit/keyed-backoff.js'
import { brieflyFor, type Queryable } from '../../kit/postgres/db.js'
import { deleteTogether, writeTogether } from '../../kit/postgres/workers/together.js'
import type { World } from '../../kit/world.js'
import type { CarrierIdentity, QueryPort } from '../carrier-port.js'
import type { LinkEvidence } from '../evidence/link-evidence.js'
import { LEASE_MS } from '../lane.js'
import { encodeEntry } from '../timeline.js'
import type { Leased } from './leased.js'
import {
  type AbandonedSubmit,
  abandonSubmit,
  deleteSubmits,
  findAbandonedSubmits,
  insertSubmits,
  type SubmitKey,
  type SubmitRow,
} from './submit-queries.js'
import { policyOf } from './unknown-policy.js'

const POLL_EVERY_MS = 1_000
const RECLAIMED_MAX = 50
const MESSAGES_PER_WRITE = 500
/**
 * While messages keep coming, one commit covers those of this interval. The first one after a pause does not wait.
 */
const WRITE_EVERY_MS = 4
/** A requeued message waits until its row is deleted. One commit deletes many. */
const FINISHED_KEPT_MS = 100
const GRANTED = Promise.resolve(true)
const DIED = 'the process that sent it stopped'

/** Submits in progress of one account by one link. */
export interface JournalRow extends SubmitKey {
  left: number
}

/** A message that is about to leave by a link. */
export interface Leaving {
  leased: Leased
  link: string
}

interface OpenRow {
  row: JournalRow
  stored: SubmitRow
  leaving: readonly Leaving[]
}

export class SubmitJournal {
  readonly #world: World
  readonly #carrier: CarrierIdentity & QueryPort
  readonly #evidence: Pick<LinkEvidence, 'count'>
  /** One write at a time, so messages leave in order of arrival. */
  readonly #writer: BatchWriter<Leaving, boolean>
  /** Rows of this process, until they are deleted. */
  readonly #open = new Set<string>()
  readonly #finished: DeleteLater<SubmitKey>
  readonly #aside: KeyedBackoff
  #polledAtMs = Number.NEGATIVE_INFINITY

  constructor(
    world: World,
    carrier: CarrierIdentity & QueryPort,
    evidence: Pick<LinkEvidence, 'count'>,
  ) {
    this.#world = world
    this.#carrier = carrier
    this.#evidence = evidence
    this.#aside = new KeyedBackoff((error) =>
      world.log.warn({ err: error }, 'a submit of a stopped process will be checked again'),
    )
    this.#writer = new BatchWriter<Leaving, boolean>({
      batchMax: MESSAGES_PER_WRITE,
      everyMs: WRITE_EVERY_MS,
      write: (batch) => this.#writeAll(batch),
    })
    this.#finished = new DeleteLater<SubmitKey>({
      afterMs: FINISHED_KEPT_MS,
      remove: async (rows) => {
        await deleteTogether(world.db.workers, rows, (own) => deleteSubmits(world.db, own))
        for (const { id } of rows) this.#open.delete(id)
      },
      onError: (error) => world.log.warn({ err: error }, 'finished submits were not deleted'),
    })
  }

  /** Resolves to true when it is durable: only then may the message leave. */
  write(leaving: Leaving): Promise<boolean> {
    return this.#carrier.isSimulated ? GRANTED : this.#writer.add(leaving)
  }

  /**
   * The same for several messages of one account, in the caller's transaction, which must commit before they leave.
   */
  async writeIn<T>(
    batch: readonly Leaving[],
    commit: (insert: (tx: Queryable, chosen: readonly Leaving[]) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    if (this.#carrier.isSimulated || batch.length === 0) return commit(async () => {})
    const opened: OpenRow[] = []
    try {
      const result = await commit(async (tx, chosen) => {
        this.#close(opened.splice(0)) // the transaction may be retried
        opened.push(...this.#openRows(chosen))
        if (opened.length > 0) await insertSubmits(tx, storedOf(opened), this.#leaseUntil())
      })
      this.#confirm(opened)
      return result
    } catch (error) {
      this.#close(opened)
      throw error
    }
  }

  async #writeAll(batch: readonly Leaving[]): Promise<boolean[]> {
    const { db } = this.#world
    const opened = this.#openRows(batch)
    const insert = (rows: readonly SubmitRow[]) => insertSubmits(db, rows, this.#leaseUntil())
    let failures: ReadonlyMap<string, unknown>
    try {
      failures = await writeTogether(db.workers, storedOf(opened), insert)
    } catch (error) {
      this.#close(opened)
      throw error
    }
    this.#close(opened.filter(({ row }) => failures.has(row.accountId)))
    this.#confirm(opened.filter(({ row }) => !failures.has(row.accountId)))
    return batch.map(({ leased }) => !failures.has(leased.message.accountId))
  }

  #leaseUntil(): Date {
    return new Date(this.#world.clock.now().getTime() + LEASE_MS)
  }

  #openRows(batch: readonly Leaving[]): OpenRow[] {
    const now = this.#world.clock.now()
    return [...byAccountAndLink(batch)].map((leaving) => {
      const { leased, link } = leaving[0]!
      const row = { accountId: leased.message.accountId, id: newId('evt', now) }
      this.#open.add(row.id)
      const messages = leaving.map(({ leased: { message, dueAt } }) => ({ id: message.id, dueAt }))
      return { row: { ...row, left: leaving.length }, stored: { ...row, link, messages }, leaving }
    })
  }

  #confirm(opened: readonly OpenRow[]): void {
    for (const { row, leaving } of opened) {
      for (const { leased } of leaving) {
        if (leased.journal) this.settle(leased.journal) // it leaves by another link now
        leased.journal = row
      }
    }
  }

  #close(opened: readonly OpenRow[]): void {
    for (const { row } of opened) this.#open.delete(row.id)
  }

  /** The outcome of one more of them is recorded. */
  settle(row: JournalRow): void {
    row.left -= 1
    if (row.left === 0) this.#finished.add(row)
  }

  /** One outcome cannot be recorded. When the lease ends, it counts as unknown. */
  leave({ id }: JournalRow): void {
    this.#open.delete(id)
  }

  /** Submits that dead processes left behind have an unknown outcome. */
  async reclaim(): Promise<void> {
    const nowMs = elapsedMs()
    if (nowMs - this.#polledAtMs < this.#world.hints.pollMs(POLL_EVERY_MS, 'dispatch')) return
    this.#polledAtMs = nowMs
    const now = this.#world.clock.now()
    const found = await findAbandonedSubmits(this.#world.db, now, RECLAIMED_MAX + this.#open.size)
    // A clock jump can end the lease of submits in progress here.
    for (const key of found) {
      if (this.#open.has(key.id)) continue
      await this.#aside.attempt(key.id, () => this.#abandon(key, now))
    }
  }

  drain(): Promise<void> {
    return this.#finished.drain()
  }

  async #abandon(key: AbandonedSubmit, now: Date): Promise<void> {
    const { db, log } = this.#world
    const { waitMs } = policyOf(this.#carrier, key.link)
    const settle = {
      settleAt: new Date(now.getTime() + waitMs),
      entry: encodeEntry(now, 'unknown', DIED),
    }
    const count = await db.transaction(
      (tx) => abandonSubmit(tx, key, settle),
      brieflyFor(key.accountId),
    )
    this.#evidence.count(key.link, 'unknown', count)
    if (count > 0)
      log.warn(
        { count, link: key.link },
        'messages with unknown outcome: the process that sent them stopped',
      )
  }
}

function storedOf(opened: readonly OpenRow[]): SubmitRow[] {
  return opened.map(({ stored }) => stored)
}

function byAccountAndLink(batch: readonly Leaving[]): Iterable<Leaving[]> {
  const groups = new Map<string, Leaving[]>()
  for (const leaving of batch) {
    const key = `${leaving.leased.message.accountId} ${leaving.link}`
    const group = groups.get(key)
    if (group) group.push(leaving)
    else groups.set(key, [leaving])
  }
  return groups.values()
}
