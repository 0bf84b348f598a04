// The simulated registry: decides on brands and campaigns a while after they were submitted, so the whole process
// can be tried without a real one. Certain words make it refuse, so refusals can be tried, too.

import type { Brand, ReviewNote } from '../brands/brand.js'
import { getBrand, listBrandsToReview, type ReviewKey } from '../brands/brand-queries.js'
import type { BrandDecision } from '../brands/decide-brand.js'
import type { Campaign } from '../campaigns/campaign.js'
import { getCampaign, listCampaignsToReview } from '../campaigns/campaign-queries.js'
import { reviewBrand } from '../campaigns/follow-limits.js'
import { type CampaignDecision, decideCampaign } from '../campaigns/review/decide-campaign.js'
import type { Registry } from '../campaigns/review/registry-port.js'
import { Refusal } from '../kit/contract/refusal.js'
import { KeyedBackoff } from '../kit/keyed-backoff.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { wakeLanes } from '../messages/lane-queries.js'

const REVIEWS_PER_STEP_MAX = 50
const IDLE_MS = 250
const VETTED_SCORE = 80

const REFUSED_NAME = /refuse me/i
const VETTED_NAME = /vet me/i
const RETURNED_DESCRIPTION = /return this campaign/i

const EIN_NOTE: ReviewNote = {
  field: 'ein',
  note: 'The name does not match the tax records for this EIN. Correct the name or the EIN and resubmit.',
}

const RETURN_NOTES: ReviewNote[] = [
  {
    field: 'description',
    note: 'The description asks for the campaign to be returned. Describe what the messages are about.',
  },
  { field: 'sample1', note: 'Give a real sample message that includes the brand name.' },
]

export function createSimulatedRegistry(world: World): Registry {
  return { name: 'simulated', loops: [reviewLoop(world)] }
}

export function reviewLoop(world: World): Loop {
  const onError = (error: unknown) => world.log.error({ err: error }, 'review failed')
  const aside = new KeyedBackoff(onError)
  return {
    name: 'review',
    hints: ['reviews', 'clock'],
    step: async () => (await reviewBrands(world, aside)) + (await reviewCampaigns(world, aside)),
    onError,
    idleMs: IDLE_MS,
  }
}

/** A name may request several decisions, one after the other. */
export function decisionsOnBrand(brand: Pick<Brand, 'entityName'>): BrandDecision[] {
  const name = brand.entityName ?? ''
  if (REFUSED_NAME.test(name)) return [{ kind: 'refuse', notes: [EIN_NOTE] }]
  if (!VETTED_NAME.test(name)) return [{ kind: 'verify' }]
  return [{ kind: 'verify' }, { kind: 'vet', trustScore: VETTED_SCORE }]
}

export function decisionOnCampaign(campaign: Pick<Campaign, 'description'>): CampaignDecision {
  return RETURNED_DESCRIPTION.test(campaign.description ?? '')
    ? { kind: 'return', notes: RETURN_NOTES }
    : { kind: 'approve' }
}

async function reviewBrands(world: World, aside: KeyedBackoff): Promise<number> {
  const waiting = await listBrandsToReview(world.db, submittedBy(world), REVIEWS_PER_STEP_MAX)
  return decideEach(world, aside, waiting, async (tx, { accountId, id }) => {
    for (const decision of decisionsOnBrand(await getBrand(tx, accountId, id))) {
      await reviewBrand(tx, accountId, id, decision, world.clock.now(), wakeLanes)
    }
  })
}

async function reviewCampaigns(world: World, aside: KeyedBackoff): Promise<number> {
  const waiting = await listCampaignsToReview(world.db, submittedBy(world), REVIEWS_PER_STEP_MAX)
  return decideEach(world, aside, waiting, async (tx, { accountId, id }) => {
    const decision = decisionOnCampaign(await getCampaign(tx, accountId, id))
    await decideCampaign(tx, accountId, id, decision, world.clock.now())
  })
}

function submittedBy({ clock, config }: World): Date {
  return new Date(clock.now().getTime() - config.reviewMs)
}

// Several nodes may read the same waiting records. The row lock lets one decide, and the others are refused because
// the record has moved. That is not an error and not work done.
async function decideEach(
  { db }: World,
  aside: KeyedBackoff,
  waiting: readonly ReviewKey[],
  decide: (tx: Transaction, key: ReviewKey) => Promise<void>,
): Promise<number> {
  let decided = 0
  for (const key of waiting) {
    const isDecided = await aside.attempt(key.accountId, async () => {
      try {
        await db.transaction((tx) => decide(tx, key))
        return true
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return false
      }
    })
    if (isDecided) decided += 1
  }
  return decided
}
