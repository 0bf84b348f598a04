// Every error becomes one refusal: ours unchanged, the framework's with our texts, and faults without
// details.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../kit/contract/refusal.js'
import type { Log } from '../kit/log.js'
import { DatabaseFailure } from '../kit/postgres/db-failure.js'
import { asRefusal, failureBody, failureHeaders } from './failure-replies.js'
import { escapeHtml } from './reference/html.js'

function judge(error: unknown) {
  const logged: [string, object, string][] = []
  const at = (level: string) => (fields: object, text: string) => logged.push([level, fields, text])
  const log = { warn: at('warn'), error: at('error') } as unknown as Log
  const { code, message, status } = asRefusal(error, 'req_1', log)
  return { code, message, status, logged }
}

test('a refusal stays unchanged and is not logged', () => {
  const { code, message, logged } = judge(new Refusal('webhook_off', 'Off.'))
  assert.deepEqual([code, message, logged], ['webhook_off', 'Off.', []])
})

test('a framework refusal gets our text', () => {
  for (const [framework, code, status] of [
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'not_json', 415],
    ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'json_broken', 400],
    ['FST_ERR_CTP_INVALID_JSON_BODY', 'json_broken', 400],
    ['FST_ERR_CTP_EMPTY_JSON_BODY', 'body_invalid', 400],
    ['FST_ERR_BAD_URL', 'path_malformed', 400],
  ] as const) {
    const judged = judge(Object.assign(new Error('x'), { code: framework, statusCode: 500 }))
    assert.deepEqual([judged.code, judged.status, judged.logged], [code, status, []], framework)
  }
  for (const statusCode of [400, 414, 499]) {
    const { code, message, logged } = judge({ statusCode, message: 'No.' })
    assert.deepEqual([code, message], ['body_invalid', 'The request could not be read: No.'])
    assert.deepEqual(logged, [])
  }
  assert.equal(judge({ statusCode: 400 }).message, 'The request could not be read: ')
})

test('a fault is logged with its request ID and shows no details to the client', () => {
  for (const error of [new Error('the secret'), { statusCode: 500 }, { statusCode: 399 }]) {
    const { code, message, status, logged } = judge(error)
    assert.deepEqual([code, message, status], ['server_failure', 'Internal server error', 500])
    assert.deepEqual(logged, [['error', { err: error, requestId: 'req_1' }, 'request failed']])
  }
})

test('a database problem gets 503 with Retry-After and one warning in the log', () => {
  const failure = new DatabaseFailure('database_busy', 'no connection is free')
  const { code, status, logged } = judge(failure)
  assert.deepEqual([code, status], ['database_busy', 503])
  const text = 'a request failed because of the database'
  assert.deepEqual(logged, [['warn', { err: failure, requestId: 'req_1' }, text]])
  assert.deepEqual(failureHeaders(new Refusal('database_busy')), { 'retry-after': '1' })
})

test('only a missing token gets the WWW-Authenticate header', () => {
  assert.deepEqual(failureHeaders(new Refusal('token_unknown')), { 'www-authenticate': 'Bearer' })
  assert.deepEqual(failureHeaders(new Refusal('scope_absent')), {})
})

test('a failure has its endpoint’s fields, one sentence, a code, a request ID, and a help link', () => {
  const failure = { message: null }
  const plain = new Refusal('message_missing')
  const shared = {
    message: null,
    requestId: 'req_1',
    help: 'https://sms.test/docs/errors#message_missing',
  }
  assert.deepEqual(failureBody(plain, failure, 'req_1', 'https://sms.test'), {
    ...shared,
    error: 'Message not found',
    code: 'message_missing',
  })
  const details = [{ field: 'a', problem: 'is wrong' }]
  const detailed = new Refusal('message_missing', 'x', details)
  assert.deepEqual(failureBody(detailed, failure, 'req_1', 'https://sms.test'), {
    ...shared,
    error: 'x',
    code: 'message_missing',
    details,
  })
})

test('text inside a page is escaped', () => {
  assert.equal(
    escapeHtml('<a href="x">&amp;</a>'),
    '&lt;a href=&quot;x&quot;&gt;&amp;amp;&lt;/a&gt;',
  )
})
