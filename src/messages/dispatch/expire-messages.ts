// Expires and refunds messages whose validity ended while they waited for a limit, the link, or a dispatcher.
// Claims check the validity as well, so no message is sent too late. This loop handles messages that nobody claims,
// a bounded number of lanes and messages at a time.

import { KeyedBackoff } from '../../kit/keyed-backoff.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { LEASE_MS } from '../lane.js'
import { type LaneKey, type LaneState, leaseMessages, lockLane } from '../lane-queries.js'
import type { MoveRecorder } from '../moves/move-recorder.js'
import { waitedMs, withLastHold } from '../validity.js'
import { expiryMoves } from './expiry.js'
import { FIRST_LANE, findExpired, listWaitingLanes, type WaitingMessage } from './expiry-queries.js'

const LANES_PER_STEP = 200
const MESSAGES_PER_LANE = 200
const POLL_EVERY_MS = 1_000

export function expiryLoop(world: World, recorder: MoveRecorder): Loop {
  const { db, clock, log, hints } = world
  const onError = (error: unknown) => log.error({ err: error }, 'expiring messages failed')
  const aside = new KeyedBackoff(onError)
  let cursor = FIRST_LANE

  const expire = async (lane: LaneKey): Promise<number> => {
    const now = clock.now()
    const expired = await takeExpired(world, lane, now)
    const moves = expired.flatMap((message) => expiryMoves(message, now))
    await Promise.all(moves.map((move) => recorder.move(lane.accountId, move)))
    return moves.length
  }

  const step = async (): Promise<number> => {
    const lanes = await listWaitingLanes(db, clock.now(), cursor, LANES_PER_STEP)
    let handled = 0
    for (const lane of lanes) {
      if (!lane.hasExpired) continue
      const count = await aside.attempt(lane.accountId, () => expire(lane))
      handled += count ?? 0
    }
    const isEnd = lanes.length < LANES_PER_STEP
    cursor = isEnd ? FIRST_LANE : lanes.at(-1)!
    return isEnd ? handled : handled + 1
  }

  return {
    name: 'expire',
    hints: ['clock'],
    idleMs: () => hints.pollMs(POLL_EVERY_MS, 'schedule'),
    step,
    onError,
  }
}

/** Leases them, so no dispatcher claims them before they have moved. */
async function takeExpired({ db }: World, lane: LaneKey, now: Date): Promise<WaitingMessage[]> {
  return db.transaction(
    async (tx) => {
      const state = await lockLane(tx, lane)
      if (!state) return [] // a dispatcher has the lane
      const found = await findExpired(tx, lane, now, MESSAGES_PER_LANE)
      const expired = found.filter((message) => isOver(lane, state, message, now))
      const ids = expired.map((message) => message.id)
      const leaseUntil = new Date(now.getTime() + LEASE_MS)
      const leased = await leaseMessages(tx, lane, ids, { leaseUntil })
      return expired.filter((message) => leased.has(message.id))
    },
    { accountId: lane.accountId },
  )
}

function isOver({ route }: LaneKey, state: LaneState, message: WaitingMessage, now: Date): boolean {
  const holds = route === 'tmo' ? withLastHold(state.holds, state.waitingSince, now) : []
  return message.expiresAt!.getTime() + waitedMs(holds, message.dueAt) <= now.getTime()
}
