// A whole service in production mode: each setting that makes it safer than the sandbox, tested on the service
// itself.

import assert from 'node:assert/strict'
import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import { type TestContext, test } from 'node:test'
import { countAccounts } from '../../src/accounts/account-queries.js'
import { readConfig } from '../../src/kit/config.js'
import { openDatabase } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import {
  cloneDatabase,
  eventually,
  type TestOptions,
  type TestService,
  testService,
} from '../harness.js'
import { VZW } from '../sending.js'
import { webhookReceiver } from './webhook-receiver.js'

const OPERATOR_TOKEN = 'lco_the-token-of-the-environment'
const PRODUCTION = {
  LONGCODE_MODE: 'production',
  DATABASE_URL: 'postgres://unused@localhost/unused',
  LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN,
}
const SIMULATED = {
  ...PRODUCTION,
  LONGCODE_CARRIER: 'simulator',
  LONGCODE_ALLOW_SIMULATED_DELIVERIES: 'true',
}

function production(t: TestContext, options: TestOptions = {}): Promise<TestService> {
  return testService(t, { ...options, env: { ...PRODUCTION, ...options.env } })
}

/** Every name resolves to this machine, as an attacker's may at any time after its registration. */
function everyNameIsLoopback(t: TestContext): string[] {
  const asked: string[] = []
  const lookup = t.mock.method(dns, 'lookup', async (host: string) => {
    asked.push(host)
    return [{ address: '127.0.0.1', family: 4 }]
  })
  syncBuiltinESMExports()
  t.after(() => {
    lookup.mock.restore()
    syncBuiltinESMExports()
  })
  return asked
}

test('production sends no webhook to and fetches no media from a name that resolves to an internal address', async (t) => {
  const asked = everyNameIsLoopback(t)
  const receiver = await webhookReceiver(t)
  const service = await production(t, { roles: ['deliver', 'dispatch'], env: SIMULATED })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const { port } = new URL(receiver.url)
  const hook = `http://hooks.acme.test:${port}/hook`

  const { body: made } = await service.post(`/v1/campaign/${campaignId}/webhooks`, {
    url: hook,
    eventTypes: ['message.status'],
  })
  const path = `/v1/webhook/${made.webhook.id}`
  assert.equal((await service.post(`${path}/test`, {})).status, 200)
  const attempt = await eventually(async () => {
    const { body } = await service.get(`${path}/deliveries`)
    return body.deliveries[0].attempts[0]
  }, 'an attempt')
  assert.deepEqual(
    [attempt.responseCode, attempt.error],
    [null, 'The host leads to an address that is not public.'],
  )

  const { body: sent } = await service.post('/v1/message/send', {
    campaign: campaignId,
    to: VZW,
    body: 'Look',
    mediaUrls: [`http://media.acme.test:${port}/cat.png`],
  })
  const message = await eventually(async () => {
    const { body } = await service.get(`/v1/message/${sent.id}`)
    return body.message.status === 'FAILED' && body.message
  }, 'a message that failed')
  assert.equal(message.errorCode, 1390)
  assert.deepEqual(new Set(asked), new Set(['hooks.acme.test', 'media.acme.test']))
  assert.equal(receiver.connections(), 0)
})

test('production does not use internal addresses that the sandbox registered either', async (t) => {
  const receiver = await webhookReceiver(t)
  const service = await production(t, { roles: ['deliver'] })
  const { campaignId } = await activeCampaign(service)
  const { body: made } = await service.post(`/v1/campaign/${campaignId}/webhooks`, {
    url: 'https://example.com/hook',
    eventTypes: ['message.status'],
  })
  const { id } = made.webhook
  await service.world.db.query(sql`update webhooks set url = ${receiver.url} where id = ${id}`)
  assert.equal((await service.post(`/v1/webhook/${id}/test`, {})).status, 200)
  const attempt = await eventually(async () => {
    const { body } = await service.get(`/v1/webhook/${id}/deliveries`)
    return body.deliveries[0].attempts[0]
  }, 'an attempt')
  assert.equal(attempt.error, 'The URL must point to a public address.')
  assert.equal(receiver.connections(), 0)
})

test('in production nothing of the sandbox exists, the clock is real, and nothing is open', async (t) => {
  const service = await production(t)
  for (const [method, url] of [
    ['POST', '/sandbox/inbound'],
    ['GET', '/sandbox/handset'],
    ['GET', '/sandbox/handset/14155550101'],
    ['GET', '/sandbox/clock'],
    ['POST', '/sandbox/clock/advance'],
  ] as const) {
    const { status, body } = await service.call(method, url, method === 'POST' ? {} : undefined)
    assert.deepEqual([status, body.code], [404, 'path_unknown'], url)
  }
  const described = await service.app.inject({ url: '/openapi.json' })
  assert.deepEqual(
    Object.keys(described.json().paths).filter((path) => path.startsWith('/sandbox')),
    [],
  )
  assert.equal(service.world.clock.offsetMs, 0)

  const metrics = async (token: string | null) => (await service.get('/metrics', { token })).status
  assert.deepEqual(
    [await metrics(null), await metrics(service.token), await metrics(OPERATOR_TOKEN)],
    [401, 401, 200],
  )
  assert.equal(await countAccounts(service.world.db), 1, 'only the account of this test')
})

test('production ignores a clock that the sandbox moved', async (t) => {
  const { url: databaseUrl, drop } = await cloneDatabase()
  const database = { url: databaseUrl, drop }
  const admin = openDatabase({
    url: databaseUrl,
    poolMax: 1,
    applicationName: 'test',
    onError: () => {},
  })
  await admin.query(sql`update service_clock set offset_ms = 86400000`)
  await admin.end()
  const service = await production(t, { database })
  assert.equal(service.world.clock.offsetMs, 0)
})

test('in production requests are limited by default, per token', async (t) => {
  t.mock.method(performance, 'now', () => 0) // nothing is refilled in the meantime
  const service = await production(t)
  const other = await service.otherAccount()
  const ask = async (token: string) => (await service.get('/v1/account', { token })).status
  const statuses: number[] = []
  for (let i = 0; i < 201; i += 1) statuses.push(await ask(service.token))
  assert.deepEqual(
    [statuses.filter((status) => status === 200).length, statuses.at(-1)],
    [200, 429],
  )
  assert.equal(await ask(other.token), 200)
  const { headers } = await service.get('/v1/account')
  assert.equal(headers['ratelimit-reset'], '2', '200 at 100 a second')
})

test('in production reviews are manual, and no message is simulated', async (t) => {
  const service = await production(t)
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const send = { campaign: campaignId, to: VZW, body: 'Hello' }
  assert.equal((await service.post('/v1/message/send', send)).body.code, 'carrier_absent')
  const config = readConfig(PRODUCTION)
  assert.deepEqual(
    [config.registry, config.carrier, config.isMetricsPublic],
    ['manual', 'none', false],
  )
})
