// What was learnt of numbers and is too old to count goes, a portion a step.

import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { deleteLearnedNetworks } from './learned-network-queries.js'

const PORTION = 1_000
const IDLE_MS = 10 * 60 * 1000

/** `learnedMs` is asked each time: a reload may change it. */
export function networkRetentionLoop(
  world: Pick<World, 'db' | 'clock' | 'log'>,
  learnedMs: () => number,
): Loop {
  return {
    name: 'learned networks',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => world.log.error({ err: error }, 'deleting learned networks failed'),
    step: () => {
      const before = new Date(world.clock.nowMs() - learnedMs())
      return deleteLearnedNetworks(world.db.patient, before, PORTION)
    },
  }
}
