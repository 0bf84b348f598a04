// Limits are assigned dynamically: they follow the brand's score, except those that an operator set.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { decideOnBrand, decideOnCampaign, newCampaign } from '../api/campaign-bodies.js'
import { operatedService } from '../api/operator-service.js'
import { eventually, type Json, type TestService, testService } from '../harness.js'
import { changeCampaign, sendingService, TMO } from '../sending.js'

const UNVETTED = { smsTpmAtt: 240, mmsTpmAtt: 150, dailyTmoCap: 2_000 }
const OF_60 = { smsTpmAtt: 2_400, mmsTpmAtt: 1_200, dailyTmoCap: 40_000 }
const OF_80 = { smsTpmAtt: 4_500, mmsTpmAtt: 2_400, dailyTmoCap: 200_000 }
const LOW = { smsTpmAtt: 75, mmsTpmAtt: 50, dailyTmoCap: 2_000 }

async function limitsOf(service: TestService, id: unknown): Promise<Json> {
  return (await service.get(`/v1/campaign/${id}`)).body.campaign.limits
}

test('every campaign of a brand follows its score each time it is vetted', async (t) => {
  const service = await operatedService(t)
  const first = await newCampaign(service)
  const brandId = first.brandId as string
  const second = await newCampaign(service, { brandId })
  const low = await newCampaign(service, { brandId, isLowVolume: true })
  const pending = await newCampaign(service, { brandId })
  await decideOnBrand(service, brandId, { kind: 'verify' })
  for (const { id } of [first, second, low]) {
    await decideOnCampaign(service, id as string, { kind: 'approve' })
  }
  await service.operate('PUT', `/campaign/${second.id}/limits`, { smsTpmAtt: 10 })
  assert.deepEqual(await limitsOf(service, first.id), UNVETTED)

  await service.operate('POST', `/brand/${brandId}/vet`, { trustScore: 60 })
  assert.deepEqual(await limitsOf(service, first.id), OF_60)
  assert.deepEqual(await limitsOf(service, second.id), { ...UNVETTED, smsTpmAtt: 10 })
  assert.deepEqual(await limitsOf(service, low.id), LOW)
  assert.equal((await limitsOf(service, pending.id)).smsTpmAtt, null)

  const again = await service.operate('POST', `/brand/${brandId}/vet`, { trustScore: 80 })
  assert.deepEqual([again.status, again.body.brand.trustScore], [200, 80])
  assert.deepEqual(await limitsOf(service, first.id), OF_80)
  const told = await service.world.db.query<{ id: string; changed: string[] }>(sql`
    select campaign_id as id, data -> 'changed' as changed from events
    where data ->> 'change' = 'limits' order by events.id`)
  assert.deepEqual(told, [
    { id: second.id, changed: ['limits', 'limitsSetByOperator'] },
    { id: first.id, changed: ['limits'] },
    { id: first.id, changed: ['limits'] },
  ])
})

test('messages that waited for the old limit leave immediately', async (t) => {
  const { service, campaignId, send, until } = await sendingService(t, { roles: ['dispatch'] })
  const { body } = await service.get(`/v1/campaign/${campaignId}`)
  await changeCampaign(service, campaignId, { dailyTmoCap: 1, holdAtDailyCap: true })
  await until(await send({ to: TMO }), 'DELIVERED')
  const held = await send({ to: TMO })
  const waiting = () =>
    service.world.db.query(sql`
      select 1 from lanes where held_from is not null and next_due_at > ${service.world.clock.now()}`)
  await eventually(async () => (await waiting()).length > 0, 'a lane that waits for its limit')
  await decideOnBrand(service, body.campaign.brandId, { kind: 'vet', trustScore: 80 })
  assert.deepEqual(await waiting(), [], 'the lane is due')
  await until(held, 'DELIVERED')
})

test('a simultaneous approval and vetting leave the limits of the score', async (t) => {
  const service = await testService(t, { balance: '400' })
  for (let round = 0; round < 8; round += 1) {
    const campaign = await newCampaign(service)
    const brandId = campaign.brandId as string
    await decideOnBrand(service, brandId, { kind: 'verify' })
    await Promise.all([
      decideOnCampaign(service, campaign.id as string, { kind: 'approve' }),
      decideOnBrand(service, brandId, { kind: 'vet', trustScore: 80 }),
    ])
    assert.deepEqual(await limitsOf(service, campaign.id), OF_80, `round ${round}`)
  }
})
