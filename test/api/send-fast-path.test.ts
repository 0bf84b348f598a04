// POST /v1/message/send has a fast path that bypasses the router. A trailing slash takes the regular route.
// Both must return the same reply for every request, in every header and field.

import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually, type Json } from '../harness.js'
import { hooksOf } from '../route-hooks.js'
import { type Sending, sendingService, VZW } from '../sending.js'

const FAST = '/v1/message/send'
const ROUTE = '/v1/message/send/'

interface Given {
  headers?: Record<string, string>
  body: string
}

/** Sends the body as raw text, whether it is JSON or not. */
async function callRaw({ service }: Sending, url: string, { headers, body }: Given) {
  const authorization = `Bearer ${service.token}`
  const type = 'application/json'
  const given = { authorization, 'content-type': type, ...headers }
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
  const response = await fetch(`${await addressOf(service)}${url}`, {
    method: 'POST',
    headers: present,
    body,
  })
  const text = await response.text()
  return { status: response.status, headers: Object.fromEntries(response.headers), text }
}

async function addressOf({ app }: Sending['service']): Promise<string> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as net.AddressInfo).port}`
}

/** Ids and times differ between requests. The framework closes the connection after a body it cannot read. */
function comparable({ status, headers, text }: Awaited<ReturnType<typeof callRaw>>) {
  const { date, 'x-request-id': requestId, connection: _, 'keep-alive': __, ...rest } = headers
  assert.match(requestId ?? '', /^req_[0-9a-z]+$/)
  assert.ok(date)
  return {
    status,
    headers: rest,
    text: text.replace(/msg_[0-9a-z]{26}/, 'msg_…').replace(requestId!, 'req_…'),
  }
}

async function assertSame(sending: Sending, given: Given): Promise<number> {
  const fast = comparable(await callRaw(sending, FAST, given))
  const route = comparable(await callRaw(sending, ROUTE, given))
  assert.deepEqual(fast, route, JSON.stringify(given).slice(0, 200))
  return fast.status
}

test('the fast path and the route return the same reply for every kind of request', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId } = sending
  const good = { campaign: campaignId, to: VZW, body: 'Hello' }
  const json = (more: Json) => JSON.stringify({ ...good, ...more })
  await service.call('PUT', `/v1/campaign/${campaignId}/optouts/14155550108`, { reason: 'Test' })
  const readOnly = await service.tokenWith(['read'])
  const cases: [number, Given][] = [
    [200, { body: json({}) }],
    [200, { body: json({ metadata: { a: 'ü"\\' }, body: '“Grüße” 👋' }) }],
    [200, { body: ` \n${json({ unknown: 1 })}\t` }],
    [200, { body: json({}), headers: { 'content-type': 'application/json; charset=utf-8' } }],
    [200, { body: json({}), headers: { 'content-type': 'application/vnd.api+json' } }],
    [200, { body: json({ sendAt: 1, phone_number: 2, zzz: { deep: [] } }) }],
    [200, { body: json({ from: null, mediaUrls: null, metadata: null, scheduledAt: null }) }],
    [200, { body: json({ a: 1 }), headers: { prefer: 'respond-async, handling=lenient' } }],
    [200, { body: json({}), headers: { prefer: 'wait=5, Handling=strict' } }],
    [400, { body: json({ a: 1, b: 2 }), headers: { prefer: 'handling=strict' } }],
    [400, { body: json({ a: 1, to: 'x' }), headers: { prefer: 'handling=strict' } }],
    [400, { body: json({ to: 'x' }), headers: { prefer: 'handling=strict' } }],
    [400, { body: '[]', headers: { prefer: 'handling=strict' } }],
    [400, { body: '{', headers: { prefer: 'handling=strict' } }],
    [400, { body: json({ sendAt: 1, to: 'x' }) }],
    [400, { body: json({ sendAt: 1 }), headers: { 'idempotency-key': 'x'.repeat(256) } }],
    [404, { body: json({ sendAt: 1, campaign: 'cmp_01km3v9w8m0000pqv3t5x7z9bd' }) }],
    [422, { body: json({ sendAt: 1, to: '+14155550108' }) }],
    [400, { body: json({ to: null }) }],
    [400, { body: json({ body: null }) }],
    [400, { body: json({ metadata: { a: null } }) }],
    [400, { body: json({ body: '' }) }],
    [400, { body: json({ to: 'x', from: 7, metadata: [] }) }],
    [400, { body: json({ body: 'a\\u0000b' }).replace('\\\\u', '\\u') }],
    [400, { body: json({ body: '\ud800' }) }],
    [400, { body: json({ body: 'a'.repeat(1501) }) }],
    [400, { body: '' }],
    [400, { body: '   ' }],
    [400, { body: 'null' }],
    [400, { body: '[]' }],
    [400, { body: '"text"' }],
    [400, { body: '{"body":' }],
    [400, { body: `{"__proto__":{},${json({}).slice(1)}` }],
    [400, { body: json({}), headers: { 'idempotency-key': 'x'.repeat(256) } }],
    [401, { body: json({}), headers: { authorization: '' } }],
    [401, { body: json({}), headers: { authorization: 'Bearer nobody' } }],
    [401, { body: '{', headers: { authorization: 'Basic abc' } }],
    [403, { body: json({}), headers: { authorization: `Bearer ${readOnly}` } }],
    [404, { body: json({ campaign: 'cmp_01km3v9w8m0000pqv3t5x7z9bd' }) }],
    [413, { body: json({ body: 'a'.repeat(1_100_000) }) }],
    [415, { body: json({}), headers: { 'content-type': 'text/plain' } }],
    [422, { body: json({ to: '+14155550108' }) }],
  ]
  for (const [status, given] of cases) {
    assert.equal(await assertSame(sending, given), status, JSON.stringify(given).slice(0, 200))
  }
})

// The hooks the framework runs for the route, and their counterparts in send-fast-path.ts. If you add a hook to
// every request, add its counterpart there, add a case to the test above, and list both here.
const MIRRORED: Record<string, string> = {
  'onRequest showRequestId': 'FastExchange: its head',
  'onRequest checkHost': 'isHostClear, or readPlainHead; the others are left to the route',
  'onRequest checkToken':
    'Authenticator.peek or answerBody: findCaller, FastExchange.admit; send checks campaigns',
  'preValidation fillEmptyBody': 'acceptBytes: an empty text is an empty object',
  'preValidation checkQuery': 'a path with a query is left to the route',
  'preValidation readUnknownFields': 'acceptBytes: readKnownFields, prefersStrict',
  'preHandler provideOnce': 'acceptBytes: idempotencyKey, of which send takes care',
  'preSerialization addWarnings': 'acceptBytes, FastExchange.refuse: warnings',
  'onResponse logRequest': 'FastExchange.send: logAnswer',
  'onResponse countAnswer': 'FastExchange.send: count',
  'onResponse announceEvents': 'none: accepted messages are announced, and have no events yet',
}

test('every hook of the route has a counterpart in the fast path', async (t) => {
  const { service } = await sendingService(t)
  assert.deepEqual(hooksOf(service, FAST).sort(), Object.keys(MIRRORED).sort())
})

test('the fast path remembers an Idempotency-Key like every route', async (t) => {
  const sending = await sendingService(t)
  const body = JSON.stringify({ campaign: sending.campaignId, to: VZW, body: 'Hello' })
  const given = { body, headers: { 'idempotency-key': 'order-1' } }
  const first = await callRaw(sending, FAST, given)
  const again = await callRaw(sending, FAST, given)
  assert.equal(again.text, first.text)
  assert.equal(first.headers['idempotent-replayed'], undefined)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  const other = await callRaw(sending, FAST, { ...given, body: body.replace('Hello', 'Bye') })
  assert.equal(other.status, 422)
})

test('both paths share one rate limit, and both report it', async (t) => {
  const env = { LONGCODE_RATE_LIMIT: '1', LONGCODE_RATE_BURST: '6' }
  const sending = await sendingService(t, { env })
  const token = await sending.service.tokenWith(['send'])
  const body = JSON.stringify({ campaign: sending.campaignId, to: VZW, body: 'Hello' })
  const given = { body, headers: { authorization: `Bearer ${token}` } }
  const now = performance.now() // fixed, because a slow machine would refill the bucket
  t.mock.method(performance, 'now', () => now)
  const seen: [number, string | undefined][] = []
  for (const url of [FAST, ROUTE, FAST, ROUTE, FAST, ROUTE, FAST, ROUTE]) {
    const { status, headers } = await callRaw(sending, url, given)
    seen.push([status, headers['ratelimit-remaining']])
    assert.equal(headers['retry-after'], status === 429 ? '1' : undefined)
  }
  assert.deepEqual(
    seen.slice(0, 6),
    [5, 4, 3, 2, 1, 0].map((left) => [200, String(left)]),
  )
  assert.deepEqual(
    seen.slice(6),
    [429, 429].map((status) => [status, '0']),
  )
})

test('behind a proxy, unknown tokens are limited by client, and tokens are looked up on the fast path', async (t) => {
  const env = { LONGCODE_TRUST_PROXY: 'loopback', LONGCODE_RATE_LIMIT: '1000' }
  const sending = await sendingService(t, { env })
  const now = performance.now()
  t.mock.method(performance, 'now', () => now)
  await addressOf(sending.service)
  let byNode = 0
  sending.service.app.server.on('request', () => (byNode += 1))
  const body = JSON.stringify({ campaign: sending.campaignId, to: VZW, body: 'Hello' })
  const sendFrom = async (client: string, headers = {}) =>
    (await callRaw(sending, FAST, { body, headers: { 'x-forwarded-for': client, ...headers } }))
      .status
  const guess = (client: string, i: number) =>
    sendFrom(client, { authorization: `Bearer lc_live_guess${i}` })
  const statuses = new Set<number>()
  for (let i = 0; i < 200; i++) statuses.add(await guess('203.0.113.1', i))
  assert.deepEqual([...statuses], [401])
  assert.equal(await guess('203.0.113.1', 200), 429)
  assert.equal(await guess('203.0.113.2', 201), 401, 'another client behind the same proxy')
  assert.equal(await sendFrom('203.0.113.2'), 200)
  assert.equal(byNode, 0)
})

test('a body in many chunks is read completely, and a client that disconnects affects nobody', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId } = sending
  const { port } = new URL(await addressOf(service))
  const body = JSON.stringify({ campaign: campaignId, to: VZW, body: 'Grüße in Stücken' })
  const request = Buffer.from(
    `POST ${FAST} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const count = async () => {
    const rows = await service.world.db.query(sql`
      select 1 from messages where body = 'Grüße in Stücken'`)
    return rows.length
  }
  const patient = net.connect(Number(port), '127.0.0.1')
  let heard = ''
  patient.on('data', (chunk) => {
    heard += chunk
  })
  for (let at = 0; at < request.length; at += 7) {
    patient.write(request.subarray(at, at + 7))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await eventually(async () => heard.includes('"success":true'), 'the answer')
  patient.destroy()
  assert.equal(await count(), 1)

  const hasty = net.connect(Number(port), '127.0.0.1', () => {
    hasty.write(request, () => hasty.destroy())
  })
  const broken = net.connect(Number(port), '127.0.0.1', () => {
    broken.write(request.subarray(0, request.length - 5), () => broken.destroy())
  })
  await eventually(async () => (await count()) === 2, 'the message of the disconnected client')
  assert.equal((await service.get('/v1/account')).status, 200)
  assert.equal(await count(), 2, 'half a body creates no message')
})

test('a stopping service finishes the requests that the fast path accepted', async (t) => {
  const sending = await sendingService(t)
  const body = JSON.stringify({ campaign: sending.campaignId, to: VZW, body: 'Hello' })
  await callRaw(sending, FAST, { body }) // the connection stays open
  const replies = Array.from({ length: 20 }, () => callRaw(sending, FAST, { body }))
  await sending.service.app.close()
  const statuses = (await Promise.allSettled(replies)).map((settled) =>
    settled.status === 'fulfilled' ? settled.value.status : 'refused',
  )
  const sent = statuses.filter((status) => status === 200).length
  assert.ok(
    statuses.every((status) => status === 200 || status === 503 || status === 'refused'),
    String(statuses),
  )
  const rows = await sending.service.world.db.query(sql`select 1 from messages`)
  assert.equal(rows.length, sent + 1, 'as many messages as successful replies')
})
