// Sends with an Idempotency-Key: one message and one charge, despite repetitions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../harness.js'
import {
  assertDollars,
  changeCampaign,
  idOf,
  type Sending,
  SMS_PRICE,
  sendingService,
  told,
  VZW,
} from '../sending.js'

function keyed({ trySend }: Sending, key: string) {
  return (input: Json = {}) => trySend(input, { headers: { 'idempotency-key': key } })
}

async function count({ service, campaignId }: Sending): Promise<number> {
  const { body } = await service.get(`/v1/message/list?campaign=${campaignId}&limit=1000`)
  return body.messages.length
}

test('a repeated send gets the first response and costs nothing', async (t) => {
  const sending = await sendingService(t)
  const before = await sending.service.balance()
  const send = keyed(sending, 'order 1042')
  const first = await send()
  assert.equal(first.headers['idempotent-replayed'], undefined)
  const second = await send()
  assert.equal(second.status, 200)
  assert.deepEqual(second.body, first.body)
  assert.equal(second.headers['idempotent-replayed'], 'true')
  assert.equal(await count(sending), 1)
  assertDollars(await sending.service.balance(), before - SMS_PRICE)

  const other = await send({ body: 'Something else' })
  assert.equal(other.status, 422)
  assert.deepEqual(other.body, {
    success: false,
    error: 'This Idempotency-Key was used with a different request. Use a new key.',
    code: 'idempotency_other_request',
  })
  assert.notEqual(idOf(await keyed(sending, 'order 1043')()), first.body.id)
})

test('the same key at the same time makes one message and one charge', async (t) => {
  const sending = await sendingService(t)
  const before = await sending.service.balance()
  const replies = await Promise.all(Array.from({ length: 20 }, () => keyed(sending, 'once')()))
  assert.equal(new Set(replies.map(idOf)).size, 1)
  const fresh = replies.filter((reply) => !reply.headers['idempotent-replayed'])
  assert.equal(fresh.length, 1)
  assert.equal(await count(sending), 1)
  assertDollars(await sending.service.balance(), before - SMS_PRICE)
})

test('a refused send leaves its key free for the corrected one', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId } = sending
  const send = keyed(sending, 'again')
  const path = `/v1/campaign/${campaignId}/optouts/${VZW.slice(1)}`
  await service.call('PUT', path, { reason: 'Asked' })
  assert.equal((await send()).status, 422)
  assert.equal((await send({ body: '' })).status, 400)
  await service.call('DELETE', `${path}?reason=Asked`)
  idOf(await send({ body: 'Corrected' }))
})

test('an accepted send gets the same response, even if it could no longer be sent', async (t) => {
  const sending = await sendingService(t, { balance: '1.0079' })
  const { service, campaignId, advance } = sending
  const send = keyed(sending, 'kept')
  const scheduledAt = new Date(service.world.clock.now().getTime() + 60_000).toISOString()
  const id = idOf(await send({ scheduledAt }))
  assertDollars(await service.balance(), 0)
  assert.equal(idOf(await send({ scheduledAt })), id, 'no money is needed')
  await service.call('PUT', `/v1/campaign/${campaignId}/optouts/${VZW.slice(1)}`, { reason: 'x' })
  assert.equal(idOf(await send({ scheduledAt })), id, 'the recipient has opted out')
  await advance(3600)
  assert.equal(idOf(await send({ scheduledAt })), id, 'its time has passed')
  await changeCampaign(service, campaignId, { status: 'SUSPENDED' })
  await advance(2)
  const last = await send({ scheduledAt })
  assert.equal(idOf(last), id, 'the campaign is suspended')
  assert.equal(last.headers['idempotent-replayed'], 'true')
})

test('a key is stored for a day', async (t) => {
  const sending = await sendingService(t)
  const send = keyed(sending, 'daily')
  const first = idOf(await send())
  await sending.advance(24 * 3600 - 60)
  assert.equal(idOf(await send()), first)
  await sending.advance(120)
  assert.notEqual(idOf(await send()), first)
  assert.equal(await count(sending), 2)
})

test('keys belong to their account and have 1 to 255 characters', async (t) => {
  const sending = await sendingService(t)
  const { service } = sending
  idOf(await keyed(sending, 'shared')())
  const other = await service.otherAccount()
  const foreign = await service.post(
    '/v1/message/send',
    { campaign: 'cmp_none', to: VZW, body: 'Hello' },
    { token: other.token, headers: { 'idempotency-key': 'shared' } },
  )
  assert.deepEqual(told(foreign), [404, 'Campaign not found'])
  idOf(await keyed(sending, 'k'.repeat(255))())
  for (const key of ['', 'k'.repeat(256)]) {
    assert.deepEqual(told(await keyed(sending, key)()), [
      400,
      'Idempotency-Key must be 1 to 255 characters',
    ])
  }
})
