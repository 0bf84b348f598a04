// Removes what system IDs leave behind: subscriptions of tokens that have ended, and incomplete parts of long
// messages. Customers that requested receipts get them.

import { deleteSystem, listEndedSystems } from '../accounts/smpp-system-queries.js'
import { pauseDeliveries } from '../events/queue/delivery-round-queries.js'
import { deleteSubscription } from '../events/subscription-queries.js'
import { HOUR_MS } from '../kit/clock.js'
import { KeyedBackoff } from '../kit/keyed-backoff.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { endSet, INCOMPLETE } from './join-parts.js'
import { findOldSets, listSet, lockSet, markSetDone } from './part-queries.js'
import { findMessageOfSet } from './submit-messages.js'

/** How long the parts of a message may be apart. */
const WAIT_MS = 5 * 60_000
/** How long a part's own ID is known after the message is complete. */
const KEPT_MS = HOUR_MS
const PORTION = 100
const PAUSE_PORTION = 1_000
const IDLE_MS = 5_000

export function smppPurgeLoop(world: World): Loop {
  const onError = (error: unknown) =>
    world.log.error({ err: error }, 'clearing up after SMPP failed')
  const aside = new KeyedBackoff(onError)
  return {
    name: 'SMPP purge',
    hints: ['clock'],
    idleMs: () => world.hints.pollMs(IDLE_MS, 'schedule'),
    onError,
    step: async () => (await endOldSets(world, aside)) + (await endSystems(world, aside)),
  }
}

type OldSet = Awaited<ReturnType<typeof findOldSets>>[number]

async function endOldSets(world: World, aside: KeyedBackoff): Promise<number> {
  const nowMs = world.clock.nowMs()
  const bounds = { waitingSince: new Date(nowMs - WAIT_MS), doneSince: new Date(nowMs - KEPT_MS) }
  let ended = 0
  for (const key of await findOldSets(world.db, bounds, PORTION)) {
    const isEnded = await aside.attempt(key.accountId, () => endOldSet(world, key))
    if (isEnded) ended += 1
  }
  return ended
}

async function endOldSet(world: World, key: OldSet): Promise<boolean> {
  const { db, clock, hints } = world
  const [first] = await listSet(db, key.accountId, key.setId)
  if (!first) return false
  // The process may have died between storing the message and recording it here.
  const messageId = first.messageId ?? (await findMessageOfSet(world, key))
  if (first.messageId === null && messageId !== null) await markSetDone(db, key, messageId)
  await db.transaction(async (tx) => {
    await lockSet(tx, first)
    const parts = await listSet(tx, key.accountId, key.setId)
    if (parts.length > 0) await endSet(tx, parts, INCOMPLETE, clock.now())
  })
  hints.notify('deliveries')
  return true
}

async function endSystems({ db, clock }: World, aside: KeyedBackoff): Promise<number> {
  let ended = 0
  for (const { systemId, accountId, tokenId } of await listEndedSystems(db, clock.now(), PORTION)) {
    const isEnded = await aside.attempt(accountId, async () => {
      await deleteSubscription(db, accountId, tokenId)
      for (let paused = PAUSE_PORTION; paused === PAUSE_PORTION; ) {
        paused = await pauseDeliveries(db, accountId, tokenId, clock.now(), PAUSE_PORTION)
      }
      await deleteSystem(db, systemId)
      return true
    })
    if (isEnded) ended += 1
  }
  return ended
}
