// Renews campaigns: each month their fee and the rent of their numbers, together or not at all. Any
// number of nodes may try at any time; the row's lock and the transfer's reference let one succeed.

import { appendEvent } from '../events/append-events.js'
import type { Queryable, Transaction } from '../kit/db.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import type { Transfer } from '../ledger/ledger.js'
import { lockWallet, transferAll } from '../ledger/ledger-queries.js'
import { createMemory, type RenewalMemory } from './renewal-memory.js'
import {
  claimRenewal,
  listDueRenewals,
  listUnpaidRenewals,
  type RenewalKey,
  type Renewing,
  updateRenewal,
} from './renewal-queries.js'
import { owedPeriod, type Period, settled, unsettled } from './renewal-state.js'

const BATCH_MAX = 100
// Money that arrives brings a suspended campaign back within this time.
const IDLE_MS = 2_000

export interface Rent {
  phoneNumber: string
  monthlyPriceMicros: bigint
}

/** The numbers of a campaign. They live in a room that this one may not know, hence handed in. */
export type ListRents = (
  db: Queryable,
  accountId: string,
  campaignId: string,
) => Promise<readonly Rent[]>

/** What became of one try: `short` where nothing changed, for the money is still missing. */
export type Outcome = 'renewed' | 'unpaid' | 'suspended' | 'short' | 'absent'

export function renewalLoop(world: World, listRents: ListRents): Loop {
  const memory = createMemory()
  return {
    name: 'renewals',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => world.log.error({ err: error }, 'looking for renewals failed'),
    step: async (signal) => {
      const keys = await listWork(world, memory)
      let changed = 0
      for (const key of keys) {
        if (signal.aborted) break
        const outcome = await tryRenewal(world, key, listRents)
        if (outcome === 'short') memory.recordShort(key.id, key.balanceMicros)
        if (outcome !== 'short' && outcome !== 'absent') changed += 1
      }
      return changed
    },
  }
}

type Work = RenewalKey & { balanceMicros: bigint | null }

async function listWork({ db, clock }: World, memory: RenewalMemory): Promise<Work[]> {
  const now = clock.now()
  const due = await listDueRenewals(db, now, BATCH_MAX)
  const unpaid = await listUnpaidRenewals(db, now, BATCH_MAX)
  return [
    ...due.map((key) => ({ ...key, balanceMicros: null })),
    ...unpaid.filter((key) => key.isGraceOver || !memory.wasShort(key.id, key.balanceMicros)),
  ]
}

// One campaign that cannot be renewed must not keep the others from it.
async function tryRenewal(world: World, key: RenewalKey, listRents: ListRents): Promise<Outcome> {
  try {
    return await world.db.transaction((tx) => renewCampaign(tx, key, listRents, world.clock.now()))
  } catch (error) {
    world.log.error({ err: error, campaign: key.id, account: key.accountId }, 'a renewal failed')
    return 'absent'
  }
}

/** Pays for one period of one campaign, or records that it is unpaid. */
export async function renewCampaign(
  tx: Transaction,
  key: RenewalKey,
  listRents: ListRents,
  now: Date,
): Promise<Outcome> {
  const campaign = await claimRenewal(tx, key, now)
  if (!campaign) return 'absent'
  const period = owedPeriod(campaign, now)
  const charges = chargesFor(campaign, period, await listRents(tx, key.accountId, key.id))
  const owed = charges.reduce((sum, { amountMicros }) => sum + amountMicros, 0n)
  const isPaid = (await lockWallet(tx, key.accountId)) >= owed
  if (isPaid) await transferAll(tx, key.accountId, charges, now)
  const changed = isPaid ? settled(campaign, period) : unsettled(campaign, now)
  if (!changed) return 'short'
  await updateRenewal(tx, changed, now)
  await announce(tx, campaign, changed, now)
  if (isPaid) return 'renewed'
  return changed.status === campaign.status ? 'unpaid' : 'suspended'
}

type Charge = Omit<Transfer, 'accountId' | 'now'>

/** The day in a reference is the first of the period: whatever is tried twice is refused the second time. */
function chargesFor(campaign: Renewing, period: Period, rents: readonly Rent[]): Charge[] {
  const day = period.periodStart.toISOString().slice(0, 10)
  const campaignId = campaign.id
  const fee: Charge = {
    reason: 'campaign_renewal',
    reference: `campaign_renewal:${campaignId}:${day}`,
    amountMicros: campaign.monthlyFeeMicros,
    campaignId,
  }
  // With the campaign, for a number can leave it and renew with another of the account the same day.
  const rented = rents.map(
    ({ phoneNumber, monthlyPriceMicros }): Charge => ({
      reason: 'number_renewal',
      reference: `number_renewal:${phoneNumber}:${campaignId}:${day}`,
      amountMicros: monthlyPriceMicros,
      campaignId,
    }),
  )
  return [fee, ...rented].filter(({ amountMicros }) => amountMicros > 0n)
}

async function announce(
  tx: Transaction,
  before: Renewing,
  after: Renewing,
  now: Date,
): Promise<void> {
  await appendEvent(tx, {
    accountId: after.accountId,
    eventType: 'campaign.changed',
    campaignId: after.id,
    number: null,
    messageId: null,
    sequence: null,
    status: after.status,
    previousStatus: before.status,
    errorCode: null,
    errorMessage: null,
    data: {
      campaignId: after.id,
      change: after.renewsAt > before.renewsAt ? 'renewed' : 'renewal_unpaid',
      renewsAt: after.renewsAt.toISOString(),
      graceUntil: after.graceUntil?.toISOString() ?? null,
    },
    now,
  })
}
