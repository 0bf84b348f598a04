// What a response means, and what is stored of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type HttpAnswer,
  type HttpClient,
  HttpFailure,
  type HttpRequest,
} from '../../kit/http-client/http-client.js'
import type { Log } from '../../kit/log.js'
import { eventHeaders, unpackHead } from '../sent-request.js'
import type { Webhook } from '../webhook.js'
import { attemptDelivery, evaluateResponse } from './attempt-delivery.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')

function answerOf(fields: Partial<HttpAnswer>): HttpAnswer {
  return {
    status: 200,
    headers: {},
    body: Buffer.alloc(0),
    truncated: false,
    durationMs: 7,
    ...fields,
  }
}

test('2xx is success, 410 is gone, anything else is a failure', () => {
  const kindOf = (status: number) => evaluateResponse(answerOf({ status }), NOW, null).kind
  for (const status of [200, 201, 204, 299]) assert.equal(kindOf(status), 'success', `${status}`)
  assert.equal(kindOf(410), 'gone')
  for (const status of [199, 300, 302, 399, 400, 404, 409, 411, 429, 500, 599]) {
    assert.equal(kindOf(status), 'failure', `${status}`)
  }
})

test('only a response that leads elsewhere is refused as a redirect', () => {
  const errorOf = (status: number, headers: Record<string, string>) =>
    evaluateResponse(answerOf({ status, headers }), NOW, null).error
  const location = 'https://example.com/'
  for (const status of [300, 301, 308, 399]) {
    const text = 'Redirects are not followed. Point the webhook at the final URL.'
    assert.equal(errorOf(status, { location }), text)
    assert.equal(errorOf(status, {}), null)
  }
  for (const status of [201, 299, 400]) assert.equal(errorOf(status, { location }), null)
})

test('status, duration, wait, and the first KiB are stored, without unstorable characters', () => {
  const headers = { 'retry-after': '40' }
  const body = Buffer.from(`\0a\0${'x'.repeat(2_000)}`)
  assert.deepEqual(evaluateResponse(answerOf({ status: 503, headers, body }), NOW, null), {
    kind: 'failure',
    at: NOW,
    requestHead: null,
    responseStatus: 503,
    durationMs: 7,
    responseBody: `\ufffda\ufffd${'x'.repeat(1_021)}`,
    error: null,
    retryAfterMs: 40_000,
  })
  assert.equal(
    evaluateResponse(answerOf({ body: Buffer.alloc(1_024, 'y') }), NOW, null).responseBody?.length,
    1_024,
  )
  assert.equal(evaluateResponse(answerOf({}), NOW, null).retryAfterMs, null)
})

const WEBHOOK = {
  id: 'whk_1',
  url: 'https://example.com/hook',
  signature: 'sig',
  secret: 'whsec_AAAA',
  formerSecret: null,
  formerSecretUntil: null,
} as unknown as Webhook

function attempt(request: HttpClient['request'], signal = new AbortController().signal) {
  const logged: object[] = []
  const log = { error: (fields: object) => logged.push(fields) } as unknown as Log
  const http = { request, close: async () => {} }
  const body = Buffer.from('{}')
  const time = { now: NOW, offsetMs: 0 }
  const result = attemptDelivery(http, log, {
    webhook: WEBHOOK,
    eventId: 'evt_1',
    body,
    time,
    signal,
  })
  return { result, logged }
}

test('the event is posted to the webhook’s URL, signed for it', async () => {
  const requests: HttpRequest[] = []
  const { result, logged } = attempt(async (request) => {
    requests.push(request)
    return answerOf({ status: 204 })
  })
  const { kind, requestHead } = await result
  assert.equal(kind, 'success')
  const [{ method, url, headers, body }] = requests as [HttpRequest]
  assert.deepEqual([method, url, String(body)], ['POST', 'https://example.com/hook', '{}'])
  assert.equal(headers?.['webhook-id'], 'evt_1')
  assert.equal(headers?.['x-webhook-signature'], 'sig')
  assert.deepEqual(
    eventHeaders(unpackHead(requestHead!), 'evt_1', 'sig'),
    headers,
    'stored as sent',
  )
  assert.deepEqual(logged, [])
})

test('no response is a failure with its reason, and an internal error is logged without details', async () => {
  const nothing = { at: NOW, responseStatus: null, responseBody: null, retryAfterMs: null }
  const closed = attempt(async () => {
    throw new HttpFailure('closed', 'It hung up.')
  })
  const { durationMs, requestHead, ...rest } = await closed.result
  assert.deepEqual(rest, { kind: 'failure', error: 'It hung up.', ...nothing })
  assert.ok(Number.isInteger(durationMs) && durationMs >= 0 && durationMs < 60_000, `${durationMs}`)
  assert.equal(unpackHead(requestHead!).url, WEBHOOK.url, 'what was tried is kept')
  assert.deepEqual(closed.logged, [])

  const fault = new Error('secret inside')
  const broken = attempt(async () => {
    throw fault
  })
  assert.equal((await broken.result).error, 'The request could not be sent.')
  assert.deepEqual(broken.logged, [{ err: fault, webhook: 'whk_1' }])
})

test('an abort by a stop is passed on, and a failure at the same time stays a failure', async () => {
  const stopping = new AbortController()
  const reason = new Error('stopping')
  stopping.abort(reason)
  await assert.rejects(
    attempt(async () => {
      throw reason
    }, stopping.signal).result,
    reason,
  )
  const failed = attempt(async () => {
    throw new HttpFailure('closed', 'It hung up.')
  }, stopping.signal)
  assert.equal((await failed.result).kind, 'failure')
  const early = attempt(async () => {
    throw undefined
  })
  assert.equal((await early.result).kind, 'failure', 'nothing was stopped')
})
