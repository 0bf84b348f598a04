// GET /v1/campaign/{id}/numbers: the numbers of a campaign.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { testService } from '../harness.js'

const MISSING = { numbers: [], error: 'Campaign not found', code: 'campaign_missing' }

test('a new campaign has no numbers', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const { status, body } = await service.get(`/v1/campaign/${campaignId}/numbers`)
  assert.equal(status, 200)
  assert.deepEqual(body, { numbers: [] })
})

test('the default number comes first, then the others by purchase time, without a campaign field', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const another = await activeCampaign(service)
  const first = await buyNumber(service, campaignId, { number: '+14155550109' })
  const second = await buyNumber(service, campaignId, { number: '+14155550105' })
  const third = await buyNumber(service, campaignId, { number: '+14155550107' })
  await buyNumber(service, another.campaignId, { number: '+14155550101' })
  await service.post(`/v1/number/${third}/default`)
  await service.call('PATCH', `/v1/number/${second}/forwarding`, { forwardNumber: '+14155550188' })

  const { status, body } = await service.get(`/v1/campaign/${campaignId}/numbers`)
  assert.equal(status, 200)
  const alone = await Promise.all(
    [third, first, second].map(async (number) => {
      const { campaignId: held, ...rest } = (await service.get(`/v1/number/${number}`)).body.number
      assert.equal(held, campaignId)
      return rest
    }),
  )
  assert.deepEqual(body, { numbers: alone })
  assert.deepEqual(
    alone.map((number) => [number.phoneNumber, number.isDefault, number.forwardEnabled]),
    [
      [third, true, false],
      [first, false, false],
      [second, false, true],
    ],
  )
})

test('an unknown or malformed id, or another account’s campaign, returns not found', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: other.accountId })
  const { brandId } = await activeCampaign(service)
  const ids = [foreign.campaignId, brandId, 'cmp_01km3v9w8m0000pqv3t5x7z9bd', 'x', '%00', "1'or'1"]
  for (const id of ids) {
    const { status, body } = await service.get(`/v1/campaign/${id}/numbers`)
    assert.equal(status, 404, id)
    assert.deepEqual(body, MISSING)
  }
})

test('the list requires the read scope', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const sender = await service.tokenWith(['send'])
  for (const [token, status] of [
    [null, 401],
    ['lc_unknown', 401],
    [sender, 403],
  ] as const) {
    const reply = await service.get(`/v1/campaign/${campaignId}/numbers`, { token })
    assert.equal(reply.status, status)
    assert.deepEqual(reply.body.numbers, [])
  }
})
