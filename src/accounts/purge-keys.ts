// Deletes idempotency keys after a day (decision 0035). It works in batches, so no statement locks many rows
// for long, and rests when no old keys are left.

import type { Database, Queryable } from '../kit/postgres/db.js'
import { deleteTogether } from '../kit/postgres/workers/together.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { deleteOldKeys, listOldKeys } from './idempotency-queries.js'

const PORTION = 1_000
const IDLE_MS = 60_000

export function keyRetentionLoop(world: World): Loop {
  const deleted = world.metrics
    .counter('longcode_idempotency_keys_deleted_total', 'Idempotency keys deleted after 24 hours')
    .cell()
  return {
    name: 'idempotency keys',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => world.log.error({ err: error }, 'could not delete idempotency keys'),
    step: async () => {
      const { patient, workers } = world.db
      const count = await purgeKeys(patient, workers, world.clock.now(), PORTION)
      deleted.value += count
      return count
    },
  }
}

/** Returns the number deleted. A statement that crosses accounts only reads; deletes run per account. */
export async function purgeKeys(
  db: Queryable,
  workers: Database['workers'],
  now: Date,
  limit: number,
): Promise<number> {
  const old = await listOldKeys(db, now, limit)
  if (old.length === 0) return 0
  let count = 0
  await deleteTogether(workers, old, async (own) => {
    count += await deleteOldKeys(db, own, now)
  })
  return count
}
