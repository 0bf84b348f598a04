// One task for one number at its provider. An order is recorded before it leaves. A worker that finds a recorded
// order looks it up by its reference before it places another, because numbers cost money each month.

import { findRegistration } from '../../brands/registration-queries.js'
import { DAY_MS } from '../../kit/clock.js'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { World } from '../../kit/world.js'
import { findForwarding } from '../forwarding-queries.js'
import { findNumber } from '../number-queries.js'
import type { NumberSource, OrderState, ProviderNumber } from '../number-source.js'
import { type ProvisioningTask, recordTask } from '../provider-number-queries.js'
import { previousProfile, profileFor } from './campaign-profile.js'
import { activateNumber, endTask, failNumber } from './settle-number.js'

/** How often a pending order or assignment is checked: soon at first. */
const POLL_MS = 1_000
const POLL_MS_MAX = 60_000
/** An order that is still unknown after this time is given up and refunded. */
const GIVE_UP_MS = DAY_MS

/** Throws a SourceFault if the provider is at fault. */
export async function runTask(
  world: World,
  source: NumberSource,
  task: ProvisioningTask,
): Promise<void> {
  switch (task.phase) {
    case 'order':
      return task.orderedAt ? followOrder(world, source, task) : placeOrder(world, source, task)
    case 'bind':
    case 'move':
    case 'held':
      return furnish(world, source, task)
    case 'release':
      return giveBack(world, source, task)
  }
}

async function placeOrder(
  world: World,
  source: NumberSource,
  task: ProvisioningTask,
): Promise<void> {
  const profileId = await profileFor(world, source, task)
  const { db, clock } = world
  const written = { ...task, orderedAt: clock.now() }
  // Still under its lease, because otherwise another worker may be about to order as well.
  if (!(await recordTask(db, task, written))) return
  const { id: reference, phoneNumber } = task
  try {
    await takeState(world, written, await source.order({ reference, phoneNumber, profileId }))
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error
    if (error.kind === 'unknown') return waitFor(world, written, error.message)
    if (error.kind === 'refused') {
      // Not available, perhaps because an unknown order already made it ours.
      const state = await source.findOrder({ reference, phoneNumber })
      if (state.kind !== 'none') return takeState(world, written, state)
    }
    // Not accepted. An earlier order may still appear, so the next attempt looks it up first.
    await recordTask(db, written, task)
    throw error
  }
}

/** A worker placed the order before, or was about to. */
async function followOrder(
  world: World,
  source: NumberSource,
  task: ProvisioningTask,
): Promise<void> {
  const state = await source.findOrder({ reference: task.id, phoneNumber: task.phoneNumber })
  if (state.kind !== 'none') return takeState(world, task, state)
  const nowMs = world.clock.now().getTime()
  if (nowMs < task.orderedAt!.getTime() + source.settleMs) {
    return waitFor(
      world,
      task,
      'The provider did not respond to the order and does not list it yet.',
    )
  }
  if (nowMs > task.purchasedAt.getTime() + GIVE_UP_MS) {
    return failNumber(world, task, 'The provider has no order for the number.')
  }
  await placeOrder(world, source, task)
}

async function takeState(world: World, task: ProvisioningTask, state: OrderState): Promise<void> {
  const now = world.clock.now()
  if (state.kind === 'failed') return failNumber(world, task, state.reason)
  if (state.kind !== 'done') return waitFor(world, task, null)
  const { numberId } = state
  const bound = { ...task, numberId, phase: 'bind' as const, since: now, attempts: 0, dueAt: now }
  await recordTask(world.db, task, { ...bound, lastError: null })
  world.hints.notify('numbers')
}

/** A pending request is not a fault, but it is counted, so it is checked less and less often. */
async function waitFor(
  { db, clock, hints }: World,
  task: ProvisioningTask,
  why: string | null,
): Promise<void> {
  const attempts = task.attempts + 1
  const waitMs = Math.min(POLL_MS * 2 ** Math.min(attempts - 1, 20), POLL_MS_MAX)
  const dueAt = new Date(clock.now().getTime() + waitMs)
  await recordTask(db, task, { ...task, attempts, lastError: why, dueAt })
  hints.remind('numbers', waitMs)
}

/** Calls first, because they need no campaign. Then the binding to the campaign. */
async function furnish(world: World, source: NumberSource, task: ProvisioningTask): Promise<void> {
  const there = { numberId: task.numberId!, phoneNumber: task.phoneNumber }
  const number = await findNumber(world.db, task.phoneNumber)
  if (number?.accountId !== task.accountId) return // just released: its row shows that
  if (task.isForwardingDue) await source.forward?.(there, await targetNow(world, task))
  const forwarded = { ...task, isForwardingDue: false }
  if (task.phase === 'held') {
    await recordTask(world.db, task, { ...forwarded, attempts: 0, lastError: null, dueAt: null })
    return
  }
  const { campaignId } = number
  const profileId = await profileFor(world, source, { ...task, campaignId })
  const previous = await previousProfile(world, source, task)
  if (previous !== null && previous !== profileId) await source.unbind?.(there, previous)
  const campaignThere = await findCampaignThere(world, source, task, campaignId)
  if (await source.bind(there, profileId, campaignThere)) {
    await activateNumber(world, task, { ...forwarded, campaignId })
  } else await waitFor(world, task, null)
}

/** Null if the number is not forwarded or its account is suspended. */
async function targetNow({ db }: World, { phoneNumber }: ProvisioningTask): Promise<string | null> {
  const forwarding = await findForwarding(db, phoneNumber)
  return forwarding === undefined || forwarding.isStopped ? null : forwarding.forwardNumber
}

/** The campaign's registration there. Null if it has none, or elsewhere. */
async function findCampaignThere(
  { db }: World,
  { link }: NumberSource,
  { accountId }: ProvisioningTask,
  campaignId: string,
): Promise<string | null> {
  const found = await findRegistration(db, { accountId, recordId: campaignId })
  return found?.link === link ? found.providerId : null
}

async function giveBack(world: World, source: NumberSource, task: ProvisioningTask): Promise<void> {
  const there = await findThere(world, source, task)
  if (there === 'unknown') return
  if (there && !(await source.release(there))) return waitFor(world, task, null)
  await endTask(world, task, { isRefunded: there === null })
}

/** Null: it was never ours. */
async function findThere(
  world: World,
  source: NumberSource,
  task: ProvisioningTask,
): Promise<ProviderNumber | null | 'unknown'> {
  const { phoneNumber, numberId, orderedAt, id: reference } = task
  if (numberId !== null) return { phoneNumber, numberId }
  if (orderedAt === null) return null
  const state = await source.findOrder({ reference, phoneNumber })
  if (state.kind === 'done') return { phoneNumber, numberId: state.numberId }
  if (state.kind === 'failed') return null
  const isOld = world.clock.now().getTime() >= orderedAt.getTime() + source.settleMs
  if (state.kind === 'none' && isOld) return null
  await waitFor(world, task, null)
  return 'unknown'
}
