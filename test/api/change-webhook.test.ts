// PATCH and DELETE /v1/webhook/{id}, POST /v1/webhook/{id}/rotate.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES } from '../../src/events/event.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { createWebhook } from '../flows/webhook-receiver.js'
import { type Json, testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL_OK = 'https://example.com/hook'
const MISSING = { success: false, error: 'Webhook not found', code: 'webhook_missing' }

async function stage(t: Parameters<typeof testService>[0]) {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const webhook = await createWebhook(service, campaignId, URL_OK, { name: 'before' })
  const change = (body: Json, id = webhook.id) => service.call('PATCH', `/v1/webhook/${id}`, body)
  return { service, campaignId, webhook, change }
}

async function foreignWebhook(service: Awaited<ReturnType<typeof testService>>) {
  const { accountId, token } = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, { accountId })
  return createWebhook(service, campaignId, URL_OK, {}, { token })
}

test('changing one field leaves the others as they are', async (t) => {
  const { service, campaignId, webhook, change } = await stage(t)
  const number = await buyNumber(service, campaignId)
  let expected = { ...webhook, numbers: [number] }
  const changes: [Json, Json][] = [
    [{ name: 'after' }, { name: 'after' }],
    [{ name: null }, { name: null }],
    [{ url: 'http://127.0.0.1:3000/x' }, { url: 'http://127.0.0.1:3000/x' }],
    [{ eventTypes: ['recipient.optout'] }, { eventTypes: ['recipient.optout'] }],
    [{ numbers: [number] }, { numbers: [number] }],
    [{ enabled: false }, { enabled: false, disabledReason: 'Disabled by the account owner' }],
    [{ enabled: true }, { enabled: true, disabledReason: null }],
    [{}, {}],
  ]
  for (const [body, effect] of changes) {
    expected = { ...expected, ...effect }
    const reply = await change(body)
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
    assert.deepEqual(reply.body, { success: true, webhook: expected })
    const read = await service.get(`/v1/webhook/${webhook.id}`)
    assert.deepEqual(read.body.webhook, expected)
  }
})

test('numbers: null selects all numbers of the campaign again', async (t) => {
  const { service, campaignId, change } = await stage(t)
  const [one, two] = [await buyNumber(service, campaignId), await buyNumber(service, campaignId)]
  assert.deepEqual((await change({ numbers: [two] })).body.webhook.numbers, [two])
  assert.deepEqual((await change({ numbers: null })).body.webhook.numbers, [one, two])
  const three = await buyNumber(service, campaignId)
  assert.deepEqual((await change({})).body.webhook.numbers, [one, two, three])
})

test('disabling a disabled webhook keeps the first reason', async (t) => {
  const { change } = await stage(t)
  await change({ enabled: false })
  const { body } = await change({ enabled: false, name: 'x' })
  assert.equal(body.webhook.disabledReason, 'Disabled by the account owner')
})

test('a change is refused for the same reasons as a creation, and unknown fields change nothing', async (t) => {
  const { service, webhook, change } = await stage(t)
  const other = await buyNumber(service, (await activeCampaign(service)).campaignId)
  const cases: [Json, string][] = [
    [{ url: '' }, 'url is required'],
    [{ url: 'ftp://x' }, 'url must start with http:// or https://'],
    [{ url: 'https://a:b@example.com' }, 'url must not contain a user name or password'],
    [
      { eventTypes: [] },
      `eventTypes must be a list with at least one of ${EVENT_TYPES.join(', ')}`,
    ],
    [{ eventTypes: ['x'] }, `eventTypes[0] must be one of ${EVENT_TYPES.join(', ')}`],
    [{ numbers: [other] }, `Phone number is invalid: ${other}`],
    [{ numbers: [] }, 'numbers must have at least 1 entry'],
    [{ enabled: 'yes' }, 'enabled must be true or false'],
    [{ name: 'x'.repeat(101) }, 'name must be at most 100 characters'],
  ]
  for (const [body, error] of cases) {
    const reply = await change({ name: 'half', ...body })
    assert.equal(reply.status, 400, JSON.stringify(body))
    assert.equal(reply.body.success, false)
    assert.equal(reply.body.error, error)
  }
  const ignored = { signature: 'x', secret: 'x', campaignId: 'x', id: 'x', disabledReason: 'x' }
  const reply = await change(ignored)
  assert.deepEqual(reply.body.webhook, webhook)
  assert.equal(reply.body.warnings.length, 5)
  assert.deepEqual((await change({ enabled: null })).body, { success: true, webhook })
})

test('another account’s webhook cannot be changed, deleted, or rotated', async (t) => {
  const { service, change } = await stage(t)
  const foreign = await foreignWebhook(service)
  for (const id of [foreign.id, `whk_${'0'.repeat(26)}`, 'x', '%00']) {
    const replies = [
      await change({ name: 'mine' }, id),
      await service.call('DELETE', `/v1/webhook/${id}`),
      await service.post(`/v1/webhook/${id}/rotate`),
    ]
    for (const { status, body } of replies) {
      assert.equal(status, 404)
      assert.deepEqual(body, MISSING)
    }
  }
})

test('a deleted webhook is gone, and deleting it again returns not found', async (t) => {
  const { service, campaignId, webhook, change } = await stage(t)
  const { status, body } = await service.call('DELETE', `/v1/webhook/${webhook.id}`)
  assert.equal(status, 200)
  assert.deepEqual(body, { success: true, id: webhook.id })
  assert.equal((await service.get(`/v1/webhook/${webhook.id}`)).status, 404)
  assert.equal((await change({ name: 'x' })).status, 404)
  assert.equal((await service.get(`/v1/webhook/${webhook.id}/deliveries`)).status, 404)
  const again = await service.call('DELETE', `/v1/webhook/${webhook.id}`)
  assert.equal(again.status, 404)
  assert.deepEqual(again.body, MISSING)
  const list = await service.get(`/v1/campaign/${campaignId}/webhooks`)
  assert.deepEqual(list.body, { webhooks: [] })
})

test('rotation creates a new secret and changes nothing else', async (t) => {
  const { service, webhook } = await stage(t)
  const { status, body } = await service.post(`/v1/webhook/${webhook.id}/rotate`)
  assert.equal(status, 200)
  assert.equal(body.success, true)
  assert.notEqual(body.webhook.secret, webhook.secret)
  assert.match(body.webhook.secret, /^whsec_/)
  const { secret, formerSecretUntil } = body.webhook
  assert.deepEqual({ ...webhook, secret, formerSecretUntil }, body.webhook)
  const leftMs = Date.parse(formerSecretUntil) - service.world.clock.now().getTime()
  assert.ok(
    leftMs > 23 * 3_600_000 && leftMs <= 24 * 3_600_000,
    'the previous secret signs for a day',
  )
  const read = await service.get(`/v1/webhook/${webhook.id}`)
  assert.equal(read.body.webhook.secret, body.webhook.secret)
})

test('errors have the shape of a failed write', async (t) => {
  const { service, webhook } = await stage(t)
  const path = `/v1/webhook/${webhook.id}`
  const failure = { success: false }
  const scope = 'manage'
  await assertFailureShapes(service, {
    method: 'PATCH',
    url: path,
    failure,
    scope,
    takesBody: true,
  })
  await assertFailureShapes(service, { method: 'DELETE', url: path, failure, scope })
  await assertFailureShapes(service, { method: 'POST', url: `${path}/rotate`, failure, scope })
})
