// PUT /v1/campaign/{id}/optouts/{number}: opting a recipient out manually, with a reason.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign } from '../fixtures.js'
import { testService } from '../harness.js'
import { sendingService, told, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

test('opting a recipient out manually is recorded and sends an event', async (t) => {
  const { service, campaignId, trySend } = await sendingService(t)
  const url = `/v1/campaign/${campaignId}/optouts/14155550107`
  const { status, body } = await service.call('PUT', url, { reason: 'Requested by phone' })
  assert.equal(status, 200)
  const { optedOutAt } = body.optout
  assert.deepEqual(body, {
    success: true,
    optout: {
      recipient: VZW,
      campaignId,
      number: null,
      keyword: null,
      messageId: null,
      reason: 'Requested by phone',
      optedOutAt,
    },
  })
  assert.equal((await trySend()).status, 422)
  const events = await service.world.db.query(sql`
    select event_type as "eventType", campaign_id as "campaignId", number, data from events
    where event_type = 'recipient.optout'`)
  const data = {
    recipient: VZW,
    number: null,
    campaignId,
    keyword: null,
    match: null,
    messageId: null,
    optedOutAt,
  }
  assert.deepEqual(events, [{ eventType: 'recipient.optout', campaignId, number: null, data }])
})

test('opting out a recipient again changes nothing', async (t) => {
  const { service, campaignId, inbound, number } = await sendingService(t)
  const url = `/v1/campaign/${campaignId}/optouts/%2B14155550107`
  await inbound(VZW, 'STOP')
  const { status, body } = await service.call('PUT', url, { reason: 'Again' })
  assert.equal(status, 200)
  assert.deepEqual(
    [body.optout.keyword, body.optout.number, body.optout.reason],
    ['STOP', number, null],
  )
  const rows = await service.world.db.query(sql`
    select 1 from events where event_type = 'recipient.optout'`)
  assert.equal(rows.length, 1)
})

test('a reason and a valid number are required', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const url = `/v1/campaign/${campaignId}/optouts`
  for (const [body, error] of [
    [{}, 'reason is required'],
    [undefined, 'reason is required'],
    [{ reason: ' ' }, 'reason is required'],
    [{ reason: null }, 'reason is required'],
    [{ reason: 5 }, 'reason must be a string'],
    [{ reason: 'x'.repeat(501) }, 'reason must be at most 500 characters'],
  ] as const) {
    assert.deepEqual(told(await service.call('PUT', `${url}/14155550107`, body)), [400, error])
  }
  for (const number of ['4155550107', '1415555010', 'x', '%00']) {
    assert.deepEqual(told(await service.call('PUT', `${url}/${number}`, { reason: 'Asked' })), [
      400,
      'The number in the path must be a phone number in E.164 format, for example +14155550123',
    ])
  }
})

test('an unknown campaign or another account’s campaign returns not found', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: other.accountId })
  for (const id of ['cmp_01km3v9w8m0000pqv3t5x7z9bd', foreign.campaignId, 'x']) {
    const url = `/v1/campaign/${id}/optouts/14155550107`
    const { status, body } = await service.call('PUT', url, { reason: 'Asked' })
    assert.equal(status, 404)
    assert.deepEqual(body, {
      success: false,
      error: 'Campaign not found',
      code: 'campaign_missing',
    })
  }
})

test('opting out manually requires the manage scope', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'PUT',
    url: '/v1/campaign/cmp_01km3v9w8m0000pqv3t5x7z9bd/optouts/14155550107',
    failure: { success: false },
    scope: 'manage',
    takesBody: true,
  })
})
