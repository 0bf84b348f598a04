// What codes and refusals mean, in the words of the timeline, and how long a provider wants us to wait.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineCodes, type Refused, readRefusal, retryAfterMs } from './provider-codes.js'

const NOW = new Date('2026-11-17T12:00:00Z')
const CODES = defineCodes({ 1350: ['10'], throttled: ['20'], sender: ['30'], fault: ['40'] })
const SURE = defineCodes({ 1350: ['10'] }, { isRefusedNeverSent: true })

const refused = (more: Partial<Refused>): Refused => ({
  ...{ status: 400, headers: {}, now: NOW, code: null, text: 'No', isOwn: true, ...more },
})

test('a code has its meaning, and in a receipt it is a failure', () => {
  assert.deepEqual(['10', '20', '30', '40', '50'].map(CODES.meaningOf), [
    ...[1350, 'throttled', 'sender', 'fault', null],
  ])
  assert.deepEqual(['10', '20', '30', '40', '50'].map(CODES.failureOf), [
    ...[1350, 1375, 1345, 1375, 1499],
  ])
  assert.deepEqual([CODES.isRefusedNeverSent, SURE.isRefusedNeverSent], [false, true])
})

test('a failed message has the code and text of the provider, or its substitute', () => {
  const failure = (more: Partial<Refused>) => {
    const result = readRefusal(CODES, refused(more))
    return result.kind === 'failed' ? [result.errorCode, result.carrierCode, result.isUnmapped] : []
  }
  assert.deepEqual(failure({ code: '10' }), [1350, '10 No', false])
  assert.deepEqual(failure({ code: '10', text: null }), [1350, '10', false])
  assert.deepEqual(failure({ code: '50', instead: 'odd' }), [1499, '50 No', true])
  assert.deepEqual(failure({ instead: 'odd' }), [1499, 'odd No', true])
  assert.deepEqual(failure({ status: 404 }), [1499, 'HTTP 404 No', true])
  assert.deepEqual(failure({ code: '10', isOwn: false }), [1499, 'HTTP 400', true])
})

test('a problem of the operator, and an unknown outcome, are described', () => {
  const fault = (detail: string) => ({ kind: 'fault', detail })
  assert.deepEqual(readRefusal(CODES, refused({ code: '40' })), fault('40 No'))
  for (const status of [401, 407]) {
    assert.deepEqual(readRefusal(CODES, refused({ status, code: '50' })), fault('50 No'))
    assert.deepEqual(readRefusal(CODES, refused({ status, isOwn: false })), fault(`HTTP ${status}`))
  }
  const forbidden = (more: Partial<Refused>) =>
    readRefusal(CODES, refused({ status: 403, ...more }))
  assert.deepEqual(forbidden({}), fault('HTTP 403 No'))
  assert.deepEqual(forbidden({ code: '50', isOwn: false }), fault('HTTP 403'))
  assert.equal(forbidden({ code: '50' }).kind, 'failed', 'it may be about this message')
  assert.deepEqual(readRefusal(CODES, refused({ status: 500, code: '50' })), {
    ...{ kind: 'unknown', detail: 'HTTP 500 (50 No)' },
  })
  assert.deepEqual(readRefusal(CODES, refused({ status: 302, isOwn: false })), {
    ...{ kind: 'unknown', detail: 'HTTP 302 from a gateway, not from the provider itself' },
  })
})

test('Retry-After of a 429 or 503 holds for all messages, and the end of a rate limit for one', () => {
  const headers = { 'retry-after': '7' }
  const all = { kind: 'throttled', retryAfterMs: 7_000, isForAll: true }
  const wait = (more: Partial<Refused>) => readRefusal(CODES, refused({ headers, ...more }))
  assert.deepEqual(wait({ status: 429, resetMs: 3_000 }), all)
  assert.deepEqual(wait({ status: 503 }), all)
  assert.deepEqual(wait({ code: '20' }), { kind: 'throttled' })
  assert.deepEqual(wait({ code: '20', resetMs: 3_000 }), { kind: 'throttled', retryAfterMs: 3_000 })
  assert.deepEqual(wait({ status: 429, headers: {}, resetMs: 0 }), {
    ...{ kind: 'throttled', retryAfterMs: 0 },
  })
  const zero = wait({ status: 429, headers: { 'retry-after': '0' } })
  assert.deepEqual(zero, { kind: 'throttled', retryAfterMs: 0, isForAll: true })
})

test('a provider that guarantees it has sent nothing throttles with a 5xx, also at the gateway timeout', () => {
  for (const status of [408, 500, 502, 503]) {
    assert.equal(readRefusal(SURE, refused({ status, code: '50' })).kind, 'throttled')
    const kind = status === 503 ? 'throttled' : 'unknown'
    assert.equal(readRefusal(CODES, refused({ status, code: '50' })).kind, kind)
  }
  assert.equal(readRefusal(SURE, refused({ status: 499, code: '50' })).kind, 'failed')
  assert.equal(readRefusal(CODES, refused({ status: 500, code: '30' })).kind, 'sender')
  assert.equal(readRefusal(CODES, refused({ status: 500, code: '10' })).kind, 'unknown')
})

test('Retry-After is read in seconds, or as any form of an HTTP date, and at most an hour counts', () => {
  const waits: Record<string, number | undefined> = {
    ...{ '0': 0, '7': 7_000, ' 7 ': 7_000, '3600': 3_600_000, '3601': 3_600_000 },
    '999999999': 3_600_000,
    '9999999999': undefined,
    ...{ '': undefined, soon: undefined, '-1': undefined, '1.5': undefined },
    'Tue, 17 Nov 2026 12:00:30 GMT': 30_000,
    'Tuesday, 17-Nov-26 12:00:30 GMT': 30_000,
    'Tue Nov 17 12:00:30 2026 GMT': 30_000,
    'Tue, 17 Nov 2026 14:00:00 GMT': 3_600_000,
    'Tue, 17 Nov 2026 11:00:00 GMT': 0,
    '2026-11-17T12:00:30Z': undefined,
    'Tue, never': undefined,
  }
  for (const [value, expected] of Object.entries(waits)) {
    assert.equal(retryAfterMs({ 'retry-after': value }, NOW), expected, value)
  }
  const headers = { 'retry-after': 'Tue, 17 Nov 2026 15:00:10 GMT', date: 'nonsense' }
  assert.equal(retryAfterMs(headers, NOW), 3_600_000, 'our own clock')
})
