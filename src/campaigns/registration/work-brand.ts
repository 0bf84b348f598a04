// One step of registering a brand at its provider: submit, update, or check.

import type { ReviewNote } from '../../brands/brand.js'
import { getBrand } from '../../brands/brand-queries.js'
import type { BrandDecision } from '../../brands/decide-brand.js'
import type { Registration } from '../../brands/registration.js'
import { hastenCampaigns } from '../../brands/registration-queries.js'
import { DAY_MS, HOUR_MS } from '../../kit/clock.js'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { Transaction } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import { listCampaignIdsOf } from '../campaign-queries.js'
import { reviewBrand, type WakeLanes } from '../follow-limits.js'
import type { BrandEntry, BrandThere, Registrar } from './registrar.js'
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

/** After a brand was corrected, an old refusal stays visible there for a while. */
const STALE_MS = HOUR_MS
/** The registry reports "unverified" while it is still working. After this long, it is final. */
const UNVERIFIED_MS = DAY_MS

const UNEXPLAINED: ReviewNote = {
  field: 'ein',
  note: 'The registry could not verify the company and gave no reason. Compare the legal name, EIN, and address with your IRS letter.',
}

const NO_LONGER = 'The registry no longer verifies the brand. Ask the provider why.'

/** Throws a RemoteFault if the provider is to blame. */
export async function workBrand(
  world: World,
  registrar: Registrar,
  wakeLanes: WakeLanes,
  leased: Registration,
): Promise<void> {
  const brand = await presentOr(getBrand(world.db, leased.accountId, leased.recordId))
  if (leased.state === 'submit') {
    await submit(world, registrar, leased, { reference: leased.reference, brand })
    return
  }
  const there = await registrar.readBrand(leased.providerId!)
  await recordDecision(world, wakeLanes, leased, there)
}

async function submit(
  world: World,
  registrar: Registrar,
  leased: Registration,
  entry: BrandEntry,
): Promise<void> {
  const { db, clock } = world
  try {
    let row: Registration | null = leased
    if (leased.providerId === null) {
      row = await handIn(world, registrar, leased, {
        find: () => registrar.findBrand(entry),
        create: () => registrar.createBrand(entry),
      })
      if (row === null) return
    } else {
      await registrar.reviseBrand(leased.providerId, entry)
      row = { ...leased, postedAt: clock.now() }
    }
    await record(db, leased, moved(row, 'review', clock.now()))
  } catch (error) {
    if (!(error instanceof RemoteFault) || error.kind !== 'refused') throw error
    await refuse(world, leased, error.notes)
  }
}

async function recordDecision(
  world: World,
  wakeLanes: WakeLanes,
  leased: Registration,
  there: BrandThere,
): Promise<void> {
  const nowMs = world.clock.now().getTime()
  const postedMs = leased.postedAt?.getTime() ?? 0
  switch (there.kind) {
    case 'unverified':
    case 'refused':
      if (leased.state !== 'review') throw new RemoteFault('later', NO_LONGER)
  }
  switch (there.kind) {
    case 'unverified':
      return nowMs < postedMs + UNVERIFIED_MS
        ? waitOrRest(world, leased)
        : refuse(world, leased, [UNEXPLAINED])
    case 'refused': {
      const isOld = digestOf(there.notes) === leased.notesDigest && nowMs < postedMs + STALE_MS
      return isOld ? waitOrRest(world, leased) : refuse(world, leased, there.notes)
    }
    case 'pending':
      return waitOrRest(world, leased)
    case 'verified':
      return accept(world, wakeLanes, leased, [{ kind: 'verify' }])
    case 'vetted': {
      const { trustScore } = there
      const vet = trustScore === null ? [] : [{ kind: 'vet' as const, trustScore }]
      return accept(world, wakeLanes, leased, [{ kind: 'verify' }, ...vet])
    }
  }
}

/** A registered brand stays registered while the registry reviews it again. */
async function waitOrRest(world: World, leased: Registration): Promise<void> {
  if (leased.state === 'review') return waitFor(world, leased)
  await record(world.db, leased, moved(leased, 'registered', world.clock.now()))
}

async function accept(
  world: World,
  wakeLanes: WakeLanes,
  leased: Registration,
  decisions: readonly BrandDecision[],
): Promise<void> {
  const { accountId, recordId } = leased
  const now = world.clock.now()
  await decide(world, leased, moved(leased, 'registered', now), async (tx) => {
    for (const decision of decisions) {
      if (decision.kind === 'vet' && (await isVettedSo(tx, leased, decision.trustScore))) continue
      await unlessDecided(reviewBrand(tx, accountId, recordId, decision, now, wakeLanes))
      await hasten(tx, leased, decision, now)
    }
  })
}

async function isVettedSo(tx: Transaction, { accountId, recordId }: Registration, score: number) {
  const { status, trustScore } = await getBrand(tx, accountId, recordId)
  return status === 'VETTED' && trustScore === score
}

/** Its campaigns waited for it. After a vetting, the networks may allow them more. */
async function hasten(
  tx: Transaction,
  { accountId, recordId, state }: Registration,
  { kind }: BrandDecision,
  now: Date,
): Promise<void> {
  if (kind === 'verify' && state === 'registered') return
  const campaignIds = await listCampaignIdsOf(tx, accountId, recordId)
  await hastenCampaigns(tx, accountId, campaignIds, kind === 'vet' ? 'registered' : 'submit', now)
}

async function refuse(
  world: World,
  leased: Registration,
  notes: readonly ReviewNote[],
): Promise<void> {
  const { accountId, recordId } = leased
  const now = world.clock.now()
  const next = { ...moved(leased, 'returned', now), notesDigest: digestOf(notes) }
  await decide(world, leased, next, (tx) =>
    reviewBrand(tx, accountId, recordId, { kind: 'refuse', notes: [...notes] }, now, NO_LANES),
  )
}

/** A refusal changes no limit. */
const NO_LANES: WakeLanes = async () => {}
