// Idempotency keys are kept for a day (decision 0035). A portion a step, so that no statement holds
// many rows for long; rests when nothing is old any more.

import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { deleteOldKeys } from './idempotency-queries.js'

const PORTION = 1_000
const IDLE_MS = 60_000

export function keyRetentionLoop(world: World): Loop {
  const deleted = world.metrics
    .counter('longcode_idempotency_keys_deleted_total', 'Idempotency keys deleted after their day')
    .cell()
  return {
    name: 'idempotency keys',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => world.log.error({ err: error }, 'deleting idempotency keys failed'),
    step: async () => {
      const count = await deleteOldKeys(world.db.patient, world.clock.now(), PORTION)
      deleted.value += count
      return count
    },
  }
}
