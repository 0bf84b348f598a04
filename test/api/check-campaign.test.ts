// POST /v1/campaign/check: shows what a reviewer would refuse before the fee is charged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { testService } from '../harness.js'
import { CAMPAIGN_BODY, newBrand } from './campaign-bodies.js'
import { assertFailureShapes } from './failure-shapes.js'

test('a check returns the same warnings as create, creates nothing, and charges nothing', async (t) => {
  const service = await testService(t)
  const brandId = await newBrand(service)
  const given = {
    ...CAMPAIGN_BODY,
    brandId,
    consentFlow: 'opt in',
    sample2: 'Look here: https://bit.ly/abc today',
  }
  const { status, body } = await service.post('/v1/campaign/check', given)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    success: true,
    warnings: [
      {
        field: 'consentFlow',
        problem: 'is shorter than 40 characters, which reviewers consider too short',
        remedy:
          'Describe where people agree (web form, checkout, keyword, paper) and what they read there.',
      },
      {
        field: 'sample2',
        problem: 'does not name the brand',
        remedy: 'Begin the message with the brand’s name.',
      },
      {
        field: 'sample2',
        problem: 'has a link shortened by bit.ly, which carriers block',
        remedy: 'Use the full address, or your own short domain.',
      },
    ],
  })
  assert.equal(await service.balance(), 100)
  assert.deepEqual((await service.get('/v1/campaign/list')).body.campaigns, [])
  const created = await service.post('/v1/campaign/create', given)
  assert.deepEqual(created.body.warnings, body.warnings)
})

test('a campaign without problems gets no warnings, even with an empty balance', async (t) => {
  const service = await testService(t, { balance: '0' })
  const body = { ...CAMPAIGN_BODY, brandId: await newBrand(service) }
  const reply = await service.post('/v1/campaign/check', body)
  assert.deepEqual(reply.body, { success: true, warnings: [] })
})

test('a check refuses the same fields as create', async (t) => {
  const service = await testService(t)
  const brandId = await newBrand(service)
  const cases: [Record<string, unknown>, number, string][] = [
    [{}, 400, 'brandId is required'],
    [{ ...CAMPAIGN_BODY, brandId, description: '' }, 400, 'description is required'],
    [{ ...CAMPAIGN_BODY, brandId, usecase: [] }, 400, 'usecase is required'],
    [{ ...CAMPAIGN_BODY, brandId: newId('brd', new Date()) }, 404, 'Brand not found'],
  ]
  for (const [given, status, error] of cases) {
    const reply = await service.post('/v1/campaign/check', given)
    assert.equal(reply.status, status)
    assert.equal(reply.body.error, error)
    assert.equal(reply.body.success, false)
  }
})

test('errors include success: false', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'POST',
    url: '/v1/campaign/check',
    failure: { success: false },
    scope: 'read',
    takesBody: true,
  })
})
