// The client of sdk/typescript with a server that misbehaves: what it repeats, with which key, how long it waits, and
// what it throws in the end.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  Longcode,
  LongcodeError,
  type LongcodeOptions,
  type RequestOptions,
} from '../../sdk/typescript/src/index.js'
import { cut, halfABody, hang, misbehavingServer, type Play, reply } from './misbehaving-server.js'

const SENT = reply(200, { success: true, id: 'msg_1' })
const BODY = { campaign: 'cmp_1', to: '+14155550123', body: 'Hello' }

async function stage(t: TestContext, plays: Play[], options: Partial<LongcodeOptions> = {}) {
  const { baseUrl, seen } = await misbehavingServer(t, ...plays)
  const waits: number[] = []
  const wait = async (ms: number) => {
    waits.push(ms)
  }
  const longcode = new Longcode({ token: 'lc_test', baseUrl: `${baseUrl}/`, wait, ...options })
  return { longcode, seen, waits }
}

async function failure(work: Promise<unknown>): Promise<LongcodeError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof LongcodeError, String(error))
  return error
}

test('a send survives cut connections, half a body, 429, 503, and a proxy page, with one key', async (t) => {
  const plays = [
    cut,
    halfABody,
    reply(429, { error: 'Slow down', code: 'rate_limited' }, { 'retry-after': '2' }),
    reply(502, '<h1>Bad gateway</h1>'),
    SENT,
  ]
  const { longcode, seen, waits } = await stage(t, plays)
  const sent = await longcode.messages.send(BODY)
  assert.equal(sent.id, 'msg_1')
  assert.equal(seen.length, 5)
  const keys = new Set(seen.map(({ headers }) => headers['idempotency-key']))
  assert.equal(keys.size, 1, 'all attempts have the same key')
  assert.match(String([...keys][0]), /^[0-9a-f-]{36}$/)
  assert.equal(new Set(seen.map(({ body }) => body)).size, 1, 'all attempts have the same body')
  assert.equal(waits[2], 2_000, 'Retry-After decides')
  const others = waits.filter((_, i) => i !== 2)
  assert.ok(others.every((ms, i) => ms >= 250 * 2 ** i && ms <= 8_000))
})

test('every operation has its own key, and the caller may choose one', async (t) => {
  const { longcode, seen } = await stage(t, [SENT])
  await longcode.messages.send(BODY)
  await longcode.messages.send(BODY)
  await longcode.messages.send(BODY, { idempotencyKey: 'order-1042' })
  const keys = seen.map(({ headers }) => headers['idempotency-key'])
  assert.equal(new Set(keys).size, 3)
  assert.equal(keys[2], 'order-1042')
})

test('requests are strict, have the token, and name the client', async (t) => {
  const { longcode, seen } = await stage(t, [reply(200, { account: {} })])
  await longcode.account.get()
  await longcode.account.get({ strict: false })
  const [first, second] = seen
  assert.equal(first!.headers.prefer, 'handling=strict')
  assert.equal(first!.headers.authorization, 'Bearer lc_test')
  assert.match(String(first!.headers['user-agent']), /^longcode-client\/\d/)
  assert.equal(first!.headers['idempotency-key'], undefined, 'a read needs no key')
  assert.equal(first!.url, '/v1/account')
  assert.equal(second!.headers.prefer, undefined)
})

test('a refusal is not repeated and has the fields of the API', async (t) => {
  const refusal = {
    success: false,
    error: 'Message body required',
    code: 'field_invalid',
    details: [{ field: 'body', problem: 'Message body required' }],
    requestId: 'req_1',
    help: 'https://sms.example.com/docs/errors#field_invalid',
  }
  const { longcode, seen } = await stage(t, [reply(400, refusal)])
  const error = await failure(longcode.messages.send(BODY, { idempotencyKey: 'key-1' }))
  assert.equal(seen.length, 1)
  assert.equal(error.name, 'LongcodeError')
  assert.equal(error.message, 'Message body required')
  assert.deepEqual(
    [error.code, error.status, error.requestId, error.help, error.idempotencyKey],
    ['field_invalid', 400, 'req_1', refusal.help, 'key-1'],
  )
  assert.deepEqual(error.details, refusal.details)
})

test('what waiting cannot fix, and waits over a minute, are left to the caller', async (t) => {
  const absent = await stage(t, [reply(503, { error: 'No carrier', code: 'carrier_absent' })])
  assert.equal((await failure(absent.longcode.messages.send(BODY))).code, 'carrier_absent')
  assert.equal(absent.seen.length, 1)
  const later = reply(429, { error: 'Later', code: 'rate_limited' }, { 'retry-after': '3600' })
  const long = await stage(t, [later])
  assert.equal((await failure(long.longcode.messages.send(BODY))).retryAfterSeconds, 3_600)
  assert.equal(long.seen.length, 1)
  const state = await stage(t, [reply(409, { error: 'No', code: 'campaign_ended' })])
  assert.equal((await failure(state.longcode.messages.send(BODY))).status, 409)
  assert.equal(state.seen.length, 1)
})

test('a request with the same key in progress is repeated, and so is one after a date', async (t) => {
  const past = new Date(0).toUTCString()
  const { longcode, seen, waits } = await stage(t, [
    reply(409, { error: 'In progress', code: 'idempotency_in_flight' }),
    reply(503, { error: 'Busy', code: 'database_busy' }, { 'retry-after': past }),
    SENT,
  ])
  await longcode.messages.send(BODY)
  assert.equal(seen.length, 3)
  assert.equal(waits[1], 0)
})

