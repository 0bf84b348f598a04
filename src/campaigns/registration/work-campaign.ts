// One step of registering a campaign at its provider: submit once its brand is registered, update or
// resubmit, check, or end.

import type { Brand, ReviewNote } from '../../brands/brand.js'
import { getBrand } from '../../brands/brand-queries.js'
import { isVerified } from '../../brands/brand-state.js'
import type { Registration } from '../../brands/registration.js'
import { deleteRegistration, findRegistration } from '../../brands/registration-queries.js'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { World } from '../../kit/world.js'
import type { Campaign } from '../campaign.js'
import { findCampaign, getCampaign } from '../campaign-queries.js'
import { takeNetworkLimits, type WakeLanes } from '../follow-limits.js'
import { type CampaignDecision, decideCampaign } from '../review/decide-campaign.js'
import type { CampaignEntry, CampaignThere, Registrar } from './registrar.js'
import {
  decide,
  digestOf,
  handIn,
  moved,
  presentOr,
  record,
  unlessDecided,
  waitFor,
} from './settle-registration.js'

/** After a campaign was corrected, an old refusal stays visible there for a while. */
const STALE_MS = 10 * 60_000

const BRAND_REFUSED: ReviewNote = {
  field: 'brandId',
  note: 'The carriers’ registry did not verify the brand. Resubmit the brand with its correct legal name and EIN.',
}

/** Throws a RemoteFault if the provider is to blame. */
export async function workCampaign(
  world: World,
  registrar: Registrar,
  wakeLanes: WakeLanes,
  leased: Registration,
): Promise<void> {
  if (leased.state === 'end') return end(world, registrar, leased)
  const { db } = world
  const campaign = await presentOr(getCampaign(db, leased.accountId, leased.recordId))
  if (leased.state === 'submit') {
    const brand = await presentOr(getBrand(db, leased.accountId, campaign.brandId))
    return submit(world, registrar, leased, { campaign, brand })
  }
  const there = await registrar.readCampaign(leased.providerId!)
  return recordDecision(world, registrar, wakeLanes, leased, there)
}

async function submit(
  world: World,
  registrar: Registrar,
  leased: Registration,
  { campaign, brand }: { campaign: Campaign; brand: Brand },
): Promise<void> {
  const { db, clock } = world
  // An operator returned it meanwhile: it is resubmitted or ended.
  if (campaign.status === 'DRAFT') {
    await record(db, leased, moved(leased, 'returned', clock.now()))
    return
  }
  const { accountId } = leased
  const itsBrand = await findRegistration(db, { accountId, recordId: brand.id })
  if (itsBrand?.state === 'returned' && isVerified(brand.status)) {
    return giveBack(world, leased, [BRAND_REFUSED])
  }
  if (itsBrand?.state !== 'registered') return waitFor(world, leased)
  const entryOf = ({ reference }: Registration): CampaignEntry => ({
    ...{ reference, campaign, brand, brandThere: itsBrand.providerId! },
  })
  let row = leased
  try {
    row = await updateThere(world, registrar, leased, entryOf)
    if (row.providerId !== null) {
      await record(db, row, moved({ ...row, postedAt: clock.now() }, 'review', clock.now()))
      return
    }
    const handed = await handIn(world, registrar, row, {
      find: () => registrar.findCampaign(entryOf(row)),
      create: () => registrar.createCampaign(entryOf(row)),
    })
    if (handed) await record(db, handed, moved(handed, 'review', clock.now()))
  } catch (error) {
    if (!(error instanceof RemoteFault) || error.kind !== 'refused') throw error
    await giveBack(world, row, error.notes)
  }
}

/**
 * An existing campaign is updated there. If that is not possible, it is ended first, so there are never two.
 */
async function updateThere(
  { db }: World,
  registrar: Registrar,
  leased: Registration,
  entryOf: (row: Registration) => CampaignEntry,
): Promise<Registration> {
  const { providerId, reference } = leased
  if (providerId === null || (await registrar.reviseCampaign(providerId, entryOf(leased)))) {
    return leased
  }
  await registrar.endCampaign(providerId)
  const next = { providerId: null, postedAt: null, reference: nextReference(reference) }
  return record(db, leased, { ...leased, ...next })
}

