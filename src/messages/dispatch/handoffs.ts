// Batches that this process took over right after their commit. A handoff ends when each of its messages is
// recorded as sent or failed, or is requeued. Until then its row holds their lease.

import assert from 'node:assert/strict'
import type { AccountId } from '../../accounts/account.js'
import { elapsedMs } from '../../kit/clock.js'
import { DeleteLater } from '../../kit/delete-later.js'
import { KeyedBackoff } from '../../kit/keyed-backoff.js'
import { brieflyFor } from '../../kit/postgres/db.js'
import { deleteTogether } from '../../kit/postgres/workers/together.js'
import type { World } from '../../kit/world.js'
import {
  type AbandonedHandoff,
  deleteAbandoned,
  deleteHandoffs,
  findAbandoned,
  type HandoffKey,
  requeueHandoff,
} from './handoff-queries.js'

const POLL_EVERY_MS = 250
/** Much shorter than a lease. A row that stays a little longer does no harm, and one commit deletes many. */
const FINISHED_KEPT_MS = 1_000

export interface Handoff extends HandoffKey {
  /** Messages that are not recorded yet. If one cannot be recorded, the end of the lease releases it. */
  left: number
}

export class Handoffs {
  readonly #world: World
  #polledAtMs = Number.NEGATIVE_INFINITY
  readonly #finished: DeleteLater<HandoffKey>
  readonly #aside: KeyedBackoff

  constructor(world: World) {
    this.#world = world
    this.#aside = new KeyedBackoff((error) =>
      world.log.warn({ err: error }, 'a handoff will be checked again later'),
    )
    this.#finished = new DeleteLater<HandoffKey>({
      afterMs: FINISHED_KEPT_MS,
      // A leftover row of an unreachable account does nothing when its lease ends.
      remove: async (handoffs) => {
        await deleteTogether(world.db.workers, handoffs, (own) => deleteHandoffs(world.db, own))
      },
      onError: (error) => world.log.warn({ err: error }, 'finished handoffs were not deleted'),
    })
  }

  /** Its row was written with the messages. */
  begin(accountId: AccountId, firstId: string, count: number): Handoff {
    const handoff = { accountId, firstId, left: count }
    if (count === 0) this.#finish(handoff)
    return handoff
  }

  /** One more of its messages is recorded. */
  settle(handoff: Handoff): void {
    assert.ok(handoff.left > 0, 'the handoff is over')
    handoff.left -= 1
    if (handoff.left === 0) this.#finish(handoff)
  }

  /** Requeues messages that a dead process had in flight, or that a running process held for too long. */
  async reclaim(): Promise<void> {
    const nowMs = elapsedMs()
    if (nowMs - this.#polledAtMs < this.#world.hints.pollMs(POLL_EVERY_MS, 'dispatch')) return
    this.#polledAtMs = nowMs
    const now = this.#world.clock.now()
    for (const handoff of await findAbandoned(this.#world.db, now)) {
      await this.#aside.attempt(handoff.firstId, () => reclaim(this.#world, handoff, now))
    }
  }

  drain(): Promise<void> {
    return this.#finished.drain()
  }

  #finish(handoff: Handoff): void {
    assert.equal(handoff.left, 0, 'messages of the handoff are not recorded')
    this.#finished.add(handoff)
  }
}

// Each account separately, so a locked lane of one account does not delay the others.
async function reclaim({ db, hints }: World, handoff: AbandonedHandoff, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    if (await deleteAbandoned(tx, handoff)) await requeueHandoff(tx, handoff, now)
  }, brieflyFor(handoff.accountId))
  hints.notify('messages', [handoff.accountId])
}
