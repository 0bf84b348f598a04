// Cleans up after ended campaigns: opt-outs and numbers, then waiting messages and their charges, one batch
// per transaction. The request that ends a campaign starts this. The `schedule` role continues with the rest,
// including work that a dead process left behind.

import type { Campaign } from '../campaigns/campaign.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { cancelWaiting } from '../messages/moves/cancel-waiting.js'
import { hasQueued } from '../messages/moves/waiting-queries.js'
import { moveNumbers } from '../numbers/move-numbers.js'
import { listNumbersToLeave } from '../numbers/number-queries.js'
import { releaseLocked } from '../numbers/release-number.js'
import { carryOptouts } from '../optouts/carry-optouts.js'
import { lockBoth } from './end-campaign.js'
import { type Ending, nextPhase } from './termination.js'
import { type EndingKey, listOpenEndings, lockEnding, updateEnding } from './termination-queries.js'

const NUMBERS_PORTION = 100
const MESSAGES_PORTION = 500
const OPTOUTS_PORTION = 1_000
/** Batches in the request that ends a campaign, so the response comes within seconds. */
const PORTIONS_PER_REQUEST = 20
const ENDINGS_PER_STEP = 20
const IDLE_MS = 1_000
/** Messages between two attempts or claimed by a dispatcher are checked again after this time. */
const POLL_AGAIN_MS = 5_000
/** By then, a send that was in progress when the campaign ended has been written or refused. */
const SETTLED_MS = 60_000

export function endingLoop(world: World): Loop {
  return {
    name: 'campaign ends',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) =>
      world.log.error({ err: error }, 'could not clean up after an ended campaign'),
    step: async (signal) => {
      let portions = 0
      for (const key of await listOpenEndings(world.db, world.clock.now(), ENDINGS_PER_STEP)) {
        if (signal.aborted) break
        if (await tryPortion(world, key)) portions += 1
      }
      return portions
    },
  }
}

// One campaign that fails must not block the others.
async function tryPortion(world: World, key: EndingKey): Promise<boolean> {
  try {
    return await clearPortion(world, key)
  } catch (error) {
    world.log.error(
      { err: error, campaign: key.campaignId },
      'could not clean up after an ended campaign',
    )
    return false
  }
}

/** As much as fits into a request. The loop does the rest. */
export async function beginClearing(world: World, key: EndingKey): Promise<void> {
  for (let portions = 0; portions < PORTIONS_PER_REQUEST; portions += 1) {
    if (!(await clearPortion(world, key))) return
  }
}

/** True if there may be more to do right away. */
async function clearPortion(world: World, key: EndingKey): Promise<boolean> {
  const now = world.clock.now()
  const ending = await world.db.transaction(async (tx) => {
    const found = await lockEnding(tx, key, now)
    if (!found) return null
    const cleared = await clear(tx, found, now)
    await updateEnding(tx, cleared)
    return cleared
  })
  if (!ending) return false
  world.hints.notify('deliveries')
  world.hints.notify('forwardings')
  return ending.checkAt !== null && ending.checkAt <= now
}

async function clear(tx: Transaction, ending: Ending, now: Date): Promise<Ending> {
  switch (ending.phase) {
    case 'optouts':
    case 'late_optouts':
      return clearOptouts(tx, ending, now)
    case 'numbers':
      return clearNumbers(tx, ending, now)
    case 'messages':
    case 'settling':
      return clearMessages(tx, ending, now)
  }
}

async function clearOptouts(tx: Transaction, ending: Ending, now: Date): Promise<Ending> {
  const { accountId, campaignId, moveNumbersTo, optoutsAfter } = ending
  const way = { from: campaignId, to: moveNumbersTo!, after: optoutsAfter }
  const last = await carryOptouts(tx, accountId, way, OPTOUTS_PORTION, now)
  if (last !== null) return { ...ending, optoutsAfter: last }
  return { ...ending, optoutsAfter: '', phase: nextPhase(ending) }
}

async function clearNumbers(tx: Transaction, ending: Ending, now: Date): Promise<Ending> {
  const { accountId, campaignId, moveNumbersTo } = ending
  await lockBoth(tx, accountId, ending)
  const numbers = await listNumbersToLeave(tx, accountId, campaignId, NUMBERS_PORTION)
  if (numbers.length === 0) return { ...ending, phase: nextPhase(ending) }
  const target = moveNumbersTo && (await getCampaign(tx, accountId, moveNumbersTo))
  if (target && mayHold(target)) {
    await moveNumbers(tx, accountId, numbers, target.id, now)
    return { ...ending, numbersMoved: ending.numbersMoved + numbers.length }
  }
  await releaseLocked(tx, accountId, numbers, now)
  return { ...ending, numbersReleased: ending.numbersReleased + numbers.length }
}

/** It was ACTIVE when it was chosen. If it has ended since, no campaign is left to take the numbers. */
function mayHold({ status }: Campaign): boolean {
  return status !== 'ENDED'
}

async function clearMessages(tx: Transaction, ending: Ending, now: Date): Promise<Ending> {
  const { accountId, campaignId, endedAt } = ending
  const portion = await cancelWaiting(tx, accountId, campaignId, MESSAGES_PORTION, now)
  if (portion.canceled > 0) {
    return {
      ...ending,
      phase: 'messages',
      messagesCancelled: ending.messagesCancelled + portion.canceled,
      refundedMicros: ending.refundedMicros + portion.refundedMicros,
    }
  }
  if (await hasQueued(tx, accountId, campaignId)) {
    return { ...ending, phase: 'messages', checkAt: new Date(now.getTime() + POLL_AGAIN_MS) }
  }
  const settledAt = new Date(endedAt.getTime() + SETTLED_MS)
  return { ...ending, phase: 'settling', checkAt: settledAt > now ? settledAt : null }
}
