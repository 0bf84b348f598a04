// GET /v1/campaign/{id}/optouts: the recipients who opted out of a campaign.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign } from '../fixtures.js'
import { testService } from '../harness.js'
import { idOf, sendingService, told, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

test('the list has recipients who texted STOP and those added manually, sorted by number', async (t) => {
  const { service, campaignId, number, inbound, message } = await sendingService(t)
  const url = `/v1/campaign/${campaignId}/optouts`
  assert.deepEqual((await service.get(url)).body, { optouts: [], hasMore: false })

  const messageId = idOf(await inbound(VZW, ' Stop! '))
  const byHand = await service.call('PUT', `${url}/14155550103`, { reason: 'Requested by phone' })
  const { status, body } = await service.get(url)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    hasMore: false,
    optouts: [
      byHand.body.optout,
      {
        recipient: VZW,
        campaignId,
        number,
        keyword: 'Stop!',
        messageId,
        reason: null,
        optedOutAt: (await message(messageId)).createdAt,
      },
    ],
  })
})

test('the list is paged', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const url = `/v1/campaign/${campaignId}/optouts`
  const recipients = Array.from({ length: 12 }, (_, i) => `+141555501${10 + i}`)
  for (const recipient of [...recipients].reverse()) {
    await service.call('PUT', `${url}/${recipient.slice(1)}`, { reason: 'Asked' })
  }
  const page = async (query: string) => {
    const { status, body } = await service.get(`${url}${query}`)
    assert.equal(status, 200, query)
    return [body.optouts.map((o: { recipient: string }) => o.recipient), body.hasMore]
  }
  assert.deepEqual(await page(''), [recipients.slice(0, 10), true])
  assert.deepEqual(await page('?limit=5&skip=7'), [recipients.slice(7), false])
  const last = recipients[4]!
  for (const after of [encodeURIComponent(last), last, last.slice(1)]) {
    assert.deepEqual(await page(`?limit=3&after=${after}`), [recipients.slice(5, 8), true])
  }
  assert.deepEqual(told(await service.get(`${url}?after=x`)), [
    400,
    'after must be a phone number in E.164 format, for example +14155550123',
  ])
  assert.deepEqual(told(await service.get(`${url}?limit=0`)), [
    400,
    'limit must be a whole number from 1 to 1000',
  ])
})

test('an unknown campaign or another account’s campaign has no list', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: other.accountId })
  for (const id of ['cmp_01km3v9w8m0000pqv3t5x7z9bd', foreign.campaignId, 'x', '%00']) {
    const { status, body } = await service.get(`/v1/campaign/${id}/optouts`)
    assert.equal(status, 404)
    assert.deepEqual(body, { optouts: [], error: 'Campaign not found', code: 'campaign_missing' })
  }
})

test('the list requires the read scope', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'GET',
    url: '/v1/campaign/cmp_01km3v9w8m0000pqv3t5x7z9bd/optouts',
    failure: { optouts: [] },
    scope: 'read',
  })
})
