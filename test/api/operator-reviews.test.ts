// /operator/v1/brand/… and /operator/v1/campaign/…: the review queues, and the decisions customers see.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { newBrand, newCampaign } from './campaign-bodies.js'
import { operatedService } from './operator-service.js'

const NOTES = [{ field: 'ein', note: 'The tax records show another name.' }]
const CAMPAIGN_NOTES = [{ field: 'sample1', note: 'Name the brand.' }]

test('brands are queued oldest first and can be verified once', async (t) => {
  const service = await operatedService(t)
  const first = await newBrand(service)
  const second = await newBrand(service)
  const { body: queue } = await service.operate('GET', '/brand/list?limit=1')
  assert.equal(queue.hasMore, true)
  assert.equal(queue.brands[0].id, first)
  assert.equal(queue.brands[0].accountId, service.accountId)
  const { body: rest } = await service.operate('GET', `/brand/list?after=${first}`)
  assert.deepEqual(
    rest.brands.map(({ id }: { id: string }) => id),
    [second],
  )
  const other = await service.operate('GET', `/brand/list?account=${newId('acc', new Date())}`)
  assert.deepEqual(other.body, { brands: [], hasMore: false })

  const { body } = await service.operate('POST', `/brand/${first}/verify`)
  assert.equal(body.brand.status, 'VERIFIED')
  const every = await service.operate('GET', `/brand/list?status=ALL&account=${service.accountId}`)
  assert.deepEqual(
    every.body.brands.map(({ status }: { status: string }) => status),
    ['VERIFIED', 'PENDING'],
  )
  assert.equal((await service.get(`/v1/brand/${first}`)).body.brand.status, 'VERIFIED')
  const twice = await service.operate('POST', `/brand/${first}/verify`)
  assert.equal(twice.status, 409)
  assert.equal(twice.body.code, 'brand_state')
  assert.deepEqual(await service.audit(), [
    {
      act: 'brand.verify',
      accountId: service.accountId,
      subject: first,
      before: { status: 'PENDING', submittedAt: queue.brands[0].createdAt },
      after: { status: 'VERIFIED', trustScore: null },
    },
  ])
})

test('a refused brand shows the reasons by field and cannot be vetted', async (t) => {
  const service = await operatedService(t)
  const id = await newBrand(service)
  const { body } = await service.operate('POST', `/brand/${id}/refuse`, { notes: NOTES })
  assert.equal(body.brand.status, 'UNVERIFIED')
  assert.deepEqual((await service.get(`/v1/brand/${id}`)).body.brand.reviewNotes, NOTES)
  const vetted = await service.operate('POST', `/brand/${id}/vet`, { trustScore: 80 })
  assert.equal(vetted.status, 409)
  assert.equal(vetted.body.error, 'The brand is UNVERIFIED and cannot become VETTED')
})

test('vetting sets a trust score, and campaigns approved later get its limits', async (t) => {
  const service = await operatedService(t)
  const campaign = await newCampaign(service)
  await service.operate('POST', `/brand/${campaign.brandId}/verify`)
  const { body } = await service.operate('POST', `/brand/${campaign.brandId}/vet`, {
    trustScore: 60,
  })
  assert.deepEqual(
    [body.brand.status, body.brand.vetted, body.brand.trustScore],
    ['VETTED', true, 60],
  )
  const approved = await service.operate('POST', `/campaign/${campaign.id}/approve`)
  assert.deepEqual(approved.body.campaign.limits, {
    smsTpmAtt: 2400,
    mmsTpmAtt: 1200,
    dailyTmoCap: 40_000,
  })
})

