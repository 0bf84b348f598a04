// Campaigns renew each month, with their numbers, exactly once, whatever the calendar and the service's downtime.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renewalLoop } from '../../src/campaigns/renewal/renew-campaigns.js'
import { decideCampaign } from '../../src/campaigns/review/decide-campaign.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { listCampaignNumbers } from '../../src/numbers/number-queries.js'
import {
  advanceTo,
  giveMoney,
  hasGrace,
  hasStatus,
  listRenewalCharges,
  renewed,
} from '../billing-fixtures.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { eventually, testService } from '../harness.js'

const ROLES = ['schedule'] as const

test('a campaign approved on January 31 renews on the last day of short months for two years', async (t) => {
  const service = await testService(t, { roles: ROLES, balance: '1000' })
  await advanceTo(service, '2027-01-31T23:30:00.000Z')
  const { campaignId } = await activeCampaign(service)
  const days = [
    ...['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31', '2027-06-30', '2027-07-31'],
    ...['2027-08-31', '2027-09-30', '2027-10-31', '2027-11-30', '2027-12-31', '2028-01-31'],
    ...['2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31', '2028-06-30', '2028-07-31'],
    ...['2028-08-31', '2028-09-30', '2028-10-31', '2028-11-30', '2028-12-31', '2029-01-31'],
  ]
  for (const day of days) {
    await advanceTo(service, `${day}T23:59:59.000Z`)
    await renewed(service, campaignId)
  }
  const charges = await listRenewalCharges(service, campaignId)
  assert.deepEqual(
    charges,
    days.map((day) => ({
      reason: 'campaign_renewal',
      reference: `campaign_renewal:${campaignId}:${day}`,
      amount: 10_000_000n,
    })),
  )
  assert.equal(await service.balance(), 1000 - 240)
})

test('nothing is charged before the first renewal date', async (t) => {
  const service = await testService(t, { roles: ROLES })
  await advanceTo(service, '2027-03-14T12:00:00.000Z')
  const { campaignId: earlier } = await activeCampaign(service)
  await advanceTo(service, '2027-03-15T12:00:00.000Z')
  const { campaignId } = await activeCampaign(service)
  await advanceTo(service, '2027-04-15T11:59:00.000Z')
  await renewed(service, earlier)
  assert.deepEqual(await listRenewalCharges(service, campaignId), [])
  assert.equal(await service.balance(), 90)
})

test('numbers renew with their campaign, at their own price, and a released one does not', async (t) => {
  const service = await testService(t, { roles: ROLES })
  await advanceTo(service, '2027-04-01T00:00:00.000Z')
  const { campaignId } = await activeCampaign(service)
  await addInventory(service, [{ number: '+14155550101', monthlyPriceMicros: 2_500_000n }])
  await service.post('/v1/number/buy', { campaign: campaignId, number: '+14155550101' })
  const kept = '+14155550101'
  const released = await buyNumber(service, campaignId)
  const before = await service.balance()
  await advanceTo(service, '2027-05-01T00:00:01.000Z')
  await renewed(service, campaignId)
  assert.equal(await service.balance(), before - 13.5)
  assert.equal((await service.call('DELETE', `/v1/number/${released}`)).status, 200)
  await advanceTo(service, '2027-06-01T00:00:01.000Z')
  await renewed(service, campaignId)
  assert.equal(await service.balance(), before - 26)
  const charges = await listRenewalCharges(service, campaignId)
  assert.deepEqual(
    charges.map(({ reference }) => reference).sort(),
    [
      `campaign_renewal:${campaignId}:2027-05-01`,
      `campaign_renewal:${campaignId}:2027-06-01`,
      `number_renewal:${kept}:${campaignId}:2027-05-01`,
      `number_renewal:${kept}:${campaignId}:2027-06-01`,
      `number_renewal:${released}:${campaignId}:2027-05-01`,
    ].sort(),
  )
})

test('three months of downtime are caught up one by one', async (t) => {
  const service = await testService(t, { roles: ROLES })
  await advanceTo(service, '2027-01-31T10:00:00.000Z')
  const { campaignId } = await activeCampaign(service)
  await advanceTo(service, '2027-05-10T10:00:00.000Z')
  assert.equal((await renewed(service, campaignId)).slice(0, 10), '2027-05-31')
  const charges = await listRenewalCharges(service, campaignId)
  assert.deepEqual(
    charges.map(({ reference }) => reference.split(':')[2]),
    ['2027-02-28', '2027-03-31', '2027-04-30'],
  )
  assert.equal(await service.balance(), 70)
})

