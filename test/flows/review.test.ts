// From submission to decision: the simulated registry, alone and with other nodes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CampaignDecision } from '../../src/campaigns/review/decide-campaign.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { reviewLoop } from '../../src/sandbox/registry.js'
import { startService } from '../../src/serve.js'
import {
  CAMPAIGN_BODY,
  decideOnBrand,
  decideOnCampaign,
  newActiveCampaign,
  newBrand,
  newCampaign,
} from '../api/campaign-bodies.js'
import { type TestService, testConfig, testService } from '../harness.js'
import { untilStatus } from '../until-status.js'

const SCHEDULE = { roles: ['schedule'] } as const

/** One check of the registry, in a service whose loops do not run. */
const look = (service: TestService): Promise<number> =>
  reviewLoop(service.world).step(new AbortController().signal)

async function statusOf(service: TestService, id: string): Promise<string> {
  const kind = id.startsWith('brd') ? 'brand' : 'campaign'
  return (await service.get(`/v1/${kind}/${id}`)).body[kind].status
}

test('a brand and its campaign are verified and approved automatically', async (t) => {
  const service = await testService(t, SCHEDULE)
  const campaign = await newCampaign(service)
  const approved = await untilStatus(service, 'campaign', campaign.id as string, 'ACTIVE')
  assert.equal(approved.monthlyFee, 1000)
  assert.deepEqual(approved.limits, { smsTpmAtt: 240, mmsTpmAtt: 150, dailyTmoCap: 2000 })
  assert.notEqual(approved.renewsAt, null)
  assert.equal(await statusOf(service, campaign.brandId as string), 'VERIFIED')
  assert.equal(await service.balance(), 80)
})

test('a brand that requests it is refused with a note, corrected, and verified', async (t) => {
  const service = await testService(t, SCHEDULE)
  const id = await newBrand(service, { entityName: 'Refuse Me LLC' })
  const refused = await untilStatus(service, 'brand', id, 'UNVERIFIED')
  assert.deepEqual(
    refused.reviewNotes.map(({ field }: { field: string }) => field),
    ['ein'],
  )
  await service.call('PATCH', `/v1/brand/${id}`, { entityName: 'Acme LLC' })
  await service.post(`/v1/brand/${id}/submit`)
  await untilStatus(service, 'brand', id, 'VERIFIED')
})

test('a brand that requests it is vetted, and its campaigns get higher limits', async (t) => {
  const service = await testService(t, SCHEDULE)
  const brandId = await newBrand(service, { entityName: 'Vet Me Inc.' })
  const campaign = await newCampaign(service, { brandId })
  const { limits } = await untilStatus(service, 'campaign', campaign.id as string, 'ACTIVE')
  const { brand } = (await service.get(`/v1/brand/${brandId}`)).body
  assert.equal(brand.status, 'VETTED')
  assert.equal(brand.vetted, true)
  assert.equal(brand.trustScore, 80)
  assert.deepEqual(limits, { smsTpmAtt: 4500, mmsTpmAtt: 2400, dailyTmoCap: 200_000 })
})

test('a campaign that requests it is returned with notes, corrected, and approved, paid once', async (t) => {
  const service = await testService(t, SCHEDULE)
  const { id } = await newCampaign(service, { description: 'Please return this campaign to me.' })
  const returned = await untilStatus(service, 'campaign', id as string, 'DRAFT')
  assert.ok(returned.reviewNotes.length > 0)
  assert.equal(returned.monthlyFee, null)
  const { description } = CAMPAIGN_BODY
  await service.call('PATCH', `/v1/campaign/${id}`, { description })
  await service.post(`/v1/campaign/${id}/submit`)
  await untilStatus(service, 'campaign', id as string, 'ACTIVE')
  assert.equal(await service.balance(), 80)
})

test('the registry takes its time, by the service’s clock', async (t) => {
  const service = await testService(t, { env: { LONGCODE_REVIEW_SECONDS: '3600' } })
  const { id, brandId } = await newCampaign(service)
  assert.equal(await look(service), 0)
  assert.equal(await statusOf(service, brandId as string), 'PENDING')
  service.world.clock.moveTo(3_601_000)
  assert.equal(await look(service), 2)
  assert.equal(await statusOf(service, brandId as string), 'VERIFIED')
  assert.equal(await statusOf(service, id as string), 'ACTIVE')
  assert.equal(await look(service), 0)
})

