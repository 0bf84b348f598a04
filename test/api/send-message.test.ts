// POST /v1/message/send: accepted messages, their price, and the order in which problems are reported.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testService } from '../harness.js'
import { assertDollars, SMS_PRICE, sendingService, told, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL = '/v1/message/send'

test('a sent message is returned as requested', async (t) => {
  const { service, trySend, message, campaignId, number } = await sendingService(t)
  const metadata = { order: '1042', note: 'a "quoted" \\ {text}, with ümlaut' }
  const reply = await trySend({ metadata, body: 'Your table is ready.' })
  assert.equal(reply.status, 200)
  const { id } = reply.body
  assert.deepEqual(reply.body, { success: true, id })
  assert.match(id, /^msg_/)
  const sent = await message(id)
  const { createdAt, updatedAt, ...rest } = sent
  assert.deepEqual(rest, {
    id,
    type: 'SMS',
    sentAt: null,
    scheduledAt: null,
    direction: 'OUTBOUND',
    from: number,
    to: VZW,
    body: 'Your table is ready.',
    mediaUrls: [],
    metadata,
    numSegments: 1,
    errorCode: null,
    errorMessage: null,
    campaignId,
    status: 'QUEUED',
    automatic: null,
    validitySeconds: 14_400,
    price: SMS_PRICE,
  })
  assert.equal(updatedAt, createdAt)
  assert.ok(Math.abs(Date.parse(createdAt) - service.world.clock.now().getTime()) < 600_000)
})

test('requests without a token, scope, or valid JSON get an error in the shape of a send', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'POST',
    url: URL,
    failure: { success: false },
    scope: 'send',
    takesBody: true,
  })
})

test('a request without a body reports the missing message body first', async (t) => {
  const service = await testService(t)
  for (const body of [undefined, {}]) {
    assert.deepEqual(told(await service.post(URL, body)), [400, 'Message body required'])
  }
})

test('of several problems, the first in the order of checks is reported', async (t) => {
  const { service, campaignId } = await sendingService(t, { balance: '1.5' })
  const wrong = {
    body: ' ',
    to: '4155550107',
    from: '(415) 200-0001',
    mediaUrls: ['ftp://acme.example/a.png'],
    metadata: { order: 1042 },
    scheduledAt: 'tomorrow',
    campaign: 'cmp_none',
  }
  const e164 = 'must be a phone number in E.164 format, for example +14155550123'
  const steps = [
    [{}, 400, 'Message body required'],
    [{ body: 'x'.repeat(1501) }, 400, 'body must be at most 1500 characters'],
    [{ body: 'Hello' }, 400, `to ${e164}`],
    [{ to: VZW }, 400, `from ${e164}`],
    [{ from: undefined }, 400, 'mediaUrls[0] must start with http:// or https://'],
    [{ mediaUrls: [] }, 400, 'metadata.order must be a string'],
    [{ metadata: {} }, 400, 'scheduledAt must be an ISO 8601 time such as 2026-12-24T18:00:00Z'],
    [{ scheduledAt: undefined }, 404, 'Campaign not found'],
    [
      { campaign: campaignId, from: '+14152009999' },
      400,
      /^from must be one of the campaign's numbers/,
    ],
    [{ from: undefined, body: 'x'.repeat(1500) }, 200, undefined],
  ] as const
  let body: Record<string, unknown> = wrong
  for (const [change, status, error] of steps) {
    body = { ...body, ...change }
    const reply = await service.post(URL, body)
    assert.equal(reply.status, status, JSON.stringify([change, reply.body]))
    if (error instanceof RegExp) assert.match(reply.body.error, error)
    else assert.equal(reply.body.error, error)
    assert.equal(reply.body.success, status === 200)
  }
})

test('characters are replaced where that saves segments, and messages are billed by segment', async (t) => {
  const { service, send, message } = await sendingService(t)
  let spent = 0
  const before = await service.balance()
  for (const [body, stored, numSegments] of [
    ['x'.repeat(160), 'x'.repeat(160), 1],
    ['x'.repeat(161), 'x'.repeat(161), 2],
    ['x'.repeat(320), 'x'.repeat(320), 2],
    ['€'.repeat(80), '€'.repeat(80), 1],
    ['€'.repeat(81), '€'.repeat(81), 2],
    ['“Dinner” – don’t be late…', '"Dinner" - don\'t be late...', 1],
    ['“Ж”', '“Ж”', 1],
    ['Ж'.repeat(70), 'Ж'.repeat(70), 1],
    ['Ж'.repeat(71), 'Ж'.repeat(71), 2],
    ['\u{1f600}'.repeat(35), '\u{1f600}'.repeat(35), 1],
    ['\u{1f600}'.repeat(36), '\u{1f600}'.repeat(36), 2],
  ] as const) {
    const sent = await message(await send({ body }))
    assert.equal(sent.body, stored)
    assert.equal(sent.numSegments, numSegments, body)
    assertDollars(sent.price, numSegments * SMS_PRICE)
    spent += numSegments * SMS_PRICE
    assertDollars(await service.balance(), before - spent)
  }
})

test('an operator whose carriers bill by part can count parts and set the prices', async (t) => {
  const env = { LONGCODE_SEGMENTS: 'parts', LONGCODE_SMS_PRICE: '0.01', LONGCODE_MMS_PRICE: '0.03' }
  const { send, message } = await sendingService(t, { env })
  for (const [length, numSegments] of [
    [160, 1],
    [306, 2],
    [307, 3],
  ] as const) {
    const sent = await message(await send({ body: 'x'.repeat(length) }))
    assert.deepEqual([sent.numSegments, sent.price], [numSegments, numSegments / 100])
  }
  const mms = await message(await send({ mediaUrls: ['http://a.example/a.png'] }))
  assert.deepEqual([mms.numSegments, mms.price], [1, 0.03])
})

test('a message can be scheduled up to 35 days ahead', async (t) => {
  const { service, trySend, send, message } = await sendingService(t)
  const inMs = (ms: number) =>
    new Date(service.world.clock.now().getTime() + ms).toISOString().replace(/\d{3}Z$/, '000Z')
  const DAY_MS = 86_400_000
  const scheduledAt = inMs(34 * DAY_MS)
  const sent = await message(await send({ scheduledAt }))
  assert.equal(sent.status, 'SCHEDULED')
  assert.equal(sent.scheduledAt, scheduledAt)
  const zoned = inMs(2 * 3_600_000 + 60_000).replace('Z', '+02:00')
  const soon = await message(await send({ scheduledAt: zoned }))
  assert.equal(soon.scheduledAt, new Date(zoned).toISOString())

  for (const past of [inMs(-60_000), '1969-12-31T00:00:00Z']) {
    const reply = await trySend({ scheduledAt: past })
    assert.deepEqual(told(reply), [400, 'scheduledAt must be in the future'])
  }
  assert.deepEqual(told(await trySend({ scheduledAt: inMs(35 * DAY_MS + 60_000) })), [
    400,
    'scheduledAt must be at most 35 days ahead',
  ])
  const unreadable = ['', 'tomorrow', '2026-12-24', '2026-12-24T18:00:00', 1766599200]
  for (const text of [...unreadable, '2026-02-30T10:00:00Z', '2026-12-31T23:59:60Z']) {
    assert.deepEqual(told(await trySend({ scheduledAt: text })), [
      400,
      'scheduledAt must be an ISO 8601 time such as 2026-12-24T18:00:00Z',
    ])
  }
})