test('a missed month that the balance does not cover is owed, and earlier ones are paid', async (t) => {
  const service = await testService(t, { roles: ROLES, balance: '25' })
  await advanceTo(service, '2027-01-15T10:00:00.000Z')
  const { campaignId } = await activeCampaign(service)
  await advanceTo(service, '2027-04-20T10:00:00.000Z')
  const campaign = await eventually(async () => {
    const found = (await service.get(`/v1/campaign/${campaignId}`)).body.campaign
    return found.graceUntil && found
  })
  assert.equal(campaign.status, 'ACTIVE')
  assert.equal(campaign.renewsAt.slice(0, 10), '2027-04-15')
  // The warning started when the renewal was attempted, not when it was due.
  assert.equal(campaign.graceUntil.slice(0, 10), '2027-04-27')
  assert.equal(await service.balance(), 5)
  await giveMoney(service, '5')
  await renewed(service, campaignId)
  assert.equal(await service.balance(), 0)
})

test('an unpaid campaign continues for seven days, stops, and comes back when paid', async (t) => {
  const service = await testService(t, { roles: ROLES, balance: '9.99' })
  await advanceTo(service, '2027-06-30T08:00:00.000Z')
  const { campaignId } = await activeCampaign(service)
  await advanceTo(service, '2027-07-30T09:00:00.000Z')
  const warned = await eventually(async () => {
    const found = (await service.get(`/v1/campaign/${campaignId}`)).body.campaign
    return found.graceUntil && found
  })
  assert.equal(warned.status, 'ACTIVE')
  assert.equal(warned.graceUntil.slice(0, 10), '2027-08-06')
  await advanceTo(service, '2027-08-06T08:59:00.000Z')
  assert.equal((await service.get(`/v1/campaign/${campaignId}`)).body.campaign.status, 'ACTIVE')
  await advanceTo(service, '2027-08-06T10:00:00.000Z')
  await hasStatus(service, campaignId, 'SUSPENDED')
  assert.equal(await service.balance(), 9.99)
  assert.deepEqual(await listRenewalCharges(service, campaignId), [])

  await giveMoney(service, '0.01')
  await hasStatus(service, campaignId, 'ACTIVE')
  const { campaign } = (await service.get(`/v1/campaign/${campaignId}`)).body
  assert.equal(campaign.renewsAt.slice(0, 10), '2027-08-30')
  assert.equal(campaign.graceUntil, undefined)
  assert.equal(await service.balance(), 0)
})

test('a campaign that was stopped for months owes one period: that of the payment', async (t) => {
  const service = await testService(t, { roles: ROLES, balance: '0' })
  await advanceTo(service, '2027-01-31T08:00:00.000Z')
  const { campaignId } = await activeCampaign(service)
  await advanceTo(service, '2027-03-01T09:00:00.000Z')
  await eventually(
    async () => (await service.get(`/v1/campaign/${campaignId}`)).body.campaign.graceUntil,
  )
  await advanceTo(service, '2027-03-09T09:00:00.000Z')
  await hasStatus(service, campaignId, 'SUSPENDED')
  await advanceTo(service, '2027-07-10T09:00:00.000Z')
  await giveMoney(service, '50')
  await hasStatus(service, campaignId, 'ACTIVE')
  assert.deepEqual(
    (await listRenewalCharges(service, campaignId)).map(({ reference }) => reference.split(':')[2]),
    ['2027-06-30'],
  )
  const { campaign } = (await service.get(`/v1/campaign/${campaignId}`)).body
  assert.equal(campaign.renewsAt.slice(0, 10), '2027-07-31')
  assert.equal(await service.balance(), 40)
})

