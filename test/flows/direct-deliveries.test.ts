// Deliveries that go to a deliverer of the same process without a claim: they arrive in order, and if their process dies,
// they are claimed when their lease ends.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { DirectDelivery } from '../../src/events/queue/direct-deliveries.js'
import { newId } from '../../src/kit/ids.js'
import { type Statement, sql } from '../../src/kit/postgres/sql.js'
import type { MessageRoom } from '../../src/messages/message-room.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { eventually, type Json, type TestService } from '../harness.js'
import { sendingService } from '../sending.js'
import { createWebhook, type Received, runDeliverer, webhookReceiver } from './webhook-receiver.js'

const LEASE_S = 45

async function staged(t: TestContext) {
  let stop = async (): Promise<void> => {}
  t.after(() => stop()) // before the service's database is closed
  const sending = await sendingService(t)
  const { service, campaignId, send, until } = sending
  const receiver = await webhookReceiver(t)
  const webhook = await createWebhook(service, campaignId, receiver.url)
  const carrier = fakeCarrier()
  const room = fakeRoom(service.world, carrier)
  const deliver = () => {
    stop = runDeliverer(service, { direct: room.directDeliveries }).stop
  }
  const submit = async () => {
    const id = await send()
    await room.step()
    await until(id, 'SENT')
    return id
  }
  const finish = (id: string) =>
    room.listener.receipt({
      ...{ link: carrier.name, of: { accountId: service.accountId, id } },
      ...{ status: 'DELIVERED', errorCode: null },
    })
  const statuses = (id: string) =>
    receiver.received
      .filter(({ event }) => event.data.message.id === id)
      .map(({ event }) => event.data.message.status)
  return { ...sending, receiver, webhook, room, deliver, submit, finish, statuses }
}

/** A process that takes all deliveries of a webhook and never sends them. */
function takeAll({ directDeliveries }: MessageRoom, webhookId: string): DirectDelivery[] {
  const taken: DirectDelivery[] = []
  directDeliveries.open((_, __, now) => ({
    subscriberIds: [webhookId],
    batchIds: [newId('bat', now)],
    leaseUntil: new Date(now.getTime() + LEASE_S * 1000),
    settle: (deliveries) => taken.push(...deliveries),
  }))
  return taken
}

/** The API shows what was sent, byte for byte, although only its checksum is stored. */
async function assertShown(
  service: TestService,
  webhookId: string,
  messageId: string,
  received: readonly Received[],
): Promise<void> {
  const own = received.filter(({ event }) => event.data.message.id === messageId)
  const path = `/v1/webhook/${webhookId}/deliveries`
  const shown = await eventually(async () => {
    const { body } = await service.get(`${path}?limit=100`)
    const ids = own.map(({ event }) => event.id)
    const found = body.deliveries.filter(({ eventId }: { eventId: string }) =>
      ids.includes(eventId),
    )
    return (
      found.length === own.length &&
      found.every(({ state }: Json) => state === 'delivered') &&
      found
    )
  }, 'both deliveries recorded')
  for (const { text, event } of own) {
    const { id } = shown.find(({ eventId }: { eventId: string }) => eventId === event.id)
    const { body } = await service.get(`${path}/${id}`)
    assert.equal(body.delivery.requestBody, text)
  }
}

test('a webhook that answers gets the events of the next message without a claim', async (t) => {
  const { service, receiver, webhook, deliver, submit, finish, statuses } = await staged(t)
  const { db } = service.world
  let claims = 0
  const query = db.query.bind(db)
  t.mock.method(db, 'query', (statement: Statement) => {
    if (statement.text.includes('set_aside as')) claims += 1
    return query(statement)
  })
  deliver()
  const isDirect = async () => {
    const before = claims
    const id = await submit()
    await finish(id)
    await eventually(async () => statuses(id).length >= 2, 'both events')
    assert.deepEqual(statuses(id), ['SENT', 'DELIVERED'])
    await assertShown(service, webhook.id, id, receiver.received)
    return claims === before
  }
  assert.equal(await isDirect(), false, 'a webhook that has not answered yet')
  await eventually(isDirect, 'a message without a claim')
})

test('deliveries that a dead process took are claimed when their lease ends, in order', async (t) => {
  const { service, webhook, room, submit, finish, statuses, deliver, advance } = await staged(t)
  const taken = takeAll(room, webhook.id)
  const id = await submit()
  await finish(id)
  await eventually(async () => taken.length === 2, 'two deliveries')
  assert.deepEqual(
    taken.map(({ subscriberId, messageId, sequence, isBehind }) => [
      ...[subscriberId, messageId, sequence, isBehind],
    ]),
    [
      [webhook.id, id, 1, false],
      [webhook.id, id, 2, true],
    ],
  )
  const path = `/v1/webhook/${webhook.id}/deliveries`
  const shown = async (query = '') =>
    (await service.get(`${path}?message=${id}${query}`)).body.deliveries.map((one: Json) => [
      ...[one.id, one.eventId, one.state, (one.attempts as unknown[]).length],
    ])
  const underWay = taken.toReversed().map((one) => [one.id, one.eventId, 'pending', 0])
  assert.deepEqual(await shown(), underWay)
  assert.deepEqual(await shown('&state=pending'), underWay)
  assert.deepEqual(await shown('&state=delivered'), [])
  assert.deepEqual(await shown('&state=held'), [])
  const [first] = taken as [DirectDelivery]
  assert.equal((await service.get(`${path}/${first.id}`)).body.delivery.state, 'pending')
  assert.equal((await service.post(`${path}/${first.id}/replay`)).status, 409)
  deliver()
  const other = await submit()
  await eventually(async () => statuses(other).length === 1, 'a later message')
  assert.deepEqual(statuses(id), [], 'its lease has not ended')
  // Long enough that a process of a cluster, which sweeps rarely, looks for everything.
  await advance(6 * 60)
  await eventually(async () => statuses(id).length === 2, 'both events')
  assert.deepEqual(statuses(id), ['SENT', 'DELIVERED'])
  await eventually(async () => (await shown('&state=delivered')).length === 2, 'both recorded')
  const left = await service.world.db.query(sql`select id from delivery_batches`)
  assert.deepEqual(left, [])
})

test('an event is behind an earlier one only until that is recorded', async (t) => {
  const { webhook, room, submit, finish, statuses, deliver } = await staged(t)
  deliver()
  const isBehind = async () => {
    const id = await submit()
    await eventually(async () => statuses(id).length === 1, 'the first event')
    const taken = takeAll(room, webhook.id)
    await finish(id)
    room.directDeliveries.close()
    const [{ sequence, isBehind }] = taken as [DirectDelivery]
    assert.deepEqual([sequence, taken.length], [2, 1])
    return isBehind
  }
  await eventually(async () => !(await isBehind()), 'an event that is not behind')
})
