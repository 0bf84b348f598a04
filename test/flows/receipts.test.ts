// Receipts come early, twice, late, or for unknown messages. States never go back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import type { Receipt } from '../../src/messages/carrier-port.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { assertDollars, eventsOf, SMS_PRICE, sendingService } from '../sending.js'

type Told = Pick<Receipt, 'status'> & { errorCode?: number | null }

async function staged(t: Parameters<typeof sendingService>[0]) {
  const sending = await sendingService(t)
  const { service } = sending
  const carrier = fakeCarrier()
  const room = fakeRoom(service.world, carrier)
  const receipt = (messageId: string, { status, errorCode = null }: Told) =>
    room.listener.receipt({
      link: carrier.name,
      of: { accountId: service.accountId, id: messageId },
      status,
      errorCode,
    })
  const statuses = async (id: string) =>
    (await eventsOf(service, id)).map((event) => [event.sequence, event.status])
  return { ...sending, carrier, room, receipt, statuses }
}

test('a receipt may come before our own record of the submit', async (t) => {
  const { service, send, message, kinds } = await sendingService(t)
  // The carrier delivers, and reports it, before it responds to the submit.
  const carrier = fakeCarrier(async ({ accountId, id: messageId }) => {
    const of = { accountId, id: messageId }
    await room.listener.receipt({ link: 'fake', of, status: 'DELIVERED', errorCode: null })
    return { kind: 'sent' }
  })
  const room = fakeRoom(service.world, carrier)
  const id = await send()
  await room.step()
  await room.stop()
  const { status, sentAt, updatedAt } = await message(id)
  assert.equal(status, 'DELIVERED')
  assert.equal(sentAt, updatedAt, 'it was sent at the latest when it was delivered')
  assert.deepEqual(await kinds(id), ['created', 'delivered'])
  const events = await eventsOf(service, id)
  assert.deepEqual(
    events.map((event) => [event.sequence, event.previousStatus, event.status]),
    [[1, 'QUEUED', 'DELIVERED']],
  )
})

test('a receipt that overtakes throttling ends the attempts', async (t) => {
  const { service, send, message, advance, kinds } = await sendingService(t)
  const carrier = fakeCarrier(async ({ accountId, id: messageId }) => {
    const of = { accountId, id: messageId }
    await room.listener.receipt({ link: 'fake', of, status: 'DELIVERED', errorCode: null })
    return { kind: 'slow_down' }
  })
  const room = fakeRoom(service.world, carrier)
  const id = await send()
  await room.step()
  await room.stop()
  await advance(600)
  const next = fakeRoom(service.world, carrier)
  await next.step()
  await next.stop()
  assert.equal((await message(id)).status, 'DELIVERED')
  assert.deepEqual(await kinds(id), ['created', 'delivered'])
  assert.equal(carrier.submitted.length, 1, 'it is not sent again')
})

test('READ may be the first report, and each status change has its own time', async (t) => {
  const { send, message, room, receipt, advance, until, statuses } = await staged(t)
  const overtaking = await send()
  await receipt(overtaking, { status: 'READ' })
  const read = await message(overtaking)
  assert.deepEqual([read.status, read.sentAt], ['READ', read.updatedAt])
  assert.deepEqual(await statuses(overtaking), [[1, 'READ']])

  const id = await send()
  await room.step()
  const { sentAt } = await until(id, 'SENT')
  await advance(60)
  await receipt(id, { status: 'DELIVERED' })
  const delivered = await message(id)
  assert.equal(delivered.sentAt, sentAt, 'when it was sent')
  assert.ok(Date.parse(delivered.updatedAt) >= Date.parse(sentAt) + 60_000, 'when it was delivered')
})

test('a sent message is not sent again, however long its receipt takes', async (t) => {
  const { service, send, room, carrier, advance, until, receipt } = await staged(t)
  const [silent, failed] = [await send(), await send()]
  await room.step()
  await until(silent, 'SENT')
  await until(failed, 'SENT')
  await receipt(failed, { status: 'FAILED', errorCode: 1380 })
  await advance(120) // longer than a lease, but too short to expire
  const later = await send()
  await room.step()
  await until(later, 'SENT')
  assert.deepEqual(carrier.submitted.map(({ id }) => id).sort(), [silent, failed, later].sort())
  const waiting = await service.world.db.query(sql`select 1 from messages where due_at is not null`)
  assert.deepEqual(waiting, [], 'none is left in the queue')
})

