// Creates partitions ahead of time for tables partitioned by time, and drops old partitions as a whole, without a scan.
// One node at a time does this. If another one holds the lock, it waits for the next round.

import { timeOfId } from '../../kit/ids.js'
import { listPartitions } from '../../kit/partitions/partition-queries.js'
import { dropBefore, makeAhead, type Sizes } from '../../kit/partitions/partitions.js'
import type { Store } from '../../kit/postgres/db.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { RECORDS, RECORDS_KEPT_MS } from '../../webhooks/retention.js'
import { keepDefault } from './default-retention.js'
import { findPastUntil, MESSAGES } from './remove-records.js'

const IDLE_MS = 10 * 60_000

export function partitionLoop(world: World, sizes?: Sizes): Loop {
  const { db, clock, log } = world
  return {
    name: 'partitions',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => log.error({ err: error }, 'could not create or drop partitions'),
    step: async () => {
      const now = clock.now()
      for (const family of [RECORDS, MESSAGES]) {
        const made = await makeAhead(db.patient, family, now, sizes)
        if (made.length > 0) log.info({ made }, 'partitions created')
      }
      const dropped = [
        ...(await dropBefore(db.patient, RECORDS, new Date(now.getTime() - RECORDS_KEPT_MS))),
        ...(await dropMessages(db.patient, await keepDefault(world), now)),
      ]
      if (dropped.length > 0) log.info({ dropped }, 'partitions dropped')
      return 0
    },
  }
}

async function dropMessages(db: Store, defaultDays: number | null, now: Date): Promise<string[]> {
  const partitions = await listPartitions(db, 'messages')
  const ends = partitions.flatMap(({ to }) => (to === null ? [] : [timeOfId(to)]))
  const until = await findPastUntil(db, defaultDays, now, ends)
  return until === null ? [] : dropBefore(db, MESSAGES, until)
}
