// Shared by tests of money and time: move the clock to a date, credit an account, and read the ledger.

import assert from 'node:assert/strict'
import { newId } from '../src/kit/ids.js'
import { parseDollars } from '../src/kit/money.js'
import { sql } from '../src/kit/postgres/sql.js'
import { transfer } from '../src/ledger/ledger-queries.js'
import { eventually, type TestService } from './harness.js'
import { untilStatus } from './until-status.js'

/** Moves the service's clock forward to this time. */
export async function advanceTo(service: TestService, moment: string): Promise<void> {
  const ms = new Date(moment).getTime() - service.world.clock.now().getTime()
  const reply = await service.post('/sandbox/clock/advance', { seconds: ms / 1000 })
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
}

export async function giveMoney(
  { world, accountId }: TestService,
  dollars: string,
  to = accountId,
): Promise<void> {
  const now = world.clock.now()
  const reference = `credit:test:${newId('req', now)}`
  const amountMicros = parseDollars(dollars)!
  await world.db.transaction((tx) =>
    transfer(tx, { accountId: to, reason: 'credit', reference, amountMicros, now }),
  )
}

export interface Charge {
  reason: string
  reference: string
  amount: bigint
}

/** The renewal charges, oldest first. */
export async function listRenewalCharges(
  { world }: TestService,
  campaignId: string,
): Promise<Charge[]> {
  return world.db.query<Charge>(sql`
    select reason, reference, amount_micros as amount from ledger_transfers
    where campaign_id = ${campaignId} and reason in ('campaign_renewal', 'number_renewal')
    order by id`)
}

/** Waits until the campaign is paid beyond the current time, and returns its next renewal date. */
export async function renewed(service: TestService, campaignId: string): Promise<string> {
  return eventually(async () => {
    const { campaign } = (await service.get(`/v1/campaign/${campaignId}`)).body
    return new Date(campaign.renewsAt) > service.world.clock.now() && campaign.renewsAt
  }, 'a paid campaign')
}

/** Waits until the campaign has this status. */
export async function hasStatus(
  service: TestService,
  campaignId: string,
  status: string,
): Promise<void> {
  await untilStatus(service, 'campaign', campaignId, status)
}

/** Waits until the campaign is unpaid but can still send until this day. */
export async function hasGrace(
  service: TestService,
  campaignId: string,
  day: string,
): Promise<void> {
  await eventually(async () => {
    const { campaign } = (await service.get(`/v1/campaign/${campaignId}`)).body
    return campaign.graceUntil?.slice(0, 10) === day
  }, `a grace until ${day}`)
}
