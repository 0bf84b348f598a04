// Renews campaigns each month: their fee and the monthly price of their numbers, together or not at all. Any
// number of nodes may try at any time. The row's lock and the transfer's reference let only one succeed.

import { KeyedBackoff } from '../../kit/keyed-backoff.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { isWorkerAway } from '../../kit/postgres/db-failure.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import type { Transfer } from '../../ledger/ledger.js'
import { lockWallet, transferAll } from '../../ledger/ledger-queries.js'
import { appendCampaignChange } from '../append-campaign-changes.js'
import type { PaidPeriod } from '../campaign.js'
import { getCampaign } from '../campaign-queries.js'
import {
  claimRenewal,
  findFeeAndBalance,
  listDueRenewals,
  listUnpaidRenewals,
  type RenewalKey,
  type Renewing,
  updateRenewal,
} from './renewal-queries.js'
import { type NumberFee, owedMicros, owedPeriod, settled, unsettled } from './renewal-state.js'

const RENEWALS_PER_STEP_MAX = 100
// New money resumes a suspended campaign within this time.
const IDLE_MS = 2_000

/**
 * The numbers of a campaign. They are in a module that this one cannot import, so the assembly passes them
 * in.
 */
export type ListNumberFees = (
  db: Queryable,
  accountId: string,
  campaignId: string,
) => Promise<readonly NumberFee[]>

/** The result of one attempt: `short` if nothing changed, because the money is still missing. */
export type RenewalOutcome = 'renewed' | 'unpaid' | 'suspended' | 'short' | 'absent'

export function renewalLoop(world: World, listNumberFees: ListNumberFees): Loop {
  const onError = (error: unknown) =>
    world.log.error({ err: error }, 'could not look for due renewals')
  const aside = new KeyedBackoff(onError)
  return {
    name: 'renewals',
    hints: ['clock'],
    idleMs: () => world.hints.pollMs(IDLE_MS, 'schedule'),
    onError,
    step: async (signal) => {
      const now = world.clock.now()
      const due: Work[] = await listDueRenewals(world.db, now, RENEWALS_PER_STEP_MAX)
      const unpaid: Work[] = await listUnpaidRenewals(world.db, now, RENEWALS_PER_STEP_MAX)
      let changed = 0
      for (const work of [...due, ...unpaid]) {
        if (signal.aborted) break
        const attempt = () => tryRenewal(world, work, listNumberFees)
        const outcome = (await aside.attempt(work.accountId, attempt)) ?? 'absent'
        if (outcome !== 'short' && outcome !== 'absent') changed += 1
      }
      return changed
    },
  }
}

interface Work extends RenewalKey {
  /** For one that was attempted before. */
  isGraceOver?: boolean
}

// A check without any lock, so a wallet that covers the fee but not the numbers costs little.
async function isCovered(
  db: Queryable,
  key: RenewalKey,
  listNumberFees: ListNumberFees,
): Promise<boolean> {
  const found = await findFeeAndBalance(db, key)
  if (!found) return false
  const numberFees = await listNumberFees(db, key.accountId, key.id)
  return found.balanceMicros >= owedMicros(found.monthlyFeeMicros, numberFees)
}

// One campaign that cannot be renewed must not block the others.
async function tryRenewal(
  world: World,
  work: Work,
  listNumberFees: ListNumberFees,
): Promise<RenewalOutcome> {
  const { db, clock, log } = world
  try {
    if (work.isGraceOver === false && !(await isCovered(db, work, listNumberFees))) return 'short'
    return await db.transaction((tx) => renewCampaign(tx, work, listNumberFees, clock.now()), {
      accountId: work.accountId,
    })
  } catch (error) {
    if (isWorkerAway(error)) throw error
    log.error({ err: error, campaign: work.id, account: work.accountId }, 'a renewal failed')
    return 'absent'
  }
}

/** Pays for one period of one campaign, or records that it is unpaid. */
export async function renewCampaign(
  tx: Transaction,
  key: RenewalKey,
  listNumberFees: ListNumberFees,
  now: Date,
): Promise<RenewalOutcome> {
  const campaign = await claimRenewal(tx, key, now)
  if (!campaign) return 'absent'
  const period = owedPeriod(campaign, now)
  const numberFees = await listNumberFees(tx, key.accountId, key.id)
  const owed = owedMicros(campaign.monthlyFeeMicros, numberFees)
  const isPaid = (await lockWallet(tx, key.accountId)) >= owed
  if (isPaid) await transferAll(tx, key.accountId, chargesFor(campaign, period, numberFees), now)
  const changed = isPaid ? settled(campaign, period) : unsettled(campaign, now)
  if (!changed) return 'short'
  const before = await getCampaign(tx, key.accountId, key.id)
  await updateRenewal(tx, changed, now)
  const after = await getCampaign(tx, key.accountId, key.id)
  await appendCampaignChange(tx, isPaid ? 'renewed' : 'renewal_unpaid', { before, after }, now)
  if (isPaid) return 'renewed'
  return changed.status === campaign.status ? 'unpaid' : 'suspended'
}

type Charge = Omit<Transfer, 'accountId' | 'now'>

/** The day in a reference is the first of the period, so a second attempt is refused. */
function chargesFor(
  campaign: Renewing,
  period: PaidPeriod,
  numberFees: readonly NumberFee[],
): Charge[] {
  const day = period.periodStart.toISOString().slice(0, 10)
  const campaignId = campaign.id
  const fee: Charge = {
    reason: 'campaign_renewal',
    reference: `campaign_renewal:${campaignId}:${day}`,
    amountMicros: campaign.monthlyFeeMicros,
    campaignId,
  }
  // Includes the campaign, because a number can move to another campaign and renew with it on the same day.
  const numberCharges = numberFees.map(
    ({ phoneNumber, monthlyPriceMicros }): Charge => ({
      reason: 'number_renewal',
      reference: `number_renewal:${phoneNumber}:${campaignId}:${day}`,
      amountMicros: monthlyPriceMicros,
      campaignId,
    }),
  )
  return [fee, ...numberCharges].filter(({ amountMicros }) => amountMicros > 0n)
}
