// DELETE /v1/campaign/{id}/optouts/{number}: opting a recipient in again manually, with a reason.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign } from '../fixtures.js'
import { testService } from '../harness.js'
import { sendingService, told, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

test('a recipient who is opted in again can receive messages', async (t) => {
  const { service, campaignId, inbound, trySend } = await sendingService(t)
  await inbound(VZW, 'STOP')
  assert.equal((await trySend()).status, 422)
  const url = `/v1/campaign/${campaignId}/optouts/14155550107?reason=Signed+up+again`
  const { status, body } = await service.call('DELETE', url)
  assert.equal(status, 200)
  assert.deepEqual(body, { success: true, recipient: VZW })
  assert.equal((await trySend()).status, 200)
  const again = await service.call('DELETE', url)
  assert.equal(again.status, 404)
  assert.deepEqual(again.body, {
    success: false,
    error: 'Opt-out not found',
    code: 'optout_missing',
  })
})

test('a reason is required', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const url = `/v1/campaign/${campaignId}/optouts/14155550107`
  for (const query of ['', '?reason=', '?reason=%20']) {
    assert.deepEqual(told(await service.call('DELETE', `${url}${query}`)), [
      400,
      'reason is required',
    ])
  }
})

test('an unknown campaign or number returns not found', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const other = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: other.accountId })
  for (const [path, error] of [
    ['cmp_01km3v9w8m0000pqv3t5x7z9bd/optouts/14155550107', 'Campaign not found'],
    [`${foreign.campaignId}/optouts/14155550107`, 'Campaign not found'],
    [`${campaignId}/optouts/14155550107`, 'Opt-out not found'],
    [`${campaignId}/optouts/415`, 'Opt-out not found'],
    [`${campaignId}/optouts/%00`, 'Opt-out not found'],
  ]) {
    const reply = await service.call('DELETE', `/v1/campaign/${path}?reason=Asked`)
    assert.deepEqual(told(reply), [404, error], path)
  }
})

test('opting in manually requires the manage scope', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'DELETE',
    url: '/v1/campaign/cmp_01km3v9w8m0000pqv3t5x7z9bd/optouts/14155550107?reason=Asked',
    failure: { success: false },
    scope: 'manage',
  })
})
