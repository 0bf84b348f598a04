// What waits for a link. Messages for one link form a group. Within it, accounts take turns, and within an account
// its lanes do, so a large backlog delays only its owner. A link gets no more than it can put on the wire. The rest
// stays here, not yet counted or journaled.

import { elapsedMs } from '../../../kit/clock.js'
import type { SubmitAnswer } from '../../carrier-port.js'
import type { Leased } from '../leased.js'
import { FairQueue } from './fair-queue.js'
import { Pace } from './pace.js'
import { laneNameOf, SUBMIT_BATCH_MAX } from './send-permits.js'

const BATCHES_MAX = 32
/** Several batches share a link's capacity, so the next one is ready while the last one is being sent. */
const BATCHES_PER_CAPACITY = 4

export interface SubmitQueueOptions {
  /** How many messages of a group may be submitted and unanswered at once. */
  capacityOf: (group: string) => number
  /** Returns a response for each, in order. A rejection fails the whole batch. */
  submit: (batch: readonly Leased[]) => Promise<SubmitAnswer[]>
}

interface Waiting {
  leased: Leased
  resolve: (answer: SubmitAnswer) => void
  reject: (error: unknown) => void
}

interface Group {
  byAccount: FairQueue<string>
  byLane: Map<string, FairQueue<Waiting>>
  waiting: number
  batches: number
  handedOver: number
  pace: Pace
}

export class SubmitQueue {
  readonly #options: SubmitQueueOptions
  readonly #groups = new Map<string, Group>()

  constructor(options: SubmitQueueOptions) {
    this.#options = options
  }

  /** How many of the group wait for their link. */
  waitingFor(group: string): number {
    return this.#groups.get(group)?.waiting ?? 0
  }

  /** How many messages of the group its link answers per second, as far as known. */
  perSecond(group: string): number {
    return this.#groups.get(group)?.pace.perSecond(elapsedMs()) ?? 0
  }

  /** The group with the most waiting messages. Links without a limit have no real queue. */
  get longestWaiting(): number {
    let longest = 0
    for (const [name, { waiting }] of this.#groups) {
      if (waiting > longest && Number.isFinite(this.#options.capacityOf(name))) longest = waiting
    }
    return longest
  }

  add(name: string, leased: Leased): Promise<SubmitAnswer> {
    return new Promise((resolve, reject) => {
      const group = this.#groupOf(name)
      const { accountId } = leased.message
      const lanes = group.byLane.get(accountId) ?? new FairQueue<Waiting>()
      group.byLane.set(accountId, lanes)
      lanes.push(laneNameOf(leased), { leased, resolve, reject })
      group.byAccount.push(accountId, accountId)
      group.waiting += 1
      this.#pump(name, group)
    })
  }

  #groupOf(name: string): Group {
    const group = this.#groups.get(name) ?? {
      byAccount: new FairQueue<string>(),
      byLane: new Map<string, FairQueue<Waiting>>(),
      waiting: 0,
      batches: 0,
      handedOver: 0,
      pace: new Pace(),
    }
    this.#groups.set(name, group)
    return group
  }

  #pump(name: string, group: Group): void {
    const capacity = this.#options.capacityOf(name)
    const share = Math.max(1, Math.floor(capacity / BATCHES_PER_CAPACITY))
    while (group.waiting > 0 && group.batches < BATCHES_MAX) {
      const room = group.batches === 0 ? Math.max(1, capacity) : capacity - group.handedOver
      const size = Math.min(SUBMIT_BATCH_MAX, share, room, group.waiting)
      if (size < 1) return
      void this.#handOver(name, group, this.#take(group, size)) // its failures go to the callers that wait
    }
  }

  #take(group: Group, size: number): Waiting[] {
    const taken: Waiting[] = []
    for (let i = 0; i < size; i += 1) {
      const accountId = group.byAccount.shift()!
      const lanes = group.byLane.get(accountId)!
      taken.push(lanes.shift()!)
      if (lanes.length === 0) group.byLane.delete(accountId)
    }
    group.waiting -= size
    return taken
  }

  async #handOver(name: string, group: Group, taken: readonly Waiting[]): Promise<void> {
    group.batches += 1
    group.handedOver += taken.length
    try {
      const answers = await this.#options.submit(taken.map(({ leased }) => leased))
      for (const [i, { resolve }] of taken.entries()) resolve(answers[i]!)
    } catch (error) {
      for (const { reject } of taken) reject(error)
    }
    group.batches -= 1
    group.handedOver -= taken.length
    group.pace.add(taken.length, elapsedMs())
    this.#pump(name, group)
    if (group.batches === 0 && group.waiting === 0) this.#groups.delete(name)
  }
}
