// POST /v1/message/preview: what a message would be and cost, without sending it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { testService } from '../harness.js'
import { told } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const URL = '/v1/message/preview'

test('a preview tells encoding, segments, parts, price and what was folded', async (t) => {
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
    folded: [
      { from: '–', to: '-', count: 1 },
      { from: '’', to: "'", count: 2 },
      { from: '…', to: '...', count: 1 },
    ],
    unicodeCharacters: [],
  })

  const long = await service.post(URL, { body: 'x'.repeat(320) })
  assert.deepEqual([long.body.numSegments, long.body.parts, long.body.price], [2, 3, 0.0158])

  const unicode = await service.post(URL, {
    body: `Жа ‘${'x'.repeat(70)}’ \u{1f468}\u200d\u{1f469}`,
  })
  assert.equal(unicode.body.encoding, 'UCS-2')
  assert.equal(unicode.body.numSegments, 2)
  assert.deepEqual(unicode.body.folded, [], 'nothing is folded where it would not help')
  assert.deepEqual(unicode.body.unicodeCharacters, ['Ж', 'а', '\u{1f468}\u200d\u{1f469}'])

  const mms = await service.post(URL, {
    body: 'x'.repeat(320),
    mediaUrls: ['https://acme.example/a.png'],
  })
  const { type, numSegments, parts, price } = mms.body
  assert.deepEqual(
    { type, numSegments, parts, price },
    { type: 'MMS', numSegments: 1, parts: 1, price: 0.02 },
  )

  assert.equal(await service.balance(), before)
  assert.deepEqual(await service.world.db.query(sql`select 1 from messages`), [])
})

test('a preview refuses what a send would refuse', async (t) => {
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

test('a preview needs a token that may read', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'POST',
    url: URL,
    failure: { success: false },
    scope: 'read',
    takesBody: true,
  })
})
