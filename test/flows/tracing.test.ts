// One trace from the request to the webhook, received by a real OTLP receiver.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openLog } from '../../src/kit/log.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { insertTraces } from '../../src/kit/tracing/trace-queries.js'
import { tracePurgeLoop } from '../../src/operator/retention/purge-traces.js'
import { startService } from '../../src/serve.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type TestService, testConfig, testService } from '../harness.js'
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from '../otlp-receiver.js'
import { drawTrace } from '../trace-picture.js'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CLIENT_SPAN = '00f067aa0ba902b7'
const SEND = '/v1/message/send'

interface Hook {
  url: string
  requests: IncomingHttpHeaders[]
}

async function startHook(t: TestContext): Promise<Hook> {
  const requests: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    requests.push(request.headers)
    request.resume()
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, requests }
}

async function stageOf(stage: TestService, hook: Hook): Promise<string> {
  const { campaignId } = await activeCampaign(stage)
  await buyNumber(stage, campaignId)
  const subscription = { url: hook.url, eventTypes: ['message.status'] }
  await stage.post(`/v1/campaign/${campaignId}/webhooks`, subscription)
  return campaignId
}

const settings = (receiver: OtlpReceiver, ratio: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_EXPORTER_OTLP_HEADERS: 'api-key=se%20cret',
  OTEL_TRACES_SAMPLER_ARG: ratio,
})

function traced(receiver: OtlpReceiver, traceId: string): Map<string, ReceivedSpan[]> {
  const groups = new Map<string, ReceivedSpan[]>()
  for (const span of receiver.spans.filter((one) => one.traceId === traceId)) {
    groups.set(span.name, [...(groups.get(span.name) ?? []), span])
  }
  return groups
}

const nameOf = ({ name }: ReceivedSpan) => name

test('one trace shows a message from the client’s request to the webhook', async (t) => {
  const [receiver, hook] = [await otlpReceiver(t), await startHook(t)]
  const roles = ['dispatch', 'deliver'] as const
  const stage = await testService(t, { roles, env: settings(receiver, '0') })
  const campaign = await stageOf(stage, hook)
  const body = { campaign, to: '+14155550101', body: 'Hi' }
  const headers = { traceparent: `00-${TRACE}-${CLIENT_SPAN}-01` }
  const { id } = (await stage.post(SEND, body, { headers })).body
  const spans = await eventually(async () => {
    const groups = traced(receiver, TRACE)
    return groups.get('webhook')?.length === 2 && groups.has('carrier receipt') && groups
  })
  const [request] = spans.get(`POST ${SEND}`)!
  const [dispatch] = spans.get('dispatch')!
  const [submit] = spans.get('carrier submit')!
  const [receipt] = spans.get('carrier receipt')!
  const webhooks = spans.get('webhook')!
  assert.equal(request!.parentSpanId, CLIENT_SPAN)
  assert.equal(request!.attributes['http.response.status_code'], '200')
  assert.equal(dispatch!.parentSpanId, request!.spanId)
  assert.equal(submit!.parentSpanId, dispatch!.spanId)
  assert.equal(submit!.attributes['longcode.answer'], 'sent')
  assert.equal(receipt!.parentSpanId, request!.spanId)
  assert.equal(receipt!.attributes['longcode.status'], 'DELIVERED')
  for (const span of [dispatch, submit, receipt, ...webhooks]) {
    assert.equal(span!.attributes['longcode.message'], id)
    assert.ok(span!.endMs >= span!.startMs && span!.startMs >= request!.startMs)
  }
  // Each webhook request continues the trace with the span of that attempt.
  assert.deepEqual(
    hook.requests.map(({ traceparent }) => traceparent).sort(),
    webhooks.map(({ spanId }) => `00-${TRACE}-${spanId}-01`).sort(),
  )
  assert.equal(receiver.headers[0]!['api-key'], 'se cret')
  if (process.env.UPDATE_SNAPSHOTS === '1') {
    writeFileSync('docs/pictures/trace.svg', drawTrace([...spans.values()].flat()))
  }
  const hooks = (await stage.get('/v1/webhook/list')).body.webhooks
  const deliveries = (await stage.get(`/v1/webhook/${hooks[0].id}/deliveries`)).body.deliveries
  const path = `/v1/webhook/${hooks[0].id}/deliveries/${deliveries[0].id}`
  const shown = (await stage.get(path)).body.delivery
  assert.match(JSON.stringify(shown), new RegExp(`"traceparent","value":"00-${TRACE}-`))
})