test('after the last retry, the error has the key to continue with', async (t) => {
  const { longcode, seen } = await stage(t, [cut], { retries: 2 })
  const error = await failure(longcode.messages.send(BODY))
  assert.equal(seen.length, 3)
  assert.equal(error.code, 'connection_failed')
  assert.equal(error.status, null)
  assert.equal(error.idempotencyKey, seen[0]!.headers['idempotency-key'])
  const unreadable = await stage(t, [reply(200, 'not JSON')], { retries: 0 })
  const page = await failure(unreadable.longcode.account.get())
  assert.deepEqual([page.code, page.status], ['response_unreadable', 200])
})

test('a redirect is an error: the token goes nowhere else', async (t) => {
  const elsewhere = reply(307, '', { location: '/elsewhere' })
  const { longcode, seen } = await stage(t, [elsewhere])
  assert.equal((await failure(longcode.messages.send(BODY))).code, 'http_307')
  assert.equal(seen.length, 1)
})

test('an attempt without an answer times out and is repeated', async (t) => {
  const { longcode, seen } = await stage(t, [hang, SENT])
  // On a slow machine, attempts after the first may time out, too.
  const sent = await longcode.messages.send(BODY, { timeoutMs: 500, retries: 100 })
  assert.equal(sent.id, 'msg_1')
  assert.ok(seen.length >= 2)
  const { longcode: impatient } = await stage(t, [hang], { timeoutMs: 1, retries: 0 })
  assert.equal((await failure(impatient.messages.send(BODY))).code, 'timed_out')
})

test('a signal ends a request, a wait, and a request that has not begun', async (t) => {
  const controller = new AbortController()
  const abort: Play = () => controller.abort(new Error('enough'))
  const during = await stage(t, [abort])
  const options: RequestOptions = { signal: controller.signal }
  const error = await failure(during.longcode.messages.send(BODY, options))
  assert.equal(error.code, 'aborted')
  assert.equal((await failure(during.longcode.messages.send(BODY, options))).code, 'aborted')
  assert.equal(during.seen.length, 1)

  const second = new AbortController()
  const busy: Play = (response) => {
    reply(503, { code: 'not_ready', error: 'Starting' }, { 'retry-after': '60' })(response)
    setImmediate(() => second.abort())
  }
  const waiting = await stage(t, [busy], { wait: undefined })
  const stopped = await failure(waiting.longcode.messages.send(BODY, { signal: second.signal }))
  assert.equal(stopped.code, 'aborted')
  assert.equal(waiting.seen.length, 1)
})

test('a list reads page after page, also past an empty one', async (t) => {
  const page = (ids: string[], hasMore: boolean, next?: string) =>
    reply(200, { messages: ids.map((id) => ({ id })), hasMore, ...(next && { next }) })
  const { longcode, seen } = await stage(t, [
    page(['a', 'b'], true),
    cut,
    page([], true, 'c'),
    page(['d'], false),
  ])
  const ids: string[] = []
  for await (const { id } of longcode.messages.list({ campaign: 'cmp_1', skip: 1 })) ids.push(id)
  assert.deepEqual(ids, ['a', 'b', 'd'])
  assert.deepEqual(
    seen.map(({ url }) => url),
    [
      '/v1/message/list?limit=100&campaign=cmp_1&skip=1',
      '/v1/message/list?limit=100&campaign=cmp_1&after=b',
      '/v1/message/list?limit=100&campaign=cmp_1&after=b',
      '/v1/message/list?limit=100&campaign=cmp_1&after=c',
    ],
  )
})

/** Part of a stream, and then the connection is gone. */
const streamed =
  (...texts: string[]): Play =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const text of texts) response.write(text)
    setImmediate(() => response.destroy())
  }

test('a stream continues after its last event when the connection is lost', async (t) => {
  const controller = new AbortController()
  const { longcode, seen, waits } = await stage(t, [
    streamed(
      'event: heartbeat\ndata: {}\n\nid: evt_1\nevent: message.status\nda',
      'ta: {"id":"evt_1"}\n\n',
    ),
    cut,
    reply(503, { error: 'Busy', code: 'database_busy' }, { 'retry-after': '3' }),
    streamed('event: resumed\r\ndata: {"isComplete":true}\r\n\r\n', 'data: {"id":"evt_2"}\n\n'),
    hang,
  ])
  const got: unknown[] = []
  const reading = (async () => {
    const { signal } = controller
    for await (const event of longcode.events.stream({ lastEventId: 'evt_0' }, { signal })) {
      got.push(event)
      if (got.length === 3) setImmediate(() => controller.abort())
    }
  })()
  assert.equal((await failure(reading)).code, 'aborted')
  assert.deepEqual(got, [
    { id: 'evt_1' },
    { eventType: 'resumed', isComplete: true },
    { id: 'evt_2' },
  ])
  const lasts = seen.map(({ headers }) => headers['last-event-id'])
  assert.deepEqual(lasts.slice(0, 4), ['evt_0', 'evt_1', 'evt_1', 'evt_1'])
  assert.equal(waits[2], 3_000, 'Retry-After decides')
})

test('wrong options are reported at once, and an empty ID never becomes another route', async () => {
  assert.throws(() => new Longcode({ token: '', baseUrl: 'http://sms.test' }), /token is required/)
  assert.throws(() => new Longcode({ token: 'x', baseUrl: 'sms.test' }), /baseUrl must be/)
  const longcode = new Longcode({ token: 'x', baseUrl: 'http://sms.test' })
  await assert.rejects(longcode.brands.get(''), /id is required/)
})
