// DELETE /v1/message/{id}: cancels a scheduled message and refunds it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { testService } from '../harness.js'
import { assertDollars, idOf, type Sending, sendingService, told, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

function inAnHour({ service }: Sending): string {
  return new Date(service.world.clock.now().getTime() + 3_600_000).toISOString()
}

test('canceling a scheduled message refunds it and sends a status event', async (t) => {
  const sending = await sendingService(t)
  const { service, send, message, kinds } = sending
  const before = await service.balance()
  const id = await send({ scheduledAt: inAnHour(sending) })
  const reply = await service.call('DELETE', `/v1/message/${id}`)
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.body, { success: true, id })
  const { status, errorCode, errorMessage, price } = await message(id)
  assert.deepEqual(
    { status, errorCode, errorMessage, price },
    { status: 'FAILED', errorCode: 1410, errorMessage: 'The message was canceled', price: 0 },
  )
  assertDollars(await service.balance(), before)
  assert.deepEqual(await kinds(id), ['created', 'failed'])
  const events = await service.world.db.query(sql`
    select event_type as "eventType", status, previous_status as "previousStatus", sequence,
      error_code as "errorCode"
    from events where message_id = ${id}`)
  assert.deepEqual(events, [
    {
      eventType: 'message.status',
      status: 'FAILED',
      previousStatus: 'SCHEDULED',
      sequence: 1,
      errorCode: 1410,
    },
  ])

  const again = await service.call('DELETE', `/v1/message/${id}`)
  assert.deepEqual(told(again), [
    409,
    'The message is FAILED. Only a SCHEDULED message can be canceled',
  ])
  assert.equal(again.body.code, 'message_state')
  assertDollars(await service.balance(), before)
})

test('concurrent cancellations refund a message once', async (t) => {
  const sending = await sendingService(t)
  const { service, send } = sending
  const before = await service.balance()
  const id = await send({ scheduledAt: inAnHour(sending) })
  const cancel = () => service.call('DELETE', `/v1/message/${id}`)
  const replies = await Promise.all([cancel(), cancel(), cancel()])
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409])
  assertDollars(await service.balance(), before)
})

test('repeating a cancellation with the same Idempotency-Key returns the same reply', async (t) => {
  const sending = await sendingService(t)
  const id = await sending.send({ scheduledAt: inAnHour(sending) })
  const headers = { 'idempotency-key': 'cancel-1' }
  const cancel = () => sending.service.call('DELETE', `/v1/message/${id}`, undefined, { headers })
  const first = await cancel()
  const second = await cancel()
  assert.deepEqual(second.body, first.body)
  assert.equal(second.headers['idempotent-replayed'], 'true')
})

test('a message that is not SCHEDULED cannot be canceled', async (t) => {
  const { service, send, inbound } = await sendingService(t)
  for (const [id, status] of [
    [await send(), 'QUEUED'],
    [idOf(await inbound(VZW, 'Hi')), 'DELIVERED'],
  ] as const) {
    const reply = await service.call('DELETE', `/v1/message/${id}`)
    assert.deepEqual(told(reply), [
      409,
      `The message is ${status}. Only a SCHEDULED message can be canceled`,
    ])
    assert.equal(reply.body.success, false)
  }
})

test('canceling an unknown message or another account’s message returns not found', async (t) => {
  const sending = await sendingService(t)
  const { service, send, message } = sending
  const id = await send({ scheduledAt: inAnHour(sending) })
  const other = await service.otherAccount()
  const missing = { success: false, error: 'Message not found', code: 'message_missing' }
  for (const path of ['msg_01km3v9w8m0000pqv3t5x7z9bd', 'x', '%00', 'x'.repeat(600)]) {
    const { status, body } = await service.call('DELETE', `/v1/message/${path}`)
    assert.equal(status, 404, path)
    assert.deepEqual(body, missing)
  }
  const foreign = await service.call('DELETE', `/v1/message/${id}`, undefined, {
    token: other.token,
  })
  assert.deepEqual([foreign.status, foreign.body], [404, missing])
  assert.equal((await message(id)).status, 'SCHEDULED')
})

test('canceling a message requires the send scope', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'DELETE',
    url: '/v1/message/msg_01km3v9w8m0000pqv3t5x7z9bd',
    failure: { success: false },
    scope: 'send',
  })
})
