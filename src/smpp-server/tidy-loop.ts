// What system ids leave behind: subscriptions of those whose token has ended, and parts of long messages whose others
// never came. Whoever asked for receipts of these gets them.

import { deleteSystem, listEndedSystems } from '../accounts/smpp-system-queries.js'
import { pauseDeliveries } from '../events/queue/delivery-round-queries.js'
import { deleteSubscription } from '../events/subscription-queries.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { endSet, INCOMPLETE } from './join-parts.js'
import { findOldSets, listSet, lockSet, markSetDone } from './part-queries.js'
import { findMessageOfSet } from './submit-messages.js'

/** For so long the parts of a message may be apart. */
const WAIT_MS = 5 * 60_000
/** For so long a part's own id is known once the message is whole. */
const KEPT_MS = 60 * 60_000
const PORTION = 100
const PAUSE_PORTION = 1_000
const IDLE_MS = 5_000

export function smppTidyLoop(world: World): Loop {
  return {
    name: 'smpp tidy',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => world.log.error({ err: error }, 'clearing up after SMPP failed'),
    step: async () => (await endOldSets(world)) + (await endSystems(world)),
  }
}

async function endOldSets(world: World): Promise<number> {
  const { db, clock, hints } = world
  const nowMs = clock.nowMs()
  const bounds = { waitingSince: new Date(nowMs - WAIT_MS), doneSince: new Date(nowMs - KEPT_MS) }
  const old = await findOldSets(db, bounds, PORTION)
  for (const key of old) {
    const [first] = await listSet(db, key.accountId, key.setId)
    if (!first) continue
    // The process may have died between the message and its note.
    const messageId = first.messageId ?? (await findMessageOfSet(world, key))
    if (first.messageId === null && messageId !== null) await markSetDone(db, key, messageId)
    await db.transaction(async (tx) => {
      await lockSet(tx, first)
      const parts = await listSet(tx, key.accountId, key.setId)
      if (parts.length > 0) await endSet(tx, parts, INCOMPLETE, clock.now())
    })
    hints.notify('deliveries')
  }
  return old.length
}

async function endSystems({ db, clock }: World): Promise<number> {
  const ended = await listEndedSystems(db, clock.now(), PORTION)
  for (const { systemId, accountId, tokenId } of ended) {
    await deleteSubscription(db, accountId, tokenId)
    for (let paused = PAUSE_PORTION; paused === PAUSE_PORTION; ) {
      paused = await pauseDeliveries(db, accountId, tokenId, clock.now(), PAUSE_PORTION)
    }
    await deleteSystem(db, systemId)
  }
  return ended.length
}
