// POST /v1/campaign/{id}/webhooks: accepted fields, the reply, and refusals.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES } from '../../src/events/event.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type Json, type TestService, testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL_OK = 'https://example.com/hook'
const TYPES = ['message.incoming', 'message.status', 'recipient.optout']

async function stage(t: Parameters<typeof testService>[0], env: Record<string, string> = {}) {
  const service = await testService(t, { env })
  const { campaignId } = await activeCampaign(service)
  const create = (body: unknown, options: Parameters<TestService['post']>[2] = {}) =>
    service.post(`/v1/campaign/${campaignId}/webhooks`, body, options)
  return { service, campaignId, create }
}

async function refused(
  create: (body: unknown) => ReturnType<TestService['post']>,
  body: Json,
  error: string,
): Promise<void> {
  const reply = await create(body)
  assert.equal(reply.status, 400, JSON.stringify(body))
  assert.equal(reply.body.success, false)
  assert.equal(reply.body.error, error)
}

test('a webhook with every field is created as requested', async (t) => {
  const { service, campaignId, create } = await stage(t)
  const number = await buyNumber(service, campaignId)
  await buyNumber(service, campaignId)
  const before = service.world.clock.now().toISOString()
  const { status, body } = await create({
    name: 'orders',
    url: `${URL_OK}?a=1#part`,
    eventTypes: ['message.status', 'message.incoming'],
    numbers: [number],
  })
  assert.equal(status, 200)
  const { id, createdAt, signature, secret, ...rest } = body.webhook
  assert.deepEqual(rest, {
    name: 'orders',
    url: `${URL_OK}?a=1#part`,
    campaignId,
    eventTypes: ['message.status', 'message.incoming'],
    numbers: [number],
    enabled: true,
    disabledReason: null,
    failingSince: null,
    formerSecretUntil: null,
    format: 'json',
  })
  assert.equal(body.success, true)
  assert.match(id, /^whk_[0-9a-z]{26}$/)
  assert.ok(createdAt >= before && createdAt <= service.world.clock.now().toISOString())
  assert.match(signature, /^[\w-]{32}$/)
  assert.match(secret, /^whsec_[\w+/]{43}=$/)
  assert.equal(secret.includes(signature), false)
})

test('every webhook has its own signature and secret', async (t) => {
  const { create } = await stage(t)
  const [one, two] = [
    await create({ url: URL_OK, eventTypes: TYPES }),
    await create({ url: URL_OK, eventTypes: TYPES }),
  ]
  assert.notEqual(one.body.webhook.signature, two.body.webhook.signature)
  assert.notEqual(one.body.webhook.secret, two.body.webhook.secret)
})

test('a webhook without numbers covers all numbers of the campaign, including those bought later', async (t) => {
  const { service, campaignId, create } = await stage(t)
  const { body } = await create({ url: URL_OK, eventTypes: TYPES })
  assert.deepEqual(body.webhook.numbers, [])
  assert.equal(body.webhook.name, null)
  const first = await buyNumber(service, campaignId)
  const second = await buyNumber(service, campaignId)
  const { body: later } = await service.get(`/v1/webhook/${body.webhook.id}`)
  assert.deepEqual(later.webhook.numbers, [first, second])
  const { body: explicit } = await create({ url: URL_OK, eventTypes: TYPES, numbers: null })
  assert.deepEqual(explicit.webhook.numbers, [first, second])
})

test('a number outside the campaign is refused with the text of the contract', async (t) => {
  const { service, campaignId, create } = await stage(t)
  const own = await buyNumber(service, campaignId)
  const other = await buyNumber(service, (await activeCampaign(service)).campaignId)
  const stranger = await service.otherAccount()
  const foreignCampaign = await activeCampaign(service, { accountId: stranger.accountId })
  const foreign = await buyNumber(service, foreignCampaign.campaignId, { token: stranger.token })
  for (const number of [other, foreign, '+15555550100', '4155550123', 'soon', '', own.slice(1)]) {
    const reply = await create({ url: URL_OK, eventTypes: TYPES, numbers: [own, number] })
    assert.equal(reply.status, 400)
    assert.deepEqual(reply.body, {
      success: false,
      error: `Phone number is invalid: ${number}`,
      code: 'field_invalid',
      details: [{ field: 'numbers[1]', problem: 'must be a number of this campaign' }],
    })
  }
  const list = await service.get(`/v1/campaign/${campaignId}/webhooks`)
  assert.deepEqual(list.body.webhooks, [], 'nothing was stored')
})

test('missing or invalid fields are reported in order', async (t) => {
  const { create } = await stage(t)
  const ok = { url: URL_OK, eventTypes: TYPES }
  const list = `must be a list with at least one of ${EVENT_TYPES.join(', ')}`
  const cases: [Json, string][] = [
    [{}, 'url is required'],
    [{ eventTypes: TYPES }, 'url is required'],
    [{ ...ok, url: ' ' }, 'url is required'],
    [{ ...ok, url: null }, 'url is required'],
    [{ ...ok, url: 7 }, 'url must be a string'],
    [{ url: URL_OK }, 'eventTypes is required'],
    [{ ...ok, eventTypes: [] }, `eventTypes ${list}`],
    [{ ...ok, eventTypes: 'message.status' }, `eventTypes ${list}`],
    [
      { ...ok, eventTypes: ['message.status', 'message.read'] },
      `eventTypes[1] must be one of ${EVENT_TYPES.join(', ')}`,
    ],
    [{ ...ok, numbers: [] }, 'numbers must have at least 1 entry'],
    [{ ...ok, numbers: '+14155550123' }, 'numbers must be a list or null'],
    [{ ...ok, numbers: [14155550123] }, 'numbers[0] must be a string'],
    [{ ...ok, name: 'x'.repeat(101) }, 'name must be at most 100 characters'],
    [{ ...ok, name: 5 }, 'name must be a string or null'],
  ]
  for (const [body, error] of cases) await refused(create, body, error)
})