test('repeated and late receipts change nothing and are noted in the timeline', async (t) => {
  const { service, send, message, room, receipt, kinds, statuses, until } = await staged(t)
  const id = await send()
  await room.step()
  await until(id, 'SENT')
  const balance = await service.balance()
  await receipt(id, { status: 'DELIVERED' })
  await receipt(id, { status: 'DELIVERED' })
  await receipt(id, { status: 'READ' })
  const read = await message(id)
  await receipt(id, { status: 'DELIVERED' })
  await receipt(id, { status: 'FAILED', errorCode: 1350 })
  assert.deepEqual(await message(id), read)
  assert.equal(await service.balance(), balance, 'a failure after the end refunds nothing')
  assert.deepEqual(await kinds(id), [
    'created',
    'sent',
    'delivered',
    'stale',
    'read',
    'stale',
    'stale',
  ])
  const { body } = await service.get(`/v1/message/${id}/timeline`)
  const stale = body.timeline.filter((entry: { kind: string }) => entry.kind === 'stale')
  for (const [i, status] of ['DELIVERED', 'DELIVERED', 'FAILED'].entries()) {
    assert.match(JSON.stringify(stale[i]), new RegExp(status))
  }
  assert.deepEqual(await statuses(id), [
    [1, 'SENT'],
    [2, 'DELIVERED'],
    [3, 'READ'],
  ])
})

test('a failure reported by receipt has its code and refunds what is not charged', async (t) => {
  const { service, send, room, receipt, until, message } = await staged(t)
  const before = await service.balance()
  let spent = 0
  for (const [given, errorCode, cost] of [
    [1380, 1380, SMS_PRICE],
    [1360, 1360, 0],
    [null, 1499, SMS_PRICE],
    [77_777, 1499, SMS_PRICE],
  ] as const) {
    const id = await send()
    await room.step()
    await until(id, 'SENT')
    await receipt(id, { status: 'FAILED', errorCode: given })
    const failed = await message(id)
    assert.deepEqual([failed.status, failed.errorCode], ['FAILED', errorCode])
    assert.equal(typeof failed.errorMessage, 'string')
    spent += cost
    assertDollars(await service.balance(), before - spent)
    await receipt(id, { status: 'FAILED', errorCode: 1350 })
    assertDollars(await service.balance(), before - spent)
  }
})

test('all receipts of one message at once end in the furthest state', async (t) => {
  const { send, message, room, receipt, until, statuses } = await staged(t)
  const id = await send()
  await room.step()
  await until(id, 'SENT')
  const told = ['DELIVERED', 'READ', 'DELIVERED', 'READ'] as const
  await Promise.all(told.map((status) => receipt(id, { status })))
  assert.equal((await message(id)).status, 'READ')
  const sequences = (await statuses(id)).map(([sequence]) => sequence)
  assert.deepEqual(sequences, [1, 2, 3])
})

test('a receipt for an unknown message is stored and harms no other', async (t) => {
  const { service, send, message, room, receipt, until } = await staged(t)
  const id = await send()
  await room.step()
  await until(id, 'SENT')
  const strays = ['msg_01km3v9w8m0000pqv3t5x7z9bd', 'x,y', '"{}', 'a\0b', '']
  const other = await service.otherAccount()
  await Promise.all([
    ...strays.map((messageId) => receipt(messageId, { status: 'DELIVERED' })),
    receipt(id, { status: 'DELIVERED' }),
    room.listener.receipt({
      link: 'fake',
      of: { accountId: other.accountId, id: id },
      status: 'FAILED',
      errorCode: 1350,
    }),
  ])
  assert.equal((await message(id)).status, 'DELIVERED')
  const rows = await service.world.db.query<{ messageId: string; carrier: string }>(sql`
    select message_id as "messageId", carrier from unmatched_receipts`)
  const kept = rows.map((row) => row.messageId).sort()
  assert.deepEqual(kept, ['', '"{}', 'ab', id, strays[0]!, 'x,y'].sort())
  assert.ok(rows.every((row) => row.carrier === 'fake'))
})
