// The journal of submits: what is about to be handed to a carrier is written down before its first byte leaves,
// a row for each batch, and forgotten when its outcome is recorded. So a process that dies in between leaves
// word of what may have gone out, and nobody sends that again blindly. What is merely simulated needs no such word.

import type { AccountId } from '../../accounts/account.js'
import { BatchWriter } from '../../kit/batch-writer.js'
import { elapsedMs } from '../../kit/clock.js'
import { ForgetLater } from '../../kit/forget-later.js'
import { newId } from '../../kit/ids.js'
import { BRIEFLY } from '../../kit/postgres/db.js'
import { deleteTogether, writeTogether } from '../../kit/postgres/workers/together.js'
import { SetAside } from '../../kit/set-aside.js'
import type { World } from '../../kit/world.js'
import type { Carrier } from '../carrier-port.js'
import { LEASE_MS } from '../lane.js'
import { encodeEntry } from '../timeline.js'
import type { Leased } from './submit-messages.js'
import {
  abandonSubmit,
  deleteSubmits,
  findAbandonedSubmits,
  insertSubmits,
  type SubmitKey,
  type SubmitRow,
} from './submit-queries.js'
import { policyOf } from './unknown-policy.js'

const LOOK_EVERY_MS = 1_000
const RECLAIMED_MAX = 50
const BATCHES_PER_WRITE = 32
/** Until it is gone, what was put back waits; one commit forgets many. */
const FINISHED_KEPT_MS = 100
const DIED = 'the process that sent it ended'

/** What is under way of one account. */
export interface JournalRow extends SubmitKey {
  left: number
}

export class SubmitJournal {
  readonly #world: World
  readonly #carrier: Carrier
  /** One at a time, so that batches are handed over in the order in which they came. */
  readonly #writer: BatchWriter<readonly SubmitRow[], ReadonlyMap<string, unknown>>
  /** Of this process, until their rows are gone. */
  readonly #open = new Set<string>()
  readonly #finished: ForgetLater<SubmitKey>
  readonly #aside: SetAside
  #lookedAtMs = Number.NEGATIVE_INFINITY

  constructor(world: World, carrier: Carrier) {
    this.#world = world
    this.#carrier = carrier
    this.#aside = new SetAside((error) =>
      world.log.warn({ err: error }, 'a submit of a process that ended was left to a later look'),
    )
    this.#writer = new BatchWriter<readonly SubmitRow[], ReadonlyMap<string, unknown>>({
      batchMax: BATCHES_PER_WRITE,
      write: async (batches) => {
        const leaseUntil = new Date(world.clock.now().getTime() + LEASE_MS)
        const insert = (rows: readonly SubmitRow[]) => insertSubmits(world.db, rows, leaseUntil)
        const failures = await writeTogether(world.db.workers, batches.flat(), insert)
        return batches.map(() => failures)
      },
    })
    this.#finished = new ForgetLater<SubmitKey>({
      afterMs: FINISHED_KEPT_MS,
      forget: async (rows) => {
        await deleteTogether(world.db.workers, rows, (own) => deleteSubmits(world.db, own))
        for (const { id } of rows) this.#open.delete(id)
      },
      onError: (error) => world.log.warn({ err: error }, 'finished submits were left behind'),
    })
  }

  /** Resolves when it is durable: only then may they be handed over. Says which could not be written down. */
  async write(batch: readonly Leased[]): Promise<ReadonlySet<Leased>> {
    const left = new Set<Leased>()
    if (this.#carrier.isSimulated || batch.length === 0) return left
    const now = this.#world.clock.now()
    const rows = [...byAccount(batch)].map(([accountId, leased]) => {
      const row: JournalRow = { accountId, id: newId('evt', now), left: leased.length }
      return { row, leased }
    })
    const stored = rows.map(({ row, leased }) => ({
      ...row,
      messages: leased.map(({ message, dueAt }) => ({ id: message.id, dueAt })),
    }))
    for (const { row } of rows) this.#open.add(row.id)
    let failures: ReadonlyMap<string, unknown>
    try {
      failures = await this.#writer.add(stored)
    } catch (error) {
      for (const { row } of rows) this.#open.delete(row.id)
      throw error
    }
    for (const { row, leased } of rows) {
      const isWritten = !failures.has(row.accountId)
      if (!isWritten) this.#open.delete(row.id)
      for (const one of leased) {
        if (isWritten) one.journal = row
        else left.add(one)
      }
    }
    return left
  }

  /** The outcome of one more of them is recorded. */
  settle(row: JournalRow): void {
    row.left -= 1
    if (row.left === 0) this.#finished.add(row)
  }

  /** The outcome of one of them cannot be recorded: when the lease ends, it is one that nobody knows. */
  leave({ id }: JournalRow): void {
    this.#open.delete(id)
  }

  /** What dead processes left behind is of unknown outcome. */
  async reclaim(): Promise<void> {
    const nowMs = elapsedMs()
    if (nowMs - this.#lookedAtMs < LOOK_EVERY_MS) return
    this.#lookedAtMs = nowMs
    const now = this.#world.clock.now()
    const found = await findAbandonedSubmits(this.#world.db, now, RECLAIMED_MAX + this.#open.size)
    // A jump of the clock can end the lease of what is under way here.
    for (const key of found) {
      if (this.#open.has(key.id)) continue
      await this.#aside.attempt(key.id, () => this.#abandon(key, now))
    }
  }

  drain(): Promise<void> {
    return this.#finished.drain()
  }

  async #abandon(key: SubmitKey, now: Date): Promise<void> {
    const { db, log } = this.#world
    const { waitMs } = policyOf(this.#carrier, null)
    const settle = {
      settleAt: new Date(now.getTime() + waitMs),
      entry: encodeEntry(now, 'unknown', DIED),
    }
    const count = await db.transaction((tx) => abandonSubmit(tx, key, settle), BRIEFLY)
    if (count > 0)
      log.warn({ count }, 'messages of unknown outcome: the process that sent them ended')
  }
}

function byAccount(batch: readonly Leased[]): Map<AccountId, Leased[]> {
  const accounts = new Map<AccountId, Leased[]>()
  for (const leased of batch) {
    const { accountId } = leased.message
    const known = accounts.get(accountId)
    if (known) known.push(leased)
    else accounts.set(accountId, [leased])
  }
  return accounts
}
