// GET /operator/v1/review/queue, /brand/{id}, and /campaign/{id}: what reviewers see before they decide.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { newBrand, newCampaign } from './campaign-bodies.js'
import { operatedService } from './operator-service.js'

test('both review queues show what waits, since when, the number of tries, and recent review times', async (t) => {
  const service = await operatedService(t)
  const empty = await service.operate('GET', '/review/queue')
  assert.deepEqual(empty.body, {
    brands: { waiting: 0, oldestAt: null, items: [] },
    campaigns: { waiting: 0, oldestAt: null, items: [] },
    lastDay: { decided: 0, medianSeconds: null },
  })
  const campaign = await newCampaign(service)
  const second = await newBrand(service)
  const { body } = await service.operate('GET', '/review/queue?limit=1')
  assert.equal(body.brands.waiting, 2)
  assert.equal(body.brands.items.length, 1)
  const [brand] = body.brands.items
  assert.deepEqual([brand.id, brand.accountName, brand.tries], [campaign.brandId, 'Test', 1])
  assert.equal(brand.submittedAt, body.brands.oldestAt)
  const [waiting] = body.campaigns.items
  assert.deepEqual(
    [waiting.id, waiting.brandId, waiting.brandName, waiting.brandStatus, waiting.tries],
    [campaign.id, campaign.brandId, brand.name, 'PENDING', 1],
  )

  await service.operate('POST', `/brand/${second}/refuse`, {
    notes: [{ field: 'ein', note: 'The tax records show another name.' }],
  })
  await service.post(`/v1/brand/${second}/submit`)
  await service.operate('POST', `/brand/${campaign.brandId}/verify`)
  const later = (await service.operate('GET', '/review/queue')).body
  assert.deepEqual(
    later.brands.items.map(({ id, tries }: { id: string; tries: number }) => [id, tries]),
    [[second, 2]],
  )
  assert.equal(later.campaigns.items[0].brandStatus, 'VERIFIED')
  assert.equal(later.lastDay.decided, 2)
  assert.ok(later.lastDay.medianSeconds >= 0)
  service.world.clock.moveTo(2 * 86_400_000)
  assert.deepEqual((await service.operate('GET', '/review/queue')).body.lastDay, {
    decided: 0,
    medianSeconds: null,
  })
  assert.equal((await service.operate('GET', '/review/queue?limit=0')).status, 400)
})

test('a campaign review shows the brand, warnings, limits, and changes since its return', async (t) => {
  const service = await operatedService(t)
  const campaign = await newCampaign(service, {
    sample2: 'The new roast is here, 10% off this week.',
  })
  await service.operate('POST', `/brand/${campaign.brandId}/verify`)
  const path = `/campaign/${campaign.id}`
  const first = (await service.operate('GET', path)).body
  assert.equal(first.campaign.accountId, service.accountId)
  assert.equal(first.brand.id, campaign.brandId)
  assert.equal(first.review.lastReturn, null)
  assert.deepEqual(first.review.warnings, [
    {
      field: 'sample2',
      problem: 'does not name the brand',
      remedy: 'Begin the message with the brand’s name.',
    },
  ])
  assert.deepEqual(first.review.limitsOnApproval, {
    smsTpmAtt: 240,
    mmsTpmAtt: 150,
    dailyTmoCap: 2000,
  })
  assert.equal(first.review.monthlyFeeOnApproval, 1000)

  const notes = [{ field: 'consentFlow', note: 'Say where people agree.' }]
  await service.operate('POST', `${path}/return`, { notes })
  const consentFlow =
    'Customers tick an unticked box at https://acme.example/texts before they order.'
  await service.call('PATCH', `/v1/campaign/${campaign.id}`, {
    consentFlow,
    optinKeywords: ['START', 'JOIN'],
  })
  await service.post(`/v1/campaign/${campaign.id}/submit`)
  const { review } = (await service.operate('GET', path)).body
  assert.equal(review.tries, 2)
  assert.deepEqual(
    [review.lastReturn.by, review.lastReturn.notes],
    ['LONGCODE_OPERATOR_TOKEN', notes],
  )
  assert.deepEqual(review.lastReturn.changes, [
    {
      field: 'consentFlow',
      before: first.campaign.details.consentFlow,
      after: consentFlow,
    },
    {
      field: 'optinKeywords',
      before: first.campaign.details.optinKeywords.join(', '),
      after: 'START, JOIN',
    },
  ])
  await service.world.db.query(sql`delete from events`)
  const old = (await service.operate('GET', path)).body.review.lastReturn
  assert.deepEqual(
    [old.changes, old.notes],
    [null, notes],
    'changes are null if the old version is unknown',
  )
})

test('a brand review shows the changes since the brand was refused', async (t) => {
  const service = await operatedService(t)
  const id = await newBrand(service)
  const first = (await service.operate('GET', `/brand/${id}`)).body
  assert.equal(first.review.accountName, 'Test')
  const notes = [{ field: 'city', note: 'The tax records know another city.' }]
  await service.operate('POST', `/brand/${id}/refuse`, { notes })
  await service.call('PATCH', `/v1/brand/${id}`, { city: 'Oakland' })
  await service.post(`/v1/brand/${id}/submit`)
  const { lastReturn } = (await service.operate('GET', `/brand/${id}`)).body.review
  assert.deepEqual(lastReturn.changes, [
    { field: 'city', before: first.brand.address.city, after: 'Oakland' },
  ])
  for (const [path, code] of [
    [`/brand/${newId('brd', new Date())}`, 'brand_missing'],
    ['/campaign/cmp_1', 'campaign_missing'],
  ] as const) {
    const reply = await service.operate('GET', path)
    assert.deepEqual([reply.status, reply.body.code], [404, code])
  }
})
