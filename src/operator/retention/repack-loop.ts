// Returns the disk space of messages that were deleted one by one, because accounts keep them for different times:
// partitions that are at most half full are copied. One node at a time does this.

import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MS, elapsedMs } from '../../kit/clock.js'
import { idFloor } from '../../kit/ids.js'
import { findSparse, type RepackSizes, repackStep } from '../../kit/partitions/repack.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { SETTLED_DAYS } from './remove-records.js'

const IDLE_MS = 60 * 60_000

export function repackLoop({ db, clock, log }: World, sizes?: RepackSizes): Loop {
  return {
    name: 'repacking',
    idleMs: IDLE_MS,
    onError: (error) =>
      log.error({ err: error }, 'could not return the disk space of deleted messages'),
    step: async (signal) => {
      if (await db.workers.isCluster()) return 0
      const startMs = elapsedMs()
      const before = idFloor('msg', new Date(clock.nowMs() - SETTLED_DAYS * DAY_MS))
      const sparse = await findSparse(db.patient, 'messages', before, sizes)
      if (sparse === null) return 0
      const result = await repackStep(db.patient, 'messages', sparse, sizes)
      if (result === 'busy') return 0
      // Half of the time, the disk is left to others.
      await sleep(elapsedMs() - startMs, undefined, { signal }).catch(() => {}) // the service stops
      if (result !== 'more') log.info(result, 'disk space of deleted messages returned')
      return 1
    },
  }
}