test('the review of a campaign waits until its brand is verified', async (t) => {
  const service = await testService(t)
  const brandId = await newBrand(service, { entityName: 'Refuse Me LLC' })
  const id = (await newCampaign(service, { brandId })).id as string
  assert.equal(await look(service), 1)
  assert.equal(await look(service), 0)
  assert.equal(await statusOf(service, brandId), 'UNVERIFIED')
  assert.equal(await statusOf(service, id), 'PENDING')
  const decisions: CampaignDecision[] = [{ kind: 'approve' }, { kind: 'return', notes: [] }]
  for (const decision of decisions) {
    await assert.rejects(decideOnCampaign(service, id, decision), {
      code: 'brand_state',
      message: 'The brand is UNVERIFIED. Its campaigns wait until it is verified',
    })
  }
  await service.call('PATCH', `/v1/brand/${brandId}`, { entityName: 'Acme LLC' })
  await service.post(`/v1/brand/${brandId}/submit`)
  assert.equal(await look(service), 2)
  assert.equal(await statusOf(service, id), 'ACTIVE')
})

test('several nodes decide each record once', async (t) => {
  const service = await testService(t, { balance: '1000' })
  const brandId = await newBrand(service)
  for (let i = 0; i < 20; i += 1) await newBrand(service)
  for (let i = 0; i < 20; i += 1) await newCampaign(service, { brandId })
  await decideOnBrand(service, brandId, { kind: 'verify' })
  const nodes = await Promise.all(
    [1, 2, 3].map(() => startService(testConfig({}), service.databaseUrl, service.world.log)),
  )
  try {
    const loops = nodes.map(({ world }) => reviewLoop(world))
    const decided = await Promise.all(loops.map((loop) => loop.step(new AbortController().signal)))
    assert.equal(
      decided.reduce((sum, count) => sum + count, 0),
      40,
    )
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  const waiting = await service.world.db.query(sql`
    select id from campaigns where status = 'PENDING'
    union all select id from brands where status = 'PENDING'`)
  assert.deepEqual(waiting, [])
})

test('a campaign is approved, suspended, and resumed from one state each', async (t) => {
  const service = await testService(t, { balance: '1000' })
  const decisions: CampaignDecision[] = [
    { kind: 'approve' },
    { kind: 'return', notes: [] },
    { kind: 'suspend', reason: 'operator' },
    { kind: 'resume' },
  ]
  const draft = async () => {
    const brandId = await newBrand(service)
    return (await service.post('/v1/campaign/draft', { brandId })).body.campaign.id
  }
  const pending = async () => {
    const campaign = await newCampaign(service)
    await decideOnBrand(service, campaign.brandId as string, { kind: 'verify' })
    return campaign.id as string
  }
  const suspended = async () => {
    const id = await newActiveCampaign(service)
    await decideOnCampaign(service, id, { kind: 'suspend', reason: 'renewal' })
    return id
  }
  const makers = {
    DRAFT: draft,
    PENDING: pending,
    ACTIVE: () => newActiveCampaign(service),
    SUSPENDED: suspended,
  }
  const results: string[] = []
  for (const [status, make] of Object.entries(makers)) {
    for (const decision of decisions) {
      const id = await make()
      const before = (await service.get(`/v1/campaign/${id}`)).body
      try {
        await decideOnCampaign(service, id, decision)
        results.push(`${decision.kind} ${status} ${await statusOf(service, id)}`)
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'campaign_state')
        assert.deepEqual((await service.get(`/v1/campaign/${id}`)).body, before)
      }
    }
  }
  assert.deepEqual(results, [
    'approve PENDING ACTIVE',
    'return PENDING DRAFT',
    'suspend ACTIVE SUSPENDED',
    'resume SUSPENDED ACTIVE',
  ])
})

test('a resumed campaign keeps the renewal date of its approval', async (t) => {
  const service = await testService(t)
  const id = await newActiveCampaign(service)
  const before = (await service.get(`/v1/campaign/${id}`)).body.campaign
  await decideOnCampaign(service, id, { kind: 'suspend', reason: 'operator' })
  await decideOnCampaign(service, id, { kind: 'resume' })
  const after = (await service.get(`/v1/campaign/${id}`)).body.campaign
  assert.deepEqual(after, { ...before, updatedAt: after.updatedAt })
})

test('a brand is vetted only when verified, with a score from 0 to 100', async (t) => {
  const service = await testService(t)
  const id = await newBrand(service)
  await assert.rejects(decideOnBrand(service, id, { kind: 'vet', trustScore: 50 }), {
    code: 'brand_state',
    message: 'The brand is PENDING and cannot become VETTED',
  })
  await decideOnBrand(service, id, { kind: 'verify' })
  await assert.rejects(decideOnBrand(service, id, { kind: 'verify' }), { code: 'brand_state' })
  for (const trustScore of [-1, 101, 50.5, Number.NaN]) {
    await assert.rejects(decideOnBrand(service, id, { kind: 'vet', trustScore }), {
      message: 'trustScore must be a whole number from 0 to 100',
    })
  }
  assert.equal(await statusOf(service, id), 'VERIFIED')
})
