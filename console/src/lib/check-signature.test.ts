// The console's signature checker, tested against the public library that receivers use.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { checkSignature, readHeaders, type SignatureResult } from './check-signature'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const ID = 'evt_01km3v9w8m0000pqv3t5x7z9bd'
const NOW = new Date('2026-11-15T12:00:00Z')
const BODY = '{"eventType":"message.incoming","data":{"body":"Grüße 🎉"}}'

const seconds = (at: Date) => String(Math.floor(at.getTime() / 1000))

function signed(body: string, at = NOW, secret = SECRET): string {
  const signature = new Webhook(secret).sign(ID, at, body)
  return [
    `webhook-id: ${ID}`,
    `webhook-timestamp: ${seconds(at)}`,
    `webhook-signature: ${signature}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ].join('\n')
}

function check(headers: string, body = BODY, secret = SECRET, now = NOW): Promise<SignatureResult> {
  return checkSignature({ secret, headers: readHeaders(headers), body, now })
}

test('a signature of the public library is valid, and its age is reported', async () => {
  assert.deepEqual(await check(signed(BODY)), { kind: 'valid', ageS: 0 })
  const later = new Date(NOW.getTime() + 12_000)
  assert.deepEqual(await check(signed(BODY), BODY, SECRET, later), { kind: 'valid', ageS: 12 })
  assert.deepEqual(await check(signed(BODY), BODY, SECRET.replace('whsec_', '')), {
    kind: 'valid',
    ageS: 0,
  })
})

test('an old or future timestamp is reported differently from a wrong signature', async () => {
  const ago = (s: number) => new Date(NOW.getTime() - s * 1000)
  assert.deepEqual(await check(signed(BODY, ago(540))), { kind: 'old', ageS: 540 })
  assert.deepEqual(await check(signed(BODY, ago(-540))), { kind: 'ahead', byS: 540 })
  assert.equal((await check(signed(BODY, ago(300)))).kind, 'valid')
})

test('a changed body is detected by its size, or by undoing common changes', async () => {
  const was = Buffer.byteLength(BODY)
  const changed = (is: number, cause: string | null) => ({ kind: 'body_changed', was, is, cause })
  assert.deepEqual(await check(signed(BODY), `${BODY}\n`), changed(was + 1, 'line_end_added'))
  const pretty = JSON.stringify(JSON.parse(BODY), null, 2)
  const isPretty = changed(Buffer.byteLength(pretty), 'reformatted')
  assert.deepEqual(await check(signed(BODY), pretty), isPretty)
  assert.deepEqual(await check(signed('a\nb'), 'a\r\nb'), {
    kind: 'body_changed',
    was: 3,
    is: 4,
    cause: 'line_ends_changed',
  })
  const longer = BODY.replace('🎉', '🎉!')
  assert.deepEqual(await check(signed(BODY), longer), changed(was + 1, null))
  const unsized = signed(BODY).replace(/content-length.*/, '')
  assert.deepEqual(await check(unsized, longer), { kind: 'other_secret', isSizeKnown: false })
})

test('a different secret is reported, and after a rotation either secret matches', async () => {
  const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
  const result = { kind: 'other_secret', isSizeKnown: true }
  assert.deepEqual(await check(signed(BODY), BODY, other), result)
  const both = signed(BODY).replace(
    /^webhook-signature: .*/m,
    (line) => `${line} ${new Webhook(other).sign(ID, NOW, BODY)}`,
  )
  assert.equal((await check(both, BODY, other)).kind, 'valid')
  assert.equal((await check(both)).kind, 'valid')
})

test('a missing header or malformed secret is named', async () => {
  assert.deepEqual(await check(''), { kind: 'missing', header: 'webhook-id' })
  const without = (name: string) => signed(BODY).replace(new RegExp(`^${name}.*\n`, 'm'), '')
  for (const header of ['webhook-timestamp', 'webhook-signature']) {
    assert.deepEqual(await check(without(header)), { kind: 'missing', header })
  }
  for (const secret of ['', 'whsec_', 'whsec_ä', '!!']) {
    assert.deepEqual(await check(signed(BODY), BODY, secret), { kind: 'bad_secret' }, secret)
  }
  const undated = signed(BODY).replace(/webhook-timestamp: .*/, 'webhook-timestamp: noon')
  assert.deepEqual(await check(undated), { kind: 'bad_timestamp' })
  const odd = signed(BODY).replace(/v1,/, 'v1,ä,')
  assert.equal((await check(odd)).kind, 'other_secret')
})

test('headers are parsed from curl, JSON, and logs', () => {
  const expected = { id: 'evt_1', timestamp: '17', signature: 'v1,a+/= v1,b=', bytes: 5 }
  const pairs = {
    'webhook-id': 'evt_1',
    'Webhook-Timestamp': '17',
    'webhook-signature': 'v1,a+/= v1,b=',
    'content-length': '5',
  }
  const lines = Object.entries(pairs)
  for (const text of [
    lines.map(([name, value]) => `${name}: ${value}`).join('\r\n'),
    lines.map(([name, value]) => `  -H '${name}: ${value}' \\`).join('\n'),
    JSON.stringify(pairs, null, 2),
  ]) {
    assert.deepEqual(readHeaders(text), expected, text)
  }
})
