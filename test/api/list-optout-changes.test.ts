// GET /v1/campaign/{id}/optouts/{number}: the opt-out history of one recipient.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign } from '../fixtures.js'
import { testService } from '../harness.js'
import { sendingService, told, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

test('every change is recorded with its source and reason, newest first', async (t) => {
  const { service, campaignId, inbound } = await sendingService(t)
  const url = `/v1/campaign/${campaignId}/optouts/14155550107`
  assert.deepEqual((await service.get(url)).body, { changes: [] })
  await inbound(VZW, 'STOP')
  await inbound(VZW, 'STOP')
  await inbound(VZW, 'START')
  await service.call('PUT', url, { reason: 'Requested by phone' })
  await service.call('DELETE', `${url}?reason=Signed%20up%20again`)
  const { status, body } = await service.get(url)
  assert.equal(status, 200)
  const changes = body.changes.map(({ createdAt, ...rest }: { createdAt: string }) => rest)
  assert.deepEqual(changes, [
    { change: 'opted_in', source: 'api', reason: 'Signed up again' },
    { change: 'opted_out', source: 'api', reason: 'Requested by phone' },
    { change: 'opted_in', source: 'keyword', reason: null },
    { change: 'opted_out', source: 'keyword', reason: null },
  ])
  const other = await service.get(`/v1/campaign/${campaignId}/optouts/14155550108`)
  assert.deepEqual(other.body, { changes: [] })
})

test('an unknown campaign or malformed number returns not found', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const other = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: other.accountId })
  for (const [path, error] of [
    ['cmp_01km3v9w8m0000pqv3t5x7z9bd/optouts/14155550107', 'Campaign not found'],
    [`${foreign.campaignId}/optouts/14155550107`, 'Campaign not found'],
    [`${campaignId}/optouts/415`, 'Number not found'],
  ]) {
    const reply = await service.get(`/v1/campaign/${path}`)
    assert.deepEqual(told(reply), [404, error], path)
    assert.deepEqual(reply.body.changes, [])
  }
})

test('the history requires the read scope', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'GET',
    url: '/v1/campaign/cmp_01km3v9w8m0000pqv3t5x7z9bd/optouts/14155550107',
    failure: { changes: [] },
    scope: 'read',
  })
})
