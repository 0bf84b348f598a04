// GET /metrics and GET /readyz: what monitoring systems can read, and who has access.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { createReadinessProbe } from '../../src/http/health/readiness.js'
import { openDatabase } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { temporaryFolder } from '../commands/run-command.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually } from '../harness.js'
import { OPERATOR_TOKEN, type OperatedService, operatedService } from './operator-service.js'

async function readMetrics(
  service: OperatedService,
  token: string | null = OPERATOR_TOKEN,
): Promise<Map<string, number>> {
  const reply = await service.call('GET', '/metrics', undefined, { token })
  assert.equal(reply.status, 200)
  assert.equal(reply.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  const lines = String(reply.body).trimEnd().split('\n')
  for (const line of lines) assert.match(line, /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{.*\})? \S+)$/)
  return new Map(
    lines
      .filter((line) => !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
}

test('metrics cover sends, carrier responses, queues, webhooks, the ledger, and the connection pool', async (t) => {
  const service = await operatedService(t, { roles: ['dispatch', 'schedule'] })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const send = (to: string, given: object = {}) =>
    service.post('/v1/message/send', { campaign: campaignId, to, body: 'Hello', ...given })
  await send('+14155550101')
  await send('+14155550110')
  await send('+14155550101', { scheduledAt: new Date(Date.now() + 86_400_000).toISOString() })
  await send('+1415')

  const delivered = 'longcode_carrier_receipts_total{link="simulator",status="DELIVERED",code=""}'
  const failed = 'longcode_carrier_answers_total{link="simulator",answer="failed",code="1350"}'
  const metrics = await eventually(async () => {
    const read = await readMetrics(service)
    const isOver = read.get(delivered) === 1 && read.get(failed) === 1
    const isQuiet = read.get('longcode_database_pool{pool="all",state="waiting"}') === 0
    return isOver && isQuiet && read.has('longcode_ledger_drift') && read
  }, 'both messages finished, the ledger checked, and no one waiting for a connection')
  const expected = {
    longcode_messages_accepted_total: 3,
    'longcode_http_requests_total{method="POST",route="/v1/message/send",status="200"}': 3,
    'longcode_http_requests_total{method="POST",route="/v1/message/send",status="400"}': 1,
    longcode_accept_duration_seconds_count: 3,
    'longcode_accept_duration_seconds_bucket{le="+Inf"}': 3,
    'longcode_carrier_answers_total{link="simulator",answer="sent",code=""}': 1,
    longcode_ledger_drift: 0,
    longcode_webhooks_disabled: 0,
    longcode_webhook_queue_waiting: 0,
    longcode_carrier_up: 1,
    'longcode_database_pool{pool="all",state="max"}': 4,
    'longcode_database_pool{pool="all",state="waiting"}': 0,
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(metrics.get(name), value, name)
})

test('metrics show the depth and age of a stalled queue, in total and by lane', async (t) => {
  const service = await operatedService(t)
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  for (const to of ['+14155550101', '+14155550102', '+14155550107']) {
    await service.post('/v1/message/send', { campaign: campaignId, to, body: 'Hello' })
  }
  service.world.clock.moveTo(300_000)
  const metrics = await readMetrics(service)
  assert.equal(metrics.get('longcode_queue_waiting{route="att-sms"}'), 2)
  assert.equal(metrics.get('longcode_queue_waiting{route="open"}'), 1)
  const labels = `{account="${service.accountId}",campaign="${campaignId}",route="att-sms"}`
  assert.equal(metrics.get(`longcode_lane_waiting${labels}`), 2)
  assert.ok(metrics.get(`longcode_lane_oldest_seconds${labels}`)! >= 299)
  assert.ok(metrics.get('longcode_queue_oldest_seconds{route="att-sms"}')! >= 299)
})

test('metrics require an operator token, and public metrics contain no account or campaign', async (t) => {
  const closed = await operatedService(t)
  assert.equal((await closed.get('/metrics', { token: null })).status, 401)
  assert.equal((await closed.get('/metrics')).status, 401)

  const open = await operatedService(t, { env: { LONGCODE_METRICS_PUBLIC: 'true' } })
  const { campaignId } = await activeCampaign(open)
  await buyNumber(open, campaignId)
  await open.post('/v1/message/send', { campaign: campaignId, to: '+14155550101', body: 'Hi' })
  open.world.clock.moveTo(300_000)
  const { body } = await open.get('/metrics', { token: null })
  assert.match(body, /^longcode_queue_waiting\{route="att-sms"\} 1$/m)
  for (const name of [campaignId, open.accountId]) assert.equal(body.includes(name), false)
})

test('the dashboards and the rules use only metrics that exist', async (t) => {
  // A carriers file adds the metrics of its links and of what is bought and registered through them.
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  const link = 'name: local, kind: smpp, host: 127.0.0.1, port: 1, systemId: x, password: y'
  writeFileSync(file, `links: [{ ${link} }]\n`)
  const service = await operatedService(t, {
    roles: ['dispatch', 'deliver', 'schedule', 'voice'],
    env: { LONGCODE_CARRIERS: file },
  })
  const late = ['longcode_ledger_drift', 'longcode_accounts_at_quota{quota="webhooks"}']
  await eventually(async () => {
    const read = await readMetrics(service)
    return late.every((name) => read.has(name))
  }, 'what is measured in the background')
  const { body } = await service.get('/metrics', { token: OPERATOR_TOKEN })
  const known = new Set([...body.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
  const rules = ['ops/alert-rules.yaml', 'ops/slo-rules.yaml']
  const dashboards = readdirSync('ops/dashboards').map((file) => `ops/dashboards/${file}`)
  for (const file of [...rules, ...dashboards]) {
    const text = readFileSync(file, 'utf8')
    const named = [...text.matchAll(/\b(?:longcode|process|nodejs)_\w+/g)].map(([name]) =>
      name.replace(/(?<=_seconds)_(?:bucket|count)$/, ''),
    )
    assert.ok(named.length > 5)
    assert.deepEqual(
      [...new Set(named)].filter((name) => !known.has(name)),
      [],
      file,
    )
  }
})

test('a working service is ready and shows the kind of carrier connection', async (t) => {
  const service = await operatedService(t)
  assert.deepEqual((await service.get('/readyz', { token: null })).body, {
    status: 'ready',
    parts: { database: 'ok', migrations: 'ok', carrier: 'simulated' },
  })
  const linkless = await operatedService(t, { env: { LONGCODE_CARRIER: 'none' } })
  assert.equal((await linkless.get('/readyz')).body.parts.carrier, 'none')
  const up = (await readMetrics(linkless)).get('longcode_carrier_up')
  assert.equal(up, 0)
})

test('a service with missing migrations is not ready and names them', async (t) => {
  const service = await operatedService(t)
  await service.world.db.query(sql`delete from migrations where name like '0013%'`)
  const { status, body } = await service.get('/readyz', { token: null })
  assert.equal(status, 503)
  assert.deepEqual(body, {
    error: 'Not ready: migrations are behind: 0013-operator.sql',
    code: 'not_ready',
    details: [{ field: 'migrations', problem: 'are behind: 0013-operator.sql' }],
  })
})

test('readiness names the database if it does not answer', async (t) => {
  const { world } = await operatedService(t)
  const url = 'postgres://nobody@127.0.0.1:1/nowhere'
  const nowhere = openDatabase({ url, poolMax: 2, applicationName: 'test', onError: () => {} })
  const probe = createReadinessProbe({ ...world, db: nowhere })
  const { problem } = await probe()
  assert.deepEqual(problem, { field: 'database', problem: 'does not answer' })
})