test('a trace continues in other processes, and unsampled messages leave nothing', async (t) => {
  const [receiver, hook] = [await otlpReceiver(t), await startHook(t)]
  const env = settings(receiver, '1')
  const stage = await testService(t, { roles: [], env })
  const campaign = await stageOf(stage, hook)
  const body = { campaign, to: '+14155550101', body: 'Hi' }
  const headers = { traceparent: `00-${TRACE}-${CLIENT_SPAN}-00` }
  await stage.post(SEND, body, { headers }) // its client does not sample it
  const { id } = (await stage.post(SEND, body)).body
  const rows = () => stage.world.db.query<{ id: string }>(sql`select subject_id as id from traces`)
  await eventually(async () => (await rows()).length === 1)
  assert.deepEqual(await rows(), [{ id }])

  const worker = await startService(
    testConfig({ roles: ['dispatch', 'deliver'], env }),
    stage.databaseUrl,
    openLog('silent'),
  )
  t.after(() => worker.stop())
  const spans = await eventually(async () => {
    const own = receiver.spans.filter((span) => span.attributes['longcode.message'] === id)
    return own.filter(({ name }) => name === 'webhook').length === 2 && own
  })
  assert.deepEqual(new Set(spans.map(({ traceId }) => traceId)).size, 1)
  assert.deepEqual([...new Set(spans.map(nameOf))].sort(), [
    'carrier receipt',
    'carrier submit',
    'dispatch',
    'webhook',
  ])
  await eventually(async () => hook.requests.length === 4)
  const untraced = hook.requests.filter(({ traceparent }) => traceparent === undefined)
  assert.equal(untraced.length, 2)
  assert.equal(
    receiver.spans.some(({ traceId }) => traceId === TRACE),
    false,
  )
})

test('spans wait while the receiver is down', async (t) => {
  const receiver = await otlpReceiver(t)
  receiver.answerWith(503)
  const stage = await testService(t, { env: settings(receiver, '1') })
  await stage.get('/v1/account')
  await eventually(async () => receiver.headers.length > 0)
  assert.equal(receiver.spans.length, 0)
  receiver.answerWith(200)
  const [span] = await eventually(async () => receiver.spans.length > 0 && receiver.spans)
  assert.equal(span!.name, 'GET /v1/account')
  assert.equal(span!.attributes['longcode.account'], stage.accountId)
})

test('log lines of sampled requests have the trace ID', async (t) => {
  const receiver = await otlpReceiver(t)
  const { databaseUrl, token } = await testService(t)
  const lines: string[] = []
  const log = openLog('debug', { write: (line) => lines.push(line) })
  const config = testConfig({ env: settings(receiver, '0') })
  const service = await startService(config, databaseUrl, log)
  t.after(() => service.stop())
  const authorization = `Bearer ${token}`
  const traceparent = `00-${TRACE}-${CLIENT_SPAN}-01`
  await service.app.inject({ url: '/v1/account', headers: { authorization } })
  await service.app.inject({ url: '/v1/account', headers: { authorization, traceparent } })
  const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
  assert.deepEqual(
    requests.map(({ traceId }) => traceId),
    [undefined, TRACE],
  )
})

test('without an endpoint, nothing is traced', async (t) => {
  const stage = await testService(t)
  assert.equal(stage.world.tracing, undefined)
})

test('traces are deleted after a week', async (t) => {
  const stage = await testService(t)
  const { db, clock } = stage.world
  const other = await stage.otherAccount()
  const traceOf = (subjectId: string, days: number) => ({
    subjectId,
    traceparent: `00-${TRACE}-${CLIENT_SPAN}-01`,
    createdAt: new Date(clock.nowMs() - days * 86_400_000),
  })
  await insertTraces(db, stage.accountId, [traceOf('msg_old', 8), traceOf('msg_new', 6)])
  await insertTraces(db, other.accountId, [traceOf('msg_older', 9)])
  assert.equal(await tracePurgeLoop(stage.world).step(new AbortController().signal), 2)
  const left = await db.query<{ id: string }>(sql`select subject_id as id from traces`)
  assert.deepEqual(left, [{ id: 'msg_new' }])
})