test('a decision with missing fields is refused by name', async (t) => {
  const service = await operatedService(t)
  const brand = await newBrand(service)
  const campaign = await newCampaign(service)
  const list = 'must be a list of notes, each {field, note}'
  const cases: [string, unknown, string | RegExp][] = [
    [`/brand/${brand}/vet`, {}, 'trustScore is required'],
    [`/brand/${brand}/vet`, { trustScore: 101 }, 'trustScore must be a whole number from 0 to 100'],
    [`/brand/${brand}/vet`, { trustScore: 7.5 }, 'trustScore must be a whole number from 0 to 100'],
    [`/brand/${brand}/refuse`, {}, 'notes is required'],
    [`/brand/${brand}/refuse`, { notes: [] }, `notes ${list}`],
    [
      `/brand/${brand}/refuse`,
      { notes: [{ field: 'hat', note: 'x' }] },
      /^notes\[0\]\.field must be one of/,
    ],
    [`/campaign/${campaign.id}/return`, { notes: [{ field: 'sample1' }] }, /^notes\[0\]\.note/],
    [`/campaign/${campaign.id}/suspend`, {}, 'reason is required'],
  ]
  for (const [path, input, error] of cases) {
    const reply = await service.operate('POST', path, input)
    assert.equal(reply.status, 400)
    if (typeof error === 'string') assert.equal(reply.body.error, error)
    else assert.match(reply.body.error, error)
  }
  assert.deepEqual(await service.audit(), [])
})

