// Media checks of claimed messages. They wait for other hosts, so each lane has its own share of them, and none of
// them delays sending.

import type { World } from '../../kit/world.js'
import { canExist } from '../../text/phone-number.js'
import type { LaneKey, QueuedMessage } from '../lane-queries.js'
import type { MoveRecorder } from '../moves/move-recorder.js'
import type { OutboundMedia } from './outbound-media.js'
import { queueScheduled, recordFailure, requeueChecked, requeueUntried } from './record-answers.js'

const CHECKS_PER_LANE = 100

export class MediaChecks {
  readonly #world: World
  readonly #recorder: MoveRecorder
  readonly #media: Pick<OutboundMedia, 'check'>
  /** Ids of messages, by lane. */
  readonly #underWay = new Map<string, Set<string>>()
  #isStopped = false

  constructor(world: World, deps: { recorder: MoveRecorder; media: Pick<OutboundMedia, 'check'> }) {
    this.#world = world
    this.#recorder = deps.recorder
    this.#media = deps.media
  }

  /** How many more checks this lane may start. */
  capacityFor(lane: LaneKey): number {
    return CHECKS_PER_LANE - (this.#underWay.get(keyOf(lane))?.size ?? 0)
  }

  /** The message fails or goes back to the queue to be claimed for sending. A check in progress continues. */
  start(lane: LaneKey, message: QueuedMessage, leaseUntil: Date): void {
    const key = keyOf(lane)
    const checks = this.#underWay.get(key) ?? new Set()
    if (this.#isStopped || checks.has(message.id)) return
    this.#underWay.set(key, checks.add(message.id))
    this.#check(message, leaseUntil)
      .catch((error) => {
        if (this.#isStopped) return
        this.#world.log.error({ err: error, message: message.id }, 'checking media failed')
      })
      .finally(() => {
        checks.delete(message.id)
        if (checks.size === 0) this.#underWay.delete(key)
      })
  }

  /** Checks in progress are dropped. Their leases bring the messages back. */
  stop(): void {
    this.#isStopped = true
  }

  async #check(message: QueuedMessage, leaseUntil: Date): Promise<void> {
    const world = this.#world
    const recorder = this.#recorder
    if (!(await queueScheduled(world, recorder, message, leaseUntil))) return
    if (!canExist(message.to)) {
      await recordFailure(world, recorder, message, 1350)
      return
    }
    const found = await this.#media.check(message)
    if (this.#isStopped) return
    if (found === null) await requeueUntried(world, recorder, message)
    else if ('names' in found) await requeueChecked(world, recorder, message, found)
    else await recordFailure(world, recorder, message, found.code, found.detail)
  }
}

function keyOf({ campaignId, route }: LaneKey): string {
  return `${campaignId} ${route}`
}
