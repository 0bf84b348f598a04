// Batches that this process took up right after their commit. A handoff is over when each of its
// messages is recorded as sent or failed, or was requeued; until then its row holds their lease.

import type { AccountId } from '../../accounts/account.js'
import { elapsedMs } from '../../kit/clock.js'
import { BRIEFLY } from '../../kit/postgres/db.js'
import { isLockTimeout } from '../../kit/postgres/db-failure.js'
import type { World } from '../../kit/world.js'
import {
  type AbandonedHandoff,
  deleteAbandoned,
  deleteHandoffs,
  findAbandoned,
  type HandoffKey,
  requeueHandoff,
} from './handoff-queries.js'

const LOOK_EVERY_MS = 250
/** Far below a lease: a row that stays a little longer is no harm, and one commit deletes many. */
const FINISHED_KEPT_MS = 1_000

export interface Handoff extends HandoffKey {
  /** Messages that are not yet recorded. One that cannot be is left to the end of the lease. */
  left: number
}

export interface Handoffs {
  begin: (accountId: AccountId, firstId: string, count: number) => Handoff
  /** One more of its messages is recorded. */
  settle: (handoff: Handoff) => void
  /** Requeues what a dead process had in flight, and what a living one held for too long. */
  reclaim: () => Promise<void>
  drain: () => Promise<void>
}

export function createHandoffs(world: World): Handoffs {
  const { db, clock, log } = world
  let lookedAt = Number.NEGATIVE_INFINITY
  let finished: HandoffKey[] = []
  let timer: NodeJS.Timeout | null = null

  const deleteFinished = async (): Promise<void> => {
    timer = null
    const done = finished
    finished = []
    if (done.length === 0) return
    // A row that is left leads to nothing when its lease ends: all of its messages are recorded.
    await deleteHandoffs(db, done).catch((error) =>
      log.warn({ err: error }, 'finished handoffs were left behind'),
    )
  }

  const finish = (handoff: Handoff): void => {
    finished.push(handoff)
    timer ??= setTimeout(deleteFinished, FINISHED_KEPT_MS)
  }

  return {
    begin: (accountId, firstId, count) => {
      const handoff = { accountId, firstId, left: count }
      if (count === 0) finish(handoff)
      return handoff
    },
    settle: (handoff) => {
      handoff.left -= 1
      if (handoff.left === 0) finish(handoff)
    },
    reclaim: async () => {
      const nowMs = elapsedMs()
      if (nowMs - lookedAt < LOOK_EVERY_MS) return
      lookedAt = nowMs
      const now = clock.now()
      for (const handoff of await findAbandoned(db, now)) await reclaim(world, handoff, now)
    },
    drain: async () => {
      if (timer) clearTimeout(timer)
      await deleteFinished()
    },
  }
}

// Each by itself: where somebody holds a lane of one account, the others' messages must not wait for it.
async function reclaim({ db, log }: World, handoff: AbandonedHandoff, now: Date): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      if (await deleteAbandoned(tx, handoff)) await requeueHandoff(tx, handoff, now)
    }, BRIEFLY)
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    log.warn({ err: error }, 'a handoff was left to the next look')
  }
}
