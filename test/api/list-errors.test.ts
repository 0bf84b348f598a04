// GET /v1/error/list: the message error codes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

test('every code is listed with its text and whether the message is charged', async (t) => {
  const service = await testService(t)
  const { status, body } = await service.get('/v1/error/list')
  assert.equal(status, 200)
  const charged = (isCharged: boolean) =>
    body.errors
      .filter((error: { charged: boolean }) => error.charged === isCharged)
      .map((error: { code: number }) => error.code)
  assert.deepEqual(charged(true), [1320, 1370, 1375, 1380, 1499])
  assert.deepEqual(charged(false), [1330, 1340, 1345, 1350, 1360, 1390, 1391, 1392, 1400, 1410])
  for (const { text } of body.errors) assert.match(text, /^The .{10,}[^.]$/)
  for (const { charged, note } of body.errors) {
    if (charged) assert.match(note, /^Charged only if the carrier accepted the message/)
  }
  const cap = body.errors.find((error: { code: number }) => error.code === 1320)
  assert.match(cap.note, /holdAtDailyCap/)
})

test('the list requires the read scope', async (t) => {
  const service = await testService(t)
  const failure = { errors: [] }
  await assertFailureShapes(service, {
    method: 'GET',
    url: '/v1/error/list',
    failure,
    scope: 'read',
  })
})
