// GET /v1/message/{id}: one message, inbound or outbound, or null.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testService } from '../harness.js'
import { idOf, sendingService, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const MISSING = { message: null, error: 'Message not found', code: 'message_missing' }

test('an inbound message shows the phone as sender and our number as recipient', async (t) => {
  const { campaignId, number, inbound, message } = await sendingService(t)
  const id = idOf(await inbound(VZW, 'Are you open?'))
  const { createdAt, ...rest } = await message(id)
  assert.deepEqual(rest, {
    id,
    type: 'SMS',
    sentAt: null,
    updatedAt: createdAt,
    scheduledAt: null,
    direction: 'INBOUND',
    from: VZW,
    to: number,
    body: 'Are you open?',
    mediaUrls: [],
    metadata: {},
    numSegments: 1,
    errorCode: null,
    errorMessage: null,
    campaignId,
    status: 'DELIVERED',
    automatic: null,
    validitySeconds: null,
    price: 0,
  })
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('an unknown id or another account’s message returns not found', async (t) => {
  const { service, send } = await sendingService(t)
  const id = await send()
  const other = await service.otherAccount()
  const paths = [
    'msg_01km3v9w8m0000pqv3t5x7z9bd',
    id.toUpperCase(),
    id.slice(0, -1),
    `${id}0`,
    id.replace('msg', 'cmp'),
    'x',
    '%00',
    '%F0%9F%93%9E',
    "1'or'1",
    'x'.repeat(400),
    'x'.repeat(600),
  ]
  for (const path of paths) {
    const { status, body } = await service.get(`/v1/message/${path}`)
    assert.equal(status, 404, path)
    assert.deepEqual(body, MISSING, path)
  }
  const foreign = await service.get(`/v1/message/${id}`, { token: other.token })
  assert.equal(foreign.status, 404)
  assert.deepEqual(foreign.body, MISSING)
})

test('the price is the amount charged, or 0 after a refund', async (t) => {
  const { service, send, message } = await sendingService(t)
  const scheduledAt = new Date(service.world.clock.nowMs() + 3_600_000).toISOString()
  const id = await send({ scheduledAt })
  assert.equal((await message(id)).price, 0.0079)
  await service.call('DELETE', `/v1/message/${id}`)
  assert.equal((await message(id)).price, 0)
})

test('retrieving a message requires the read scope', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'GET',
    url: '/v1/message/msg_01km3v9w8m0000pqv3t5x7z9bd',
    failure: { message: null },
    scope: 'read',
  })
})
