// One task for one number at its provider. An order is recorded before it leaves. A worker that finds a recorded
// order looks it up by its reference before it places another, because numbers cost money each month.

import { findRegistration } from '../../brands/registration-queries.js'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { World } from '../../kit/world.js'
import { findForwarding } from '../forwarding-queries.js'
import { findNumber } from '../number-queries.js'
import type { NumberSource, OrderState, RentedThere } from '../number-source.js'
import { type Rent, recordRent } from '../rented-queries.js'
import { previousProfile, profileFor } from './campaign-profile.js'
import { activateNumber, endRent, failNumber } from './settle-number.js'

/** How often a pending order or assignment is checked: soon at first. */
const POLL_MS = 1_000
const POLL_MS_MAX = 60_000
/** An order that is still unknown after this time is given up and refunded. */
const GIVE_UP_MS = 24 * 60 * 60_000

/** Throws a SourceFault if the provider is at fault. */
export async function workRent(world: World, source: NumberSource, rent: Rent): Promise<void> {
  switch (rent.phase) {
    case 'order':
      return rent.orderedAt ? followOrder(world, source, rent) : placeOrder(world, source, rent)
    case 'bind':
    case 'move':
    case 'held':
      return furnish(world, source, rent)
    case 'release':
      return giveBack(world, source, rent)
  }
}

async function placeOrder(world: World, source: NumberSource, rent: Rent): Promise<void> {
  const profileId = await profileFor(world, source, rent)
  const { db, clock } = world
  const written = { ...rent, orderedAt: clock.now() }
  // Still under its lease, because otherwise another worker may be about to order as well.
  if (!(await recordRent(db, rent, written))) return
  const { id: reference, phoneNumber } = rent
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
    // Not accepted: the next attempt is the first again.
    await recordRent(db, written, rent)
    throw error
  }
}

/** A worker placed the order before, or was about to. */
async function followOrder(world: World, source: NumberSource, rent: Rent): Promise<void> {
  const state = await source.findOrder({ reference: rent.id, phoneNumber: rent.phoneNumber })
  if (state.kind !== 'none') return takeState(world, rent, state)
  const nowMs = world.clock.now().getTime()
  if (nowMs < rent.orderedAt!.getTime() + source.settleMs) {
    return waitFor(
      world,
      rent,
      'The provider did not respond to the order and does not list it yet.',
    )
  }
  if (nowMs > rent.purchasedAt.getTime() + GIVE_UP_MS) {
    return failNumber(world, rent, 'The provider has no order for the number.')
  }
  await placeOrder(world, source, { ...rent, orderedAt: null })
}

async function takeState(world: World, rent: Rent, state: OrderState): Promise<void> {
  const now = world.clock.now()
  if (state.kind === 'failed') return failNumber(world, rent, state.reason)
  if (state.kind !== 'done') return waitFor(world, rent, null)
  const { numberId } = state
  const bound = { ...rent, numberId, phase: 'bind' as const, since: now, attempts: 0, dueAt: now }
  await recordRent(world.db, rent, { ...bound, lastError: null })
  world.hints.notify('numbers')
}

/** A pending request is not a fault, but it is counted, so it is checked less and less often. */
async function waitFor({ db, clock }: World, rent: Rent, why: string | null): Promise<void> {
  const attempts = rent.attempts + 1
  const waitMs = Math.min(POLL_MS * 2 ** Math.min(attempts - 1, 20), POLL_MS_MAX)
  const dueAt = new Date(clock.now().getTime() + waitMs)
  await recordRent(db, rent, { ...rent, attempts, lastError: why, dueAt })
}

/** Calls first, because they need no campaign. Then the binding to the campaign. */
async function furnish(world: World, source: NumberSource, rent: Rent): Promise<void> {
  const there = { numberId: rent.numberId!, phoneNumber: rent.phoneNumber }
  const number = await findNumber(world.db, rent.phoneNumber)
  if (number?.accountId !== rent.accountId) return // just released: its row shows that
  if (rent.isForwardingDue) await source.forward?.(there, await targetNow(world, rent))
  const forwarded = { ...rent, isForwardingDue: false }
  if (rent.phase === 'held') {
    await recordRent(world.db, rent, { ...forwarded, attempts: 0, lastError: null, dueAt: null })
    return
  }
  const { campaignId } = number
  const profileId = await profileFor(world, source, { ...rent, campaignId })
  const previous = await previousProfile(world, source, rent)
  if (previous !== null && previous !== profileId) await source.unbind?.(there, previous)
  const campaignThere = await findCampaignThere(world, source, rent, campaignId)
  if (await source.bind(there, profileId, campaignThere)) {
    await activateNumber(world, rent, { ...forwarded, campaignId })
  } else await waitFor(world, rent, null)
}

/** Null if the number is not forwarded or its account is suspended. */
async function targetNow({ db }: World, { phoneNumber }: Rent): Promise<string | null> {
  const forwarding = await findForwarding(db, phoneNumber)
  return forwarding === undefined || forwarding.isStopped ? null : forwarding.forwardNumber
}

/** The campaign's registration there. Null if it has none, or elsewhere. */
async function findCampaignThere(
  { db }: World,
  { link }: NumberSource,
  { accountId }: Rent,
  campaignId: string,
): Promise<string | null> {
  const found = await findRegistration(db, { accountId, recordId: campaignId })
  return found?.link === link ? found.providerId : null
}

async function giveBack(world: World, source: NumberSource, rent: Rent): Promise<void> {
  const there = await findThere(world, source, rent)
  if (there === 'unknown') return
  if (there && !(await source.release(there))) return waitFor(world, rent, null)
  await endRent(world, rent, { isRefunded: there === null })
}

/** Null: it was never ours. */
async function findThere(
  world: World,
  source: NumberSource,
  rent: Rent,
): Promise<RentedThere | null | 'unknown'> {
  const { phoneNumber, numberId, orderedAt, id: reference } = rent
  if (numberId !== null) return { phoneNumber, numberId }
  if (orderedAt === null) return null
  const state = await source.findOrder({ reference, phoneNumber })
  if (state.kind === 'done') return { phoneNumber, numberId: state.numberId }
  if (state.kind === 'failed') return null
  const isOld = world.clock.now().getTime() >= orderedAt.getTime() + source.settleMs
  if (state.kind === 'none' && isOld) return null
  await waitFor(world, rent, null)
  return 'unknown'
}
