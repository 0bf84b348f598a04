// Media checks of claimed messages. They wait for other people's hosts, so each lane has its own share
// of them, and none of them keeps the dispatcher from sending.

import type { World } from '../../kit/world.js'
import { canExist } from '../../text/phone-number.js'
import type { LaneKey, QueuedMessage } from '../lane-queries.js'
import type { MoveRecorder } from '../moves/record-moves.js'
import type { CheckMedia } from './outbound-media.js'
import { queueScheduled, recordFailure, requeueUntried } from './record-answers.js'

const CHECKS_PER_LANE = 100

export interface MediaChecks {
  /** How many more checks of this lane may be started. */
  capacityFor: (lane: LaneKey) => number
  /** The message fails, or goes back to be claimed for sending. */
  start: (lane: LaneKey, message: QueuedMessage, leaseUntil: Date) => void
  /** What is under way comes to nothing; leases bring the messages back. */
  stop: () => void
}

export function createMediaChecks(
  world: World,
  { recorder, checkMedia }: { recorder: MoveRecorder; checkMedia: CheckMedia },
): MediaChecks {
  const underWay = new Map<string, Set<string>>()
  let isStopped = false

  const check = async (message: QueuedMessage, leaseUntil: Date): Promise<void> => {
    if (!(await queueScheduled(world, recorder, message, leaseUntil))) return
    if (!canExist(message.peer)) {
      await recordFailure(world, recorder, message, 1350)
      return
    }
    const problem = await checkMedia(message)
    if (isStopped) return
    if (problem) await recordFailure(world, recorder, message, problem.code, problem.detail)
    else await requeueUntried(world, recorder, message)
  }

  return {
    capacityFor: (lane) => CHECKS_PER_LANE - (underWay.get(keyOf(lane))?.size ?? 0),
    start: (lane, message, leaseUntil) => {
      const key = keyOf(lane)
      const checks = underWay.get(key) ?? new Set()
      if (isStopped || checks.has(message.id)) return
      underWay.set(key, checks.add(message.id))
      check(message, leaseUntil)
        .catch((error) => {
          if (isStopped) return
          world.log.error({ err: error, message: message.id }, 'checking media failed')
        })
        .finally(() => {
          checks.delete(message.id)
          if (checks.size === 0) underWay.delete(key)
        })
    },
    stop: () => {
      isStopped = true
    },
  }
}

function keyOf({ campaignId, route }: LaneKey): string {
  return `${campaignId} ${route}`
}