test('a campaign can be approved once, after its brand is verified', async (t) => {
  const service = await operatedService(t)
  const campaign = await newCampaign(service)
  const path = `/campaign/${campaign.id}`
  const early = await service.operate('POST', `${path}/approve`)
  assert.equal(early.status, 409)
  assert.equal(early.body.error, 'The brand is PENDING. Its campaigns wait until it is verified')
  await service.operate('POST', `/brand/${campaign.brandId}/verify`)
  const queueOf = async (query: string) => {
    const { campaigns } = (await service.operate('GET', `/campaign/list${query}`)).body
    return campaigns.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual(await queueOf(''), [campaign.id])
  assert.deepEqual(await queueOf(`?account=${service.accountId}`), [campaign.id])
  assert.deepEqual(await queueOf(`?account=${newId('acc', new Date())}`), [])
  const { body } = await service.operate('POST', `${path}/approve`)
  assert.equal(body.campaign.status, 'ACTIVE')
  const twice = await service.operate('POST', `${path}/approve`)
  assert.equal(twice.status, 409)
  assert.equal(
    twice.body.error,
    'The campaign is ACTIVE. Only a campaign that is PENDING can be approved',
  )
})

test('a returned campaign becomes a draft with notes and is resubmitted without a second fee', async (t) => {
  const service = await operatedService(t)
  const campaign = await newCampaign(service)
  await service.operate('POST', `/brand/${campaign.brandId}/verify`)
  const path = `/campaign/${campaign.id}`
  const { body } = await service.operate('POST', `${path}/return`, { notes: CAMPAIGN_NOTES })
  assert.equal(body.campaign.status, 'DRAFT')
  const seen = await service.get(`/v1/campaign/${campaign.id}`)
  assert.deepEqual(seen.body.campaign.reviewNotes, CAMPAIGN_NOTES)
  await service.post(`/v1/campaign/${campaign.id}/submit`)
  assert.equal(await service.balance(), 80)
  const approved = await service.operate('POST', `${path}/approve`)
  assert.equal(approved.body.campaign.status, 'ACTIVE')
  assert.deepEqual(
    (await service.audit(`&subject=${campaign.id}`)).map(({ act, after }) => [act, after]),
    [
      ['campaign.approve', { status: 'ACTIVE' }],
      ['campaign.return', { status: 'DRAFT', reviewNotes: CAMPAIGN_NOTES }],
    ],
  )
})

test('an operator suspends and resumes a campaign, and the audit log records the reason', async (t) => {
  const service = await operatedService(t)
  const campaign = await newCampaign(service)
  await service.operate('POST', `/brand/${campaign.brandId}/verify`)
  const path = `/campaign/${campaign.id}`
  const early = await service.operate('POST', `${path}/suspend`, { reason: 'x' })
  assert.equal(early.status, 409)
  await service.operate('POST', `${path}/approve`)
  const stopped = await service.operate('POST', `${path}/suspend`, { reason: 'Complaints' })
  assert.equal(stopped.body.campaign.status, 'SUSPENDED')
  const resumed = await service.operate('POST', `${path}/resume`, { reason: 'Cleared' })
  assert.equal(resumed.body.campaign.status, 'ACTIVE')
  const [last, before] = await service.audit()
  assert.deepEqual(
    [last!.act, last!.after],
    ['campaign.resume', { status: 'ACTIVE', reason: 'Cleared' }],
  )
  assert.deepEqual(
    [before!.act, before!.after],
    ['campaign.suspend', { status: 'SUSPENDED', reason: 'Complaints' }],
  )
})

test('limits can be set one by one, null for unlimited, and only after approval', async (t) => {
  const service = await operatedService(t)
  const campaign = await newCampaign(service)
  const path = `/campaign/${campaign.id}/limits`
  const early = await service.operate('PUT', path, { smsTpmAtt: 10 })
  assert.equal(early.status, 409)
  await service.operate('POST', `/brand/${campaign.brandId}/verify`)
  await service.operate('POST', `/campaign/${campaign.id}/approve`)
  const { body } = await service.operate('PUT', path, {
    smsTpmAtt: 10,
    dailyTmoCap: null,
    status: 'DRAFT',
  })
  assert.equal(body.campaign.status, 'ACTIVE')
  assert.deepEqual(body.campaign.limits, { smsTpmAtt: 10, mmsTpmAtt: 150, dailyTmoCap: null })
  const [act] = await service.audit()
  assert.deepEqual(act!.before, {
    smsTpmAtt: 240,
    mmsTpmAtt: 150,
    dailyTmoCap: 2000,
    byOperator: false,
  })
  const zero = await service.operate('PUT', path, { mmsTpmAtt: 0 })
  assert.equal(zero.body.error, 'mmsTpmAtt must be a whole number, 1 or more, or null for no limit')
})

test('limits set by an operator can be reset, and then follow the trust score again', async (t) => {
  const service = await operatedService(t)
  const campaign = await newCampaign(service)
  const path = `/campaign/${campaign.id}/limits`
  assert.equal((await service.operate('DELETE', path)).status, 409)
  await service.operate('POST', `/brand/${campaign.brandId}/verify`)
  await service.operate('POST', `/campaign/${campaign.id}/approve`)
  const set = await service.operate('PUT', path, { smsTpmAtt: 10 })
  assert.equal(set.body.campaign.limitsSetByOperator, true)
  await service.operate('POST', `/brand/${campaign.brandId}/vet`, { trustScore: 80 })
  const { body: kept } = await service.get(`/v1/campaign/${campaign.id}`)
  assert.equal(kept.campaign.limits.smsTpmAtt, 10)
  const { body } = await service.operate('DELETE', path)
  assert.equal(body.campaign.limitsSetByOperator, false)
  assert.deepEqual(body.campaign.limits, {
    smsTpmAtt: 4500,
    mmsTpmAtt: 2400,
    dailyTmoCap: 200_000,
  })
  const [act] = await service.audit()
  assert.equal(act!.act, 'campaign.limits')
})

test('unknown records return not found', async (t) => {
  const service = await operatedService(t)
  for (const id of [newId('brd', new Date()), 'brd_1']) {
    const reply = await service.operate('POST', `/brand/${id}/verify`)
    assert.deepEqual([reply.status, reply.body.code], [404, 'brand_missing'])
  }
  for (const id of [newId('cmp', new Date()), 'cmp_1']) {
    const reply = await service.operate('POST', `/campaign/${id}/approve`)
    assert.deepEqual([reply.status, reply.body.code], [404, 'campaign_missing'])
  }
})
