// Permits to send: the last step before a message's first byte leaves. A permit checks that this process still
// holds the message and that it is in time, counts it toward its AT&T limit, and writes it to the submit journal.
// So limits count only what leaves, and the journal names only what is on the wire.

import { findCampaign } from '../../../campaigns/campaign-queries.js'
import { KeyedBatchWriter } from '../../../kit/batch-writer.js'
import { brieflyFor } from '../../../kit/postgres/db.js'
import type { World } from '../../../kit/world.js'
import type { SendPermit } from '../../carrier-port.js'
import {
  currentSlots,
  type LaneSlots,
  limitOf,
  partsOf,
  SEND_WITHIN_MS,
  slotOf,
  usedIn,
  withUse,
} from '../../lane.js'
import { type LaneKey, lockLaneUse, returnLaneUse, setLaneUse } from '../../lane-queries.js'
import { isTimely, type Leased } from '../leased.js'
import type { Leaving, SubmitJournal } from '../submit-journal.js'
import type { LaneLoad } from './lane-load.js'

/** Messages that a link gets at once, and that one statement counts. */
export const SUBMIT_BATCH_MAX = 200

export class SendPermits {
  readonly #world: World
  readonly #journal: Pick<SubmitJournal, 'write' | 'writeIn' | 'settle'>
  /** Permits of one lane are counted together, in one transaction. */
  readonly #counted: KeyedBatchWriter<Leaving, boolean>
  readonly #returned: KeyedBatchWriter<Leased, undefined>
  readonly #load: Pick<LaneLoad, 'counted'>

  constructor(
    world: World,
    journal: Pick<SubmitJournal, 'write' | 'writeIn' | 'settle'>,
    load: Pick<LaneLoad, 'counted'>,
  ) {
    this.#world = world
    this.#journal = journal
    this.#load = load
    this.#counted = new KeyedBatchWriter({
      batchMax: SUBMIT_BATCH_MAX,
      write: (_lane, batch) => this.#count(batch),
    })
    this.#returned = new KeyedBatchWriter<Leased, undefined>({
      batchMax: SUBMIT_BATCH_MAX,
      write: (_lane, batch) => this.#return(batch),
    })
  }

  /** Null: the message must not leave now. A message that cannot be journaled must not leave either. */
  async request(leased: Leased, link: string): Promise<SendPermit | null> {
    const { clock, log } = this.#world
    try {
      // It did not leave by the previous link.
      if (leased.counted) await this.giveBack(leased)
      if (!isTimely(leased, clock.now())) return null
      const leaving = { leased, link }
      const isGranted = leased.isLimited
        ? await this.#counted.add(laneNameOf(leased), leaving)
        : await this.#journal.write(leaving)
      if (leased.isRevoked) await this.#undo(leased)
      // The database was slow, and the limit applies to what reaches the carrier.
      if (!isGranted || !isTimely(leased, clock.now())) return null
      leased.hasPermit = true
      return { untilMs: sendByMs(leased) }
    } catch (error) {
      log.warn({ err: error }, 'messages wait: the submit journal could not be written')
      return null
    }
  }

  /** A message that was counted and did not leave no longer counts. */
  async giveBack(leased: Leased): Promise<void> {
    if (leased.counted) await this.#returned.add(laneNameOf(leased), leased)
  }

  /** Its link gave it up in the meantime, so this must clean up. */
  async #undo(leased: Leased): Promise<void> {
    if (leased.journal) this.#journal.settle(leased.journal)
    await this.giveBack(leased)
  }

  async #count(batch: readonly Leaving[]): Promise<boolean[]> {
    const lane = laneOf(batch[0]!.leased)
    const { db } = this.#world
    const granted = await this.#journal.writeIn(batch, (insert) =>
      db.transaction(async (tx) => {
        const slots = await lockLaneUse(tx, lane)
        const campaign = await findCampaign(tx, lane.accountId, lane.campaignId)
        // After the lock, because waiting for it may have taken time.
        const now = this.#world.clock.now()
        const limit = campaign ? limitOf(lane.route, campaign) : null
        const plan = planGrants(lane, batch, { slots: slots ?? {}, limit, now })
        if (plan.granted.size > 0) await setLaneUse(tx, lane, plan.slots)
        await insert(tx, [...plan.granted])
        return { ...plan, now }
      }, brieflyFor(lane.accountId)),
    )
    const slot = slotOf(lane.route, granted.now)
    for (const { leased } of granted.granted) {
      leased.counted = { slot, parts: partsOf(leased.message), atMs: granted.now.getTime() }
      this.#load.counted(leased)
    }
    return batch.map((leaving) => granted.granted.has(leaving))
  }

  async #return(batch: readonly Leased[]): Promise<undefined[]> {
    const bySlot = new Map<string, number>()
    for (const { counted } of batch) {
      if (counted) bySlot.set(counted.slot, (bySlot.get(counted.slot) ?? 0) + counted.parts)
    }
    const now = this.#world.clock.now()
    for (const [slot, parts] of bySlot) {
      await returnLaneUse(this.#world.db, laneOf(batch[0]!), { slot, parts, now })
    }
    for (const leased of batch) leased.counted = null
    return batch.map(() => undefined)
  }
}

/** Decides which of them the limit allows now, in order. Pure. */
function planGrants<T extends { leased: Pick<Leased, 'message'> }>(
  { route }: Pick<LaneKey, 'route'>,
  batch: readonly T[],
  { slots, limit, now }: { slots: LaneSlots; limit: number | null; now: Date },
): { granted: Set<T>; slots: LaneSlots } {
  const granted = new Set<T>()
  let use: LaneSlots = currentSlots(route, slots, now)
  for (const leaving of batch) {
    const parts = partsOf(leaving.leased.message)
    if (limit !== null && usedIn(use) + parts > limit) continue
    use = withUse(route, use, now, parts)
    granted.add(leaving)
  }
  return { granted, slots: use }
}

function sendByMs({ counted, submitBy }: Leased): number {
  const latestMs = submitBy?.getTime() ?? Number.POSITIVE_INFINITY
  return counted ? Math.min(latestMs, counted.atMs + SEND_WITHIN_MS) : latestMs
}

function laneOf({ message }: Leased): LaneKey {
  const { accountId, campaignId, route } = message
  return { accountId, campaignId, route }
}

export function laneNameOf({ message }: Pick<Leased, 'message'>): string {
  return `${message.accountId} ${message.campaignId} ${message.route}`
}