test('a balance that covers the fee but not the numbers charges nothing', async (t) => {
  const service = await testService(t, { roles: ROLES, balance: '11' })
  await advanceTo(service, '2027-04-01T00:00:00.000Z')
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  assert.equal(await service.balance(), 10)
  await advanceTo(service, '2027-05-01T00:01:00.000Z')
  await eventually(
    async () => (await service.get(`/v1/campaign/${campaignId}`)).body.campaign.graceUntil,
  )
  assert.equal(await service.balance(), 10)
  await giveMoney(service, '1')
  await renewed(service, campaignId)
  assert.equal(await service.balance(), 0)
  assert.equal((await service.get(`/v1/number/${number}`)).status, 200)
})

test('an unpaid campaign that an operator resumes has seven days again', async (t) => {
  const service = await testService(t, { roles: ROLES, balance: '0' })
  const { world, accountId } = service
  await advanceTo(service, '2027-04-01T00:00:00.000Z')
  const { campaignId } = await activeCampaign(service)
  await advanceTo(service, '2027-05-01T06:00:00.000Z')
  await hasGrace(service, campaignId, '2027-05-08')
  await advanceTo(service, '2027-05-10T06:00:00.000Z')
  await hasStatus(service, campaignId, 'SUSPENDED')
  await world.db.transaction((tx) =>
    decideCampaign(tx, accountId, campaignId, { kind: 'resume' }, world.clock.now()),
  )
  await hasGrace(service, campaignId, '2027-05-17')
  assert.equal((await service.get(`/v1/campaign/${campaignId}`)).body.campaign.status, 'ACTIVE')
  await advanceTo(service, '2027-05-18T06:00:00.000Z')
  await hasStatus(service, campaignId, 'SUSPENDED')
})

test('a campaign that an operator suspended renews, and stays suspended when paid late', async (t) => {
  const service = await testService(t, { roles: ROLES, balance: '10' })
  const { world, accountId } = service
  await advanceTo(service, '2027-04-01T00:00:00.000Z')
  const { campaignId } = await activeCampaign(service)
  const decision = { kind: 'suspend', reason: 'operator' } as const
  await world.db.transaction((tx) =>
    decideCampaign(tx, accountId, campaignId, decision, world.clock.now()),
  )
  await advanceTo(service, '2027-05-01T06:00:00.000Z')
  await renewed(service, campaignId)
  assert.equal(await service.balance(), 0)
  await advanceTo(service, '2027-06-01T06:00:00.000Z')
  await hasGrace(service, campaignId, '2027-06-08')
  await advanceTo(service, '2027-06-12T06:00:00.000Z')
  await giveMoney(service, '10')
  await renewed(service, campaignId)
  const { campaign } = (await service.get(`/v1/campaign/${campaignId}`)).body
  assert.deepEqual([campaign.status, campaign.suspendedFor], ['SUSPENDED', 'operator'])
})

test('any number of nodes that renew at the same time charge once', async (t) => {
  const service = await testService(t, { env: { LONGCODE_DATABASE_POOL: '12' }, balance: '1000' })
  const { world } = service
  await advanceTo(service, '2027-04-01T00:00:00.000Z')
  const campaigns = await Promise.all(
    Array.from({ length: 5 }, async () => (await activeCampaign(service)).campaignId),
  )
  for (const campaignId of campaigns) await buyNumber(service, campaignId)
  const before = await service.balance()
  await advanceTo(service, '2027-06-15T00:00:00.000Z')
  const { signal } = new AbortController()
  const nodes = Array.from({ length: 8 }, async () => {
    const loop = renewalLoop(world, listCampaignNumbers)
    for (let idle = 0; idle < 3; ) idle = (await loop.step(signal)) === 0 ? idle + 1 : 0
  })
  await Promise.all(nodes)
  for (const campaignId of campaigns) {
    const charges = await listRenewalCharges(service, campaignId)
    const days = charges.map(({ reference }) => reference.split(':').at(-1))
    assert.deepEqual(days, ['2027-05-01', '2027-05-01', '2027-06-01', '2027-06-01'])
  }
  assert.equal(await service.balance(), before - 5 * 2 * 11)
  const events = await world.db.query<{ count: number }>(sql`
    select count(*)::int as count from events
    where event_type = 'campaign.changed' and data->>'change' = 'renewed'
      and data->'changed' @> '["renewsAt"]' group by campaign_id`)
  assert.deepEqual(
    events.map(({ count }) => count),
    [2, 2, 2, 2, 2],
  )
})
