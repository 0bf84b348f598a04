// GET /v1/webhook/{id}, GET /v1/campaign/{id}/webhooks, and GET /v1/webhook/list.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { createWebhook } from '../flows/webhook-receiver.js'
import { testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL_OK = 'https://example.com/hook'

test('a webhook is returned as it was created, including its secret', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const webhook = await createWebhook(service, campaignId, URL_OK, { name: 'x' })
  const { status, body } = await service.get(`/v1/webhook/${webhook.id}`)
  assert.equal(status, 200)
  assert.deepEqual(body, { webhook })
})

test('an unknown or malformed id, or another account’s webhook, returns not found', async (t) => {
  const service = await testService(t)
  const stranger = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId: stranger.accountId })
  const { token } = stranger
  const foreign = await createWebhook(service, campaignId, URL_OK, {}, { token })
  const ids = [foreign.id, `whk_${'0'.repeat(26)}`, 'x', '%00', 'a%2Fb', 'x'.repeat(600)]
  for (const id of ids) {
    const { status, body } = await service.get(`/v1/webhook/${id}`)
    assert.equal(status, 404, id)
    assert.deepEqual(body, { webhook: null, error: 'Webhook not found', code: 'webhook_missing' })
  }
})

test('errors of a retrieval have the shape of a failed read', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'GET',
    url: `/v1/webhook/whk_${'0'.repeat(26)}`,
    failure: { webhook: null },
    scope: 'read',
  })
})

test('all webhooks of a campaign are listed, newest first', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const other = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const made = []
  for (let i = 0; i < 12; i += 1) {
    made.push(await createWebhook(service, campaignId, `${URL_OK}/${i}`))
  }
  await createWebhook(service, other.campaignId, URL_OK)
  const { status, body } = await service.get(`/v1/campaign/${campaignId}/webhooks`)
  assert.equal(status, 200)
  assert.deepEqual(body, { webhooks: made.reverse() })
  assert.deepEqual(body.webhooks[0].numbers, [number])
})

test('the webhooks of an unknown campaign or another account’s campaign return not found', async (t) => {
  const service = await testService(t)
  const stranger = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: stranger.accountId })
  for (const id of [foreign.campaignId, `cmp_${'0'.repeat(26)}`, 'x', '%00']) {
    const { status, body } = await service.get(`/v1/campaign/${id}/webhooks`)
    assert.equal(status, 404)
    assert.deepEqual(body, {
      webhooks: [],
      error: 'Campaign not found',
      code: 'campaign_missing',
    })
  }
  await assertFailureShapes(service, {
    method: 'GET',
    url: `/v1/campaign/${foreign.campaignId}/webhooks`,
    failure: { webhooks: [] },
    scope: 'read',
  })
})

test('the list of all campaigns is paged, newest first, and has only the account’s webhooks', async (t) => {
  const service = await testService(t)
  const campaigns = [await activeCampaign(service), await activeCampaign(service)]
  const stranger = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: stranger.accountId })
  const { token } = stranger
  await createWebhook(service, foreign.campaignId, URL_OK, {}, { token })
  const ids: string[] = []
  for (let i = 0; i < 12; i += 1) {
    ids.unshift((await createWebhook(service, campaigns[i % 2]!.campaignId, URL_OK)).id)
  }
  const list = async (query: string) => {
    const { status, body } = await service.get(`/v1/webhook/list${query}`)
    assert.equal(status, 200)
    return [body.webhooks.map((webhook: { id: string }) => webhook.id), body.hasMore]
  }
  assert.deepEqual(await list(''), [ids.slice(0, 10), true])
  assert.deepEqual(await list('?limit=12'), [ids, false])
  assert.deepEqual(await list('?limit=5&skip=5'), [ids.slice(5, 10), true])
  assert.deepEqual(await list(`?limit=5&after=${ids[8]}`), [ids.slice(9), false])
})

test('an invalid page is refused by name', async (t) => {
  const service = await testService(t)
  const cases: [string, string][] = [
    ['limit=0', 'limit must be a whole number from 1 to 1000'],
    ['limit=1001', 'limit must be a whole number from 1 to 1000'],
    ['skip=-1', 'skip must be a whole number, 0 or more'],
    ['after=x', 'after must be the ID of the last record of the previous page'],
  ]
  for (const [query, error] of cases) {
    const { status, body } = await service.get(`/v1/webhook/list?${query}`)
    assert.equal(status, 400)
    assert.deepEqual(body.webhooks, [])
    assert.equal(body.error, error)
  }
  await assertFailureShapes(service, {
    method: 'GET',
    url: '/v1/webhook/list',
    failure: { webhooks: [] },
    scope: 'read',
  })
})

test('a read-only token sees no secret and only the end of the signature', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const webhook = await createWebhook(service, campaignId, URL_OK)
  const token = await service.tokenWith(['read', 'send', 'billing'])
  const masked = { ...webhook, secret: null, signature: `…${webhook.signature.slice(-4)}` }
  const one = await service.get(`/v1/webhook/${webhook.id}`, { token })
  assert.deepEqual(one.body, { webhook: masked })
  for (const url of [`/v1/campaign/${campaignId}/webhooks`, '/v1/webhook/list']) {
    const { body } = await service.get(url, { token })
    assert.deepEqual(body.webhooks, [masked], url)
  }
})