/** A provider accepts each reference once: cmp_…, cmp_…-2, cmp_…-3. */
export function nextReference(reference: string): string {
  const [id, count = '1'] = reference.split('-')
  return `${id}-${Number(count) + 1}`
}

async function recordDecision(
  world: World,
  registrar: Registrar,
  wakeLanes: WakeLanes,
  leased: Registration,
  there: CampaignThere,
): Promise<void> {
  const isReviewed = leased.state !== 'review'
  switch (there.kind) {
    case 'stuck':
      throw new RemoteFault('later', there.detail)
    case 'pending':
      return isReviewed ? rest(world, leased) : waitFor(world, leased)
    case 'approved':
      return approve(world, registrar, wakeLanes, leased)
    case 'suspended':
      if (!isReviewed) throw new RemoteFault('later', 'The registry has suspended the campaign.')
      return suspend(world, leased)
    case 'returned': {
      if (isReviewed) return suspend(world, leased)
      const staleUntilMs = (leased.postedAt?.getTime() ?? 0) + STALE_MS
      const isOld = digestOf(there.notes) === leased.notesDigest
      return isOld && world.clock.now().getTime() < staleUntilMs
        ? waitFor(world, leased)
        : giveBack(world, leased, there.notes)
    }
  }
}

async function rest({ db, clock }: World, leased: Registration): Promise<void> {
  await record(db, leased, moved(leased, leased.state, clock.now()))
}

/**
 * Approves it, resumes it after a registry suspension, or only checks it: with the networks' current limits.
 */
async function approve(
  world: World,
  registrar: Registrar,
  wakeLanes: WakeLanes,
  leased: Registration,
): Promise<void> {
  const { accountId, recordId, state } = leased
  const { limits, uncarried } = await registrar.readNetworks(leased.providerId!)
  const now = world.clock.now()
  const decision = DECISIONS[state]
  const networks = uncarried.length > 0 ? uncarried.join(', ') : null
  const { link } = leased
  if (networks !== null && networks !== leased.networks) {
    world.log.warn({ campaign: recordId, link, networks }, 'not every network carries a campaign')
  }
  const next = { ...moved(leased, 'registered', now), networks }
  await decide(world, leased, next, async (tx) => {
    if (decision) await unlessDecided(decideCampaign(tx, accountId, recordId, decision, now))
    await takeNetworkLimits(tx, accountId, recordId, limits, now, wakeLanes)
  })
}

const DECISIONS: Partial<Record<Registration['state'], CampaignDecision>> = {
  review: { kind: 'approve' },
  suspended: { kind: 'resume' },
}

async function suspend(world: World, leased: Registration): Promise<void> {
  if (leased.state === 'suspended') return rest(world, leased)
  const { accountId, recordId, link } = leased
  const now = world.clock.now()
  const decision: CampaignDecision = { kind: 'suspend', reason: 'registry' }
  world.log.warn({ campaign: recordId, link }, 'the registry has suspended a campaign')
  await decide(world, leased, moved(leased, 'suspended', now), (tx) =>
    decideCampaign(tx, accountId, recordId, decision, now),
  )
}

async function giveBack(
  world: World,
  leased: Registration,
  notes: readonly ReviewNote[],
): Promise<void> {
  const { accountId, recordId } = leased
  const now = world.clock.now()
  const next = { ...moved(leased, 'returned', now), notesDigest: digestOf(notes) }
  await decide(world, leased, next, (tx) =>
    decideCampaign(tx, accountId, recordId, { kind: 'return', notes: [...notes] }, now),
  )
}

async function end(world: World, registrar: Registrar, leased: Registration): Promise<void> {
  const id = leased.providerId ?? (await findThere(world, registrar, leased))
  if (id !== null) await registrar.endCampaign(id)
  await deleteRegistration(world.db, leased)
}

/** A process that died may have submitted it without recording it. */
async function findThere(
  { db }: World,
  registrar: Registrar,
  { accountId, recordId, reference, postedAt }: Registration,
): Promise<string | null> {
  const campaign = postedAt === null ? null : await findCampaign(db, accountId, recordId)
  if (!campaign) return null
  const itsBrand = await findRegistration(db, { accountId, recordId: campaign.brandId })
  if (!itsBrand?.providerId) return null
  return registrar.findCampaign({ reference, brandThere: itsBrand.providerId })
}
