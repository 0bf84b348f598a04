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
import { nextPhase, type Termination } from './termination.js'
import {
  listOpenTerminations,
  lockTermination,
  type TerminationKey,
  updateTermination,
} from './termination-queries.js'

const NUMBERS_PORTION = 100
const MESSAGES_PORTION = 500
const OPTOUTS_PORTION = 1_000
/** Batches in the request that ends a campaign, so the response comes within seconds. */
const PORTIONS_PER_REQUEST = 20
const TERMINATIONS_PER_STEP = 20
const IDLE_MS = 1_000
/** Messages between two attempts or claimed by a dispatcher are checked again after this time. */
const POLL_AGAIN_MS = 5_000
/** By then, a send that was in progress when the campaign ended has been written or refused. */
const SETTLED_MS = 60_000

export function terminationLoop(world: World): Loop {
  return {
    name: 'campaign ends',
    hints: ['clock'],
    idleMs: () => world.hints.pollMs(IDLE_MS, 'schedule'),
    onError: (error) =>
      world.log.error({ err: error }, 'could not clean up after an ended campaign'),
    step: async (signal) => {
      let portions = 0
      for (const key of await listOpenTerminations(
        world.db,
        world.clock.now(),
        TERMINATIONS_PER_STEP,
      )) {
        if (signal.aborted) break
        if (await tryPortion(world, key)) portions += 1
      }
      return portions
    },
  }
}

// One campaign that fails must not block the others.
async function tryPortion(world: World, key: TerminationKey): Promise<boolean> {
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
export async function beginClearing(world: World, key: TerminationKey): Promise<void> {
  for (let portions = 0; portions < PORTIONS_PER_REQUEST; portions += 1) {
    if (!(await clearPortion(world, key))) return
  }
}

/** True if there may be more to do right away. */
async function clearPortion(world: World, key: TerminationKey): Promise<boolean> {
  const now = world.clock.now()
  const termination = await world.db.transaction(async (tx) => {
    const found = await lockTermination(tx, key, now)
    if (!found) return null
    const cleared = await clear(tx, found, now)
    await updateTermination(tx, cleared)
    return cleared
  })
  if (!termination) return false
  world.hints.notify('deliveries')
  world.hints.notify('forwardings')
  return termination.checkAt !== null && termination.checkAt <= now
}

async function clear(tx: Transaction, termination: Termination, now: Date): Promise<Termination> {
  switch (termination.phase) {
    case 'optouts':
    case 'late_optouts':
      return clearOptouts(tx, termination, now)
    case 'numbers':
      return clearNumbers(tx, termination, now)
    case 'messages':
    case 'settling':
      return clearMessages(tx, termination, now)
  }
}

async function clearOptouts(
  tx: Transaction,
  termination: Termination,
  now: Date,
): Promise<Termination> {
  const { accountId, campaignId, moveNumbersTo, optoutsAfter } = termination
  const move = { from: campaignId, to: moveNumbersTo!, after: optoutsAfter }
  const last = await carryOptouts(tx, accountId, move, OPTOUTS_PORTION, now)
  if (last !== null) return { ...termination, optoutsAfter: last }
  return { ...termination, optoutsAfter: '', phase: nextPhase(termination) }
}

async function clearNumbers(
  tx: Transaction,
  termination: Termination,
  now: Date,
): Promise<Termination> {
  const { accountId, campaignId, moveNumbersTo } = termination
  await lockBoth(tx, accountId, termination)
  const numbers = await listNumbersToLeave(tx, accountId, campaignId, NUMBERS_PORTION)
  if (numbers.length === 0) return { ...termination, phase: nextPhase(termination) }
  const target = moveNumbersTo && (await getCampaign(tx, accountId, moveNumbersTo))
  if (target && mayHold(target)) {
    await moveNumbers(tx, accountId, numbers, target.id, now)
    return { ...termination, numbersMoved: termination.numbersMoved + numbers.length }
  }
  await releaseLocked(tx, accountId, numbers, now)
  return { ...termination, numbersReleased: termination.numbersReleased + numbers.length }
}

/** It was ACTIVE when it was chosen. If it has ended since, no campaign is left to take the numbers. */
function mayHold({ status }: Campaign): boolean {
  return status !== 'ENDED'
}

async function clearMessages(
  tx: Transaction,
  termination: Termination,
  now: Date,
): Promise<Termination> {
  const { accountId, campaignId, endedAt } = termination
  const portion = await cancelWaiting(tx, accountId, campaignId, MESSAGES_PORTION, now)
  if (portion.canceled > 0) {
    return {
      ...termination,
      phase: 'messages',
      messagesCancelled: termination.messagesCancelled + portion.canceled,
      refundedMicros: termination.refundedMicros + portion.refundedMicros,
    }
  }
  if (await hasQueued(tx, accountId, campaignId)) {
    return { ...termination, phase: 'messages', checkAt: new Date(now.getTime() + POLL_AGAIN_MS) }
  }
  const settledAt = new Date(endedAt.getTime() + SETTLED_MS)
  return { ...termination, phase: 'settling', checkAt: settledAt > now ? settledAt : null }
}
