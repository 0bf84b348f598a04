// POST /v1/message/preview and /v1/message/batch/preview: the segments and cost of messages, without
// sending them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { testService } from '../harness.js'
import { told } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL = '/v1/message/preview'
const BATCH_URL = '/v1/message/batch/preview'

test('a preview shows encoding, segments, parts, price, and replaced characters', async (t) => {
  const service = await testService(t)
  const before = await service.balance()
  const folded = await service.post(URL, { body: 'Dinner at 8 – don’t, don’t be late…' })
  assert.equal(folded.status, 200)
  assert.deepEqual(folded.body, {
    success: true,
    type: 'SMS',
    body: "Dinner at 8 - don't, don't be late...",
    encoding: 'GSM-7',
    numSegments: 1,
    parts: 1,
    price: 0.0079,
    fill: { units: 37, perSegment: 160, inLast: 37 },
    folded: [
      { from: '–', to: '-', count: 1 },
      { from: '’', to: "'", count: 2 },
      { from: '…', to: '...', count: 1 },
    ],
    unicodeCharacters: [],
    withoutUnicode: null,
  })

  const long = await service.post(URL, { body: 'x'.repeat(320) })
  assert.deepEqual([long.body.numSegments, long.body.parts, long.body.price], [2, 3, 0.0158])
  assert.deepEqual(long.body.fill, { units: 320, perSegment: 160, inLast: 160 })

  const unicode = await service.post(URL, {
    body: `Жа ‘${'x'.repeat(70)}’ \u{1f468}\u200d\u{1f469}`,
  })
  assert.equal(unicode.body.encoding, 'UCS-2')
  assert.equal(unicode.body.numSegments, 2)
  assert.deepEqual(unicode.body.folded, [], 'nothing is replaced where it saves nothing')
  assert.deepEqual(unicode.body.unicodeCharacters, ['Ж', 'а', '\u{1f468}\u200d\u{1f469}'])

  assert.deepEqual(unicode.body.fill, { units: 81, perSegment: 70, inLast: 11 })
  assert.deepEqual(unicode.body.withoutUnicode, { numSegments: 1, price: 0.0079 })

  const mms = await service.post(URL, {
    body: 'x'.repeat(320),
    mediaUrls: ['https://acme.example/a.png'],
  })
  const { type, numSegments, parts, price, fill } = mms.body
  assert.deepEqual(
    { type, numSegments, parts, price, fill },
    { type: 'MMS', numSegments: 1, parts: 1, price: 0.02, fill: null },
  )

  assert.equal(await service.balance(), before)
  assert.deepEqual(await service.world.db.query(sql`select 1 from messages`), [])
})

test('a batch preview counts the messages that can be sent and explains why others cannot', async (t) => {
  const service = await testService(t)
  const before = await service.balance()
  const to = '+14155550123'
  const { status, body } = await service.post(BATCH_URL, {
    messages: [
      { to, body: 'x'.repeat(161) },
      { to, body: 'Жа' },
      { to, body: 'x'.repeat(400), mediaUrls: ['https://acme.example/a.png'] },
      { to: '415', body: 'Hello' },
      { to },
    ],
  })
  assert.equal(status, 200)
  const sms = { success: true, type: 'SMS' }
  const refused = (error: string) => ({ success: false, error, code: 'field_invalid' })
  assert.deepEqual(body, {
    success: true,
    numMessages: 3,
    numSegments: 4,
    price: 0.0437,
    results: [
      { ...sms, encoding: 'GSM-7', numSegments: 2, price: 0.0158 },
      { ...sms, encoding: 'UCS-2', numSegments: 1, price: 0.0079 },
      { success: true, type: 'MMS', encoding: 'GSM-7', numSegments: 1, price: 0.02 },
      refused('to must be a phone number in E.164 format, for example +14155550123'),
      refused('Message body required'),
    ],
  })
  assert.equal(await service.balance(), before)
  assert.deepEqual(await service.world.db.query(sql`select 1 from messages`), [])
  assert.equal((await service.post(BATCH_URL, { messages: [] })).status, 400)
})

test('a preview refuses the same messages as a send', async (t) => {
  const service = await testService(t)
  for (const [body, error] of [
    [{}, 'Message body required'],
    [{ body: ' \u200b' }, 'Message body required'],
    [{ body: 'x'.repeat(1501) }, 'body must be at most 1500 characters'],
    [{ body: 7 }, 'body must be a string'],
    [{ body: 'x', mediaUrls: ['nowhere'] }, 'mediaUrls[0] must start with http:// or https://'],
  ] as const) {
    assert.deepEqual(told(await service.post(URL, body)), [400, error])
  }
})

test('a preview requires the read scope', async (t) => {
  const service = await testService(t)
  for (const url of [URL, BATCH_URL]) {
    await assertFailureShapes(service, {
      method: 'POST',
      url,
      failure: { success: false },
      scope: 'read',
      takesBody: true,
    })
  }
})