test('a bad URL is refused with the reason', async (t) => {
  const { create } = await stage(t)
  const cases: [string, string][] = [
    ['ftp://example.com/', 'url must start with http:// or https://'],
    ['example.com/hook', 'url must start with http:// or https://'],
    ['javascript:alert(1)', 'url must start with http:// or https://'],
    ['https://user:secret@example.com/', 'url must not contain a user name or password'],
    ['https://user@example.com/', 'url must not contain a user name or password'],
    ['https://example.com:99999/', 'url must use a port from 1 to 65535'],
    ['https://example.com:0/', 'url must use a port from 1 to 65535'],
    ['http://[fe80::1%25eth0]/', 'url must not name an IPv6 zone'],
    ['https://exa mple.com/', 'url must not contain spaces, control characters or backslashes'],
    [`https://example.com/${'x'.repeat(2000)}`, 'url must be at most 2000 characters'],
  ]
  for (const [url, error] of cases) {
    const reply = await create({ url, eventTypes: TYPES })
    assert.equal(reply.status, 400, url)
    assert.equal(reply.body.error, error)
    assert.equal(reply.body.details[0].field, 'url')
  }
})

test('unusual but valid URLs are accepted unchanged', async (t) => {
  const { create } = await stage(t)
  const urls = [
    'https://example.com',
    'HTTPS://Example.COM/Hook',
    'https://example.com:8443/a?b=c&d=%20',
    'https://bücher.example/hook',
    'http://[2606:4700:4700::1111]/',
    'http://127.0.0.1:3000/hook', // a sandbox: the developer's own machine
    'http://localhost:3000/hook',
    `https://example.com/${'x'.repeat(1_980)}`,
  ]
  for (const url of urls) {
    const { status, body } = await create({ url, eventTypes: TYPES })
    assert.equal(status, 200, url)
    assert.equal(body.webhook.url, url)
  }
})

test('repeated values count once, and unknown fields are ignored', async (t) => {
  const { service, campaignId, create } = await stage(t)
  const number = await buyNumber(service, campaignId)
  const { status, body } = await create({
    url: URL_OK,
    eventTypes: ['message.status', 'message.status'],
    numbers: [number, number],
    signature: 'mine',
    secret: 'whsec_mine',
    enabled: false,
  })
  assert.equal(status, 200)
  assert.deepEqual(body.webhook.eventTypes, ['message.status'])
  assert.deepEqual(body.webhook.numbers, [number])
  assert.notEqual(body.webhook.signature, 'mine')
  assert.notEqual(body.webhook.secret, 'whsec_mine')
  assert.equal(body.webhook.enabled, true)
})

test('an unknown campaign, another account’s campaign, or a malformed id returns not found', async (t) => {
  const { service } = await stage(t)
  const stranger = await service.otherAccount()
  const foreign = await activeCampaign(service, { accountId: stranger.accountId })
  const ids = [foreign.campaignId, `cmp_${'0'.repeat(26)}`, 'nothing', '%00', 'a%2Fb', '💥']
  for (const id of ids) {
    const reply = await service.post(`/v1/campaign/${encodeURI(id)}/webhooks`, {
      url: URL_OK,
      eventTypes: TYPES,
    })
    assert.equal(reply.status, 404, id)
    assert.deepEqual(reply.body, {
      success: false,
      error: 'Campaign not found',
      code: 'campaign_missing',
    })
  }
})

test('a campaign can have a hundred webhooks', async (t) => {
  const { service, campaignId, create } = await stage(t)
  for (let i = 0; i < 100; i += 1) await create({ url: URL_OK, eventTypes: TYPES })
  const { status, body } = await create({ url: URL_OK, eventTypes: TYPES })
  assert.equal(status, 409)
  assert.equal(body.code, 'webhooks_too_many')
  const list = await service.get(`/v1/campaign/${campaignId}/webhooks`)
  assert.equal(list.body.webhooks.length, 100, 'the list of a campaign is complete')
})

test('an Idempotency-Key creates one webhook', async (t) => {
  const { service, campaignId, create } = await stage(t)
  const headers = { 'idempotency-key': 'once' }
  const body = { url: URL_OK, eventTypes: TYPES }
  const [first, second] = [await create(body, { headers }), await create(body, { headers })]
  assert.deepEqual(second.body, first.body)
  assert.equal(second.headers['idempotent-replayed'], 'true')
  const list = await service.get(`/v1/campaign/${campaignId}/webhooks`)
  assert.equal(list.body.webhooks.length, 1)
})

test('errors have the shape of a failed write', async (t) => {
  const { service, campaignId } = await stage(t)
  await assertFailureShapes(service, {
    method: 'POST',
    url: `/v1/campaign/${campaignId}/webhooks`,
    failure: { success: false },
    scope: 'manage',
    takesBody: true,
  })
})
