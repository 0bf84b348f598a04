// What this process holds of each lane: which link its messages use, and how many claimed parts are not counted
// yet. A claim uses both, so it takes only what the link and the limit can still handle. Lanes without a message in
// flight are dropped.

import { partsOf } from '../../lane.js'
import type { LaneKey } from '../../lane-queries.js'
import type { Leased } from '../leased.js'

interface Load {
  messages: number
  /** Claimed from a limited lane and not yet counted in its use. */
  parts: number
  /** The link they use. Null if none is in flight. */
  group: string | null
}

const NONE: Load = { messages: 0, parts: 0, group: null }

export class LaneLoad {
  readonly #lanes = new Map<string, Load>()

  add(leased: Leased): void {
    const { message, isLimited } = leased
    const key = keyOf(message)
    const load = this.#lanes.get(key) ?? { ...NONE }
    load.messages += 1
    leased.isReserved = isLimited
    if (isLimited) load.parts += partsOf(message)
    this.#lanes.set(key, load)
  }

  goesBy({ message }: Leased, group: string): void {
    const load = this.#lanes.get(keyOf(message))
    if (load) load.group = group
  }

  /** From now on, it counts in the lane's use. */
  counted(leased: Leased): void {
    const load = this.#lanes.get(keyOf(leased.message))
    if (load && leased.isReserved) load.parts -= partsOf(leased.message)
    leased.isReserved = false
  }

  remove(leased: Leased): void {
    const key = keyOf(leased.message)
    const load = this.#lanes.get(key)!
    this.counted(leased)
    load.messages -= 1
    if (load.messages === 0) this.#lanes.delete(key)
  }

  of(lane: LaneKey): Readonly<Load> {
    return this.#lanes.get(keyOf(lane)) ?? NONE
  }
}

function keyOf({ accountId, campaignId, route }: LaneKey): string {
  return `${accountId} ${campaignId} ${route}`
}
