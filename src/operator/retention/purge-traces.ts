// Deletes traces after a week: by then, a message has ended. Also runs while tracing is off, because rows may be left.

import { DAY_MS } from '../../kit/clock.js'
import { deleteEach } from '../../kit/postgres/workers/together.js'
import { deleteTraces, listOldTraces } from '../../kit/tracing/trace-queries.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'

const KEPT_MS = 7 * DAY_MS
const PORTION = 1_000
const IDLE_MS = 60_000

export function tracePurgeLoop({ db, clock, log }: World): Loop {
  return {
    name: 'traces',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => log.error({ err: error }, 'could not delete traces'),
    step: async () => {
      const before = new Date(clock.nowMs() - KEPT_MS)
      const old = await listOldTraces(db.patient, before, PORTION)
      await deleteEach(db.workers, old, (own) => {
        const ids = own.map(({ subjectId }) => subjectId)
        return deleteTraces(db.patient, own[0]!.accountId, ids)
      })
      return old.length
    },
  }
}
