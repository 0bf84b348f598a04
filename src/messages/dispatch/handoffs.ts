// Batches that this process took up right after their commit. A handoff is over when each of its
// messages is recorded as sent or failed, or was requeued; until then its row holds their lease.

import assert from 'node:assert/strict'
import type { AccountId } from '../../accounts/account.js'
import { elapsedMs } from '../../kit/clock.js'
import { ForgetLater } from '../../kit/forget-later.js'
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
/** Far below a lease: a row that stays a little longer is no harm, and one commit deletes many. */
const FINISHED_KEPT_MS = 1_000

export interface Handoff extends HandoffKey {
  /** Messages that are not yet recorded. One that cannot be is left to the end of the lease. */
  left: number
}

export class Handoffs {
  readonly #world: World
  #polledAtMs = Number.NEGATIVE_INFINITY
  readonly #finished: ForgetLater<HandoffKey>
  readonly #aside: KeyedBackoff

  constructor(world: World) {
    this.#world = world
    this.#aside = new KeyedBackoff((error) =>
      world.log.warn({ err: error }, 'a handoff was left to a later look'),
    )
    this.#finished = new ForgetLater<HandoffKey>({
      afterMs: FINISHED_KEPT_MS,
      // What is left of an account that cannot be reached leads to nothing when its lease ends.
      forget: async (handoffs) => {
        await deleteTogether(world.db.workers, handoffs, (own) => deleteHandoffs(world.db, own))
      },
      onError: (error) => world.log.warn({ err: error }, 'finished handoffs were left behind'),
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

  /** Requeues what a dead process had in flight, and what a living one held for too long. */
  async reclaim(): Promise<void> {
    const nowMs = elapsedMs()
    if (nowMs - this.#polledAtMs < POLL_EVERY_MS) return
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

// Each by itself: where somebody holds a lane of one account, the others' messages must not wait for it.
function reclaim({ db }: World, handoff: AbandonedHandoff, now: Date): Promise<void> {
  return db.transaction(async (tx) => {
    if (await deleteAbandoned(tx, handoff)) await requeueHandoff(tx, handoff, now)
  }, brieflyFor(handoff.accountId))
}
