// Addresses that webhooks cannot use in production. They are refused at registration and again at delivery,
// in every spelling.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import inject from 'light-my-request'
import { createHttpClient } from '../../src/kit/http-client/http-client.js'
import { activeCampaign } from '../fixtures.js'
import { createWebhook, runDeliverer, webhookReceiver } from '../flows/webhook-receiver.js'
import {
  eventually,
  type Json,
  listenerOf,
  type TestService,
  testConfig,
  testService,
} from '../harness.js'

const PRODUCTION = {
  LONGCODE_MODE: 'production',
  DATABASE_URL: 'postgres://unused@localhost/unused',
}

const UNSAFE = [
  'http://127.0.0.1/',
  'http://127.0.0.1:8080/',
  'http://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://0/',
  'http://0.0.0.0/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://hooks.localhost/',
  'http://127.0.0.1./',
  'http://127。0。0。1/',
  'http://①②⑦.⓪.⓪.①/',
  'http://%31%32%37.0.0.1/',
  'http://[::1]/',
  'http://[::]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[ff02::1]/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://[::ffff:169.254.169.254]/',
  'http://168.63.129.16/',
  'http://100.100.100.200/',
  'http://100.64.0.1/',
  'http://192.0.2.1/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://metadata.google.internal/',
  'http://printer.local/',
  'http://router.home.arpa/',
  'http://redis:8080/',
  'http://intranet/',
  'https://example.com:25/',
  'https://example.com:5432/',
  'https://example.com:6379/',
]

/** Sends by the Twilio-compatible API. */
async function twilioSender(service: TestService) {
  const { body } = await service.post('/v1/account/twilio')
  const { accountSid, authToken } = body.twilio
  return async (form: Record<string, string>): Promise<Json> => {
    const response = await inject(listenerOf(service), {
      method: 'POST',
      url: `/2010-04-01/Accounts/${accountSid}/Messages.json`,
      headers: {
        authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams(form).toString(),
    })
    return response.json()
  }
}

test('in production, unsafe targets are refused when a webhook or a status callback is set', async (t) => {
  assert.ok(UNSAFE.length >= 40)
  const service = await testService(t, { env: { ...PRODUCTION, LONGCODE_RATE_LIMIT: '0' } })
  const { campaignId } = await activeCampaign(service)
  const eventTypes = ['message.status']
  const made = await service.post(`/v1/campaign/${campaignId}/webhooks`, {
    url: 'https://example.com/hook',
    eventTypes,
  })
  assert.equal(made.status, 200)
  const path = `/v1/webhook/${made.body.webhook.id}`
  const twilio = await twilioSender(service)
  for (const url of UNSAFE) {
    const created = await service.post(`/v1/campaign/${campaignId}/webhooks`, { url, eventTypes })
    const changed = await service.call('PATCH', path, { url })
    for (const { status, body } of [created, changed]) {
      assert.equal(status, 400, url)
      assert.match(body.error, /^url must (point to a public address|not use port \d+)/, url)
    }
    const form = { From: '+14155550100', To: '+14155550107', Body: 'Hello' }
    assert.equal((await twilio({ ...form, StatusCallback: url })).code, 21609, url)
  }
  const { publicUrl } = service.world.config
  const likeOurs = [`${publicUrl}@10.0.0.1/media/acc_1`, `${publicUrl}.internal/media/acc_1`]
  for (const url of [...UNSAFE, ...likeOurs]) {
    const message = { campaign: campaignId, to: '+14155550107', body: 'Look', mediaUrls: [url] }
    const { status, body } = await service.post('/v1/message/send', message)
    assert.equal(status, 400, url)
    assert.match(body.error, /^mediaUrls\[0\] /, url)
  }
  const { body } = await service.get(`/v1/campaign/${campaignId}/webhooks`)
  assert.deepEqual(
    body.webhooks.map((webhook: { url: string }) => webhook.url),
    ['https://example.com/hook'],
  )
})

test('unsafe targets are refused again at delivery', async (t) => {
  const http = createHttpClient({
    allowPrivate: false,
    timeoutMs: 5_000,
    maxResponseBytes: 1_024,
    connectionsPerOrigin: 1,
  })
  t.after(() => http.close())
  for (const url of UNSAFE) {
    await assert.rejects(
      http.request({ method: 'POST', url, body: '{}' }),
      { reason: 'refused_address' },
      url,
    )
  }
})

test('a host name that was public at registration and later resolves to loopback gets no request', async (t) => {
  let called = 0
  const server = createServer((_, response) => {
    called += 1
    response.end()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const answers = [['93.184.216.34'], ['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::1']]
  for (const answer of answers.slice(1)) {
    const http = createHttpClient({
      allowPrivate: false,
      timeoutMs: 5_000,
      maxResponseBytes: 1_024,
      connectionsPerOrigin: 1,
      lookup: async () => answer,
    })
    const url = `http://rebind.example.com:${port}/hook`
    await assert.rejects(http.request({ method: 'POST', url }), { reason: 'refused_address' })
    await http.close()
  }
  assert.equal(called, 0)
})

test('in production, the operator can allow private addresses, for webhooks only', async (t) => {
  let deliverer: { stop: () => Promise<void> } | undefined
  t.after(() => deliverer?.stop()) // before the service's database closes
  const receiver = await webhookReceiver(t)
  const service = await testService(t, {
    env: {
      ...PRODUCTION,
      LONGCODE_RATE_LIMIT: '0',
      LONGCODE_WEBHOOK_ALLOW: '127.0.0.1, 10.20.0.0/16, hooks.internal',
    },
  })
  deliverer = runDeliverer(service)
  const { campaignId } = await activeCampaign(service)
  const webhook = await createWebhook(service, campaignId, receiver.url)
  const { status } = await service.post(`/v1/webhook/${webhook.id}/test`, {})
  assert.equal(status, 200)
  await eventually(async () => receiver.received.length === 1, 'the test event')

  const create = (url: string) =>
    service.post(`/v1/campaign/${campaignId}/webhooks`, { url, eventTypes: ['message.status'] })
  for (const url of ['http://10.20.1.1/', 'http://hooks.internal:8080/', 'http://127.1/']) {
    assert.equal((await create(url)).status, 200, url)
  }
  for (const url of [
    'http://10.21.0.1/',
    'http://127.0.0.2/',
    'http://localhost/',
    'http://a.hooks.internal/',
    'http://169.254.169.254/latest/meta-data/',
    'http://hooks.internal:5432/',
  ]) {
    assert.equal((await create(url)).status, 400, url)
  }
  const media = await service.post('/v1/message/send', {
    campaign: campaignId,
    to: '+14155550107',
    body: 'x',
    mediaUrls: [receiver.url],
  })
  assert.equal(media.status, 400)
  assert.equal(media.body.error, 'mediaUrls[0] must point to a public address')
})

test('an invalid LONGCODE_WEBHOOK_ALLOW prevents the start with one line', () => {
  for (const value of ['10.0.0.0/99', 'http://hooks.internal', 'hooks.internal:8080', 'a,,b']) {
    assert.throws(
      () => testConfig({ env: { ...PRODUCTION, LONGCODE_WEBHOOK_ALLOW: value } }),
      /^Error: LONGCODE_WEBHOOK_ALLOW takes host names, IP addresses and networks/,
    )
  }
})
