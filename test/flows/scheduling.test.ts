// Scheduled messages: they leave at their time, unless something happened in between.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../harness.js'
import {
  assertDollars,
  changeCampaign,
  eventsOf,
  type Sending,
  SMS_PRICE,
  sendingService,
  VZW,
} from '../sending.js'

const HOUR_S = 3600

function inSeconds({ service }: Sending, seconds: number): string {
  return new Date(service.world.clock.now().getTime() + seconds * 1000).toISOString()
}

test('a scheduled message leaves at its time, with every step in the timeline', async (t) => {
  const sending = await sendingService(t, { roles: ['dispatch'] })
  const { service, send, message, until, advance, kinds } = sending
  const before = await service.balance()
  const id = await send({ scheduledAt: inSeconds(sending, HOUR_S) })
  assertDollars(await service.balance(), before - SMS_PRICE)
  await advance(HOUR_S - 60)
  await until(await send(), 'DELIVERED') // due messages do not wait in the meantime
  assert.equal((await message(id)).status, 'SCHEDULED')
  await advance(120)
  await until(id, 'DELIVERED')
  assert.deepEqual(await kinds(id), ['created', 'queued', 'sent', 'delivered'])
  const moves = (await eventsOf(service, id)).map((e) => [e.sequence, e.previousStatus, e.status])
  assert.deepEqual(moves, [
    [1, 'SCHEDULED', 'QUEUED'],
    [2, 'QUEUED', 'SENT'],
    [3, 'SENT', 'DELIVERED'],
  ])
  assertDollars(await service.balance(), before - 2 * SMS_PRICE)
})

test('a recipient who opts out before the time gets nothing, and nothing is charged', async (t) => {
  const sending = await sendingService(t, { roles: ['dispatch'] })
  const { service, send, until, inbound, advance } = sending
  const before = await service.balance()
  const id = await send({ scheduledAt: inSeconds(sending, HOUR_S) })
  await inbound(VZW, 'STOP')
  await advance(2 * HOUR_S)
  const { errorCode, errorMessage, sentAt } = await until(id, 'FAILED')
  assert.equal(errorCode, 1330)
  assert.equal(errorMessage, 'The recipient opted out before the message was sent')
  assert.equal(sentAt, null)
  assertDollars(await service.balance(), before)
})

test('a campaign that is not active at the time sends nothing', async (t) => {
  const sending = await sendingService(t, { roles: ['dispatch'] })
  const { service, campaignId, send, until, advance } = sending
  const before = await service.balance()
  const id = await send({ scheduledAt: inSeconds(sending, HOUR_S) })
  await changeCampaign(service, campaignId, { status: 'SUSPENDED' })
  await advance(2 * HOUR_S)
  assert.equal((await until(id, 'FAILED')).errorCode, 1340)
  assertDollars(await service.balance(), before)
})

test('the attempts of a scheduled message start when it is due, not when it was requested', async (t) => {
  const sending = await sendingService(t, { roles: ['dispatch'] })
  const { send, message, advance, kinds } = sending
  const scheduledAt = inSeconds(sending, 30 * 24 * HOUR_S)
  const id = await send({ to: '+14155550140', scheduledAt }) // throttled twice
  await advance(30 * 24 * HOUR_S + 1)
  await eventually(async () => {
    await advance(10)
    return (await message(id)).status === 'DELIVERED'
  }, 'the third attempt')
  const told = (await kinds(id)).filter((kind) => kind === 'slow')
  assert.equal(told.length, 2)
})

test('a cancel at the exact due time either cancels or sends the message', async (t) => {
  const sending = await sendingService(t, { roles: ['dispatch'] })
  const { service, send, until, advance } = sending
  const before = await service.balance()
  const scheduledAt = inSeconds(sending, HOUR_S)
  const ids = await Promise.all(Array.from({ length: 12 }, () => send({ scheduledAt })))
  const canceled = await Promise.all([
    ...ids.map((id) => service.call('DELETE', `/v1/message/${id}`)),
    advance(2 * HOUR_S),
  ])
  let sent = 0
  for (const [i, id] of ids.entries()) {
    const isCanceled = canceled[i]!.status === 200
    const { errorCode } = await until(id, isCanceled ? 'FAILED' : 'DELIVERED')
    assert.equal(errorCode, isCanceled ? 1410 : null)
    if (!isCanceled) sent += 1
    const statuses = (await eventsOf(service, id)).map((event) => event.status)
    assert.deepEqual(statuses, isCanceled ? ['FAILED'] : ['QUEUED', 'SENT', 'DELIVERED'])
  }
  assertDollars(await service.balance(), before - sent * SMS_PRICE)
})
