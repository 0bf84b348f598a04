// A deliverer with bad endpoints, with other deliverers, and when it stops.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually } from '../harness.js'
import { createWebhook, runDeliverer, webhookReceiver, webhookStage } from './webhook-receiver.js'

const REFUSING = 'http://127.0.0.1:1/hook'

test('endpoints that hang, fail, or are absent do not delay a healthy one', async (t) => {
  const stage = await webhookStage(t, undefined, { timeoutMs: 60_000 })
  const { service, campaignId, receiver } = stage
  const hanging = await webhookReceiver(t, () => {})
  const wrong = await webhookReceiver(t, (response) => {
    response.statusCode = 500
    response.end()
  })
  for (let i = 0; i < 5; i += 1) {
    await createWebhook(service, campaignId, `${hanging.url}/${i}`)
    await createWebhook(service, campaignId, `${wrong.url}/${i}`)
    await createWebhook(service, campaignId, REFUSING)
  }
  // The hanging ones do not end before the timeout, and all of these arrive in the meantime.
  for (let i = 0; i < 40; i += 1) await stage.happen()
  await stage.arrived(40)
  assert.equal(receiver.received.length, 40)
  assert.ok(hanging.received.length < 200)
})

test('a stopping deliverer waits for a response in progress and records it', async (t) => {
  const answers: (() => void)[] = []
  const stage = await webhookStage(t, (response) => answers.push(() => response.end()))
  await stage.happen()
  await stage.arrived(1)
  const stopped = stage.stop()
  for (const answer of answers) answer()
  await stopped
  assert.equal((await stage.deliveries())[0].state, 'delivered')
})

test('a stopping deliverer releases what gets no response in time, for another to send', async (t) => {
  const stage = await webhookStage(t, () => {}, { timeoutMs: 60_000 })
  const id = await stage.happen()
  await stage.arrived(1)
  await stage.stop()
  const [delivery] = await stage.deliveries()
  assert.equal(delivery.state, 'pending')
  assert.ok(delivery.nextAttemptAt <= stage.service.world.clock.now().toISOString())
  assert.deepEqual(delivery.attempts, [])

  stage.receiver.behave((response) => response.end())
  const another = runDeliverer(stage.service)
  await eventually(async () => (await stage.deliveries())[0].state === 'delivered')
  await another.stop()
  assert.equal(stage.receiver.received[1]!.event.id, id)
})

test('buffered deliveries of an endpoint that stopped responding go back when the deliverer stops', async (t) => {
  const stage = await webhookStage(
    t,
    (response, _, count) => count <= 20 && setTimeout(() => response.end(), 5),
  )
  const ids = await Promise.all(Array.from({ length: 300 }, () => stage.happen()))
  await stage.arrived(30)
  await stage.stop()
  const [left] = await stage.service.world.db.query<{ leased: number; pending: number }>(sql`
    select count(*) filter (where lease_until is not null)::int as leased,
      count(*) filter (where state = 'pending')::int as pending
    from event_deliveries`)
  assert.equal(left!.leased, 0)
  assert.ok(left!.pending >= 270)

  stage.receiver.behave((response) => response.end())
  const another = runDeliverer(stage.service)
  await eventually(async () => {
    const received = new Set(stage.receiver.received.map(({ event }) => event.id))
    return ids.every((id) => received.has(id))
  }, 'all of them')
  await another.stop()
})

test('several deliverers share the work: every event arrives once and in order', async (t) => {
  const stage = await webhookStage(t)
  const others = [runDeliverer(stage.service), runDeliverer(stage.service)]
  const ids = Array.from({ length: 50 }, (_, i) => `msg_${String(i).padStart(26, '0')}`)
  for (let sequence = 1; sequence <= 3; sequence += 1) {
    await Promise.all(ids.map((messageId) => stage.happen({ messageId, sequence })))
  }
  await stage.arrived(150)
  await Promise.all(others.map((other) => other.stop()))
  assert.equal(stage.receiver.received.length, 150)
  for (const id of ids) {
    const sequences = stage.receiver.received
      .filter(({ event }) => event.data.message.id === id)
      .map(({ event }) => event.data.sequence)
    assert.deepEqual(sequences, [1, 2, 3], id)
  }
})

test('an endpoint that breaks during a burst gets everything when it is back', async (t) => {
  const stage = await webhookStage(t, (response, _, count) => {
    response.statusCode = count > 20 && count <= 26 ? 503 : 200
    response.end()
  })
  const ids = await Promise.all(Array.from({ length: 120 }, () => stage.happen()))
  // Failed events are retried after five seconds, and the endpoint is paused for less.
  await eventually(async () => {
    await stage.advance(5)
    return (await stage.deliveries('?state=delivered&limit=200')).length === ids.length
  }, 'all delivered')
  const arrived = new Set(stage.receiver.received.map(({ event }) => event.id))
  assert.deepEqual(
    ids.filter((id) => !arrived.has(id)),
    [],
  )
  assert.equal(stage.receiver.received.length, ids.length + 6, 'only the failed ones came twice')
})
