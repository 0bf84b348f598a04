// Webhooks that are disabled, automatically or by their owner, or deleted: nothing is sent, and events in the
// meantime are held.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign } from '../fixtures.js'
import { eventually } from '../harness.js'
import { createWebhook, happen, triedTimes, webhookStage } from './webhook-receiver.js'

test('410 disables the webhook immediately, later events are held, and recover sends them', async (t) => {
  const stage = await webhookStage(t, (response) => {
    response.statusCode = 410
    response.end('gone')
  })
  const { service, webhook, receiver } = stage
  await stage.happen()
  const first = await triedTimes(stage, 1)
  assert.equal(first.state, 'failed')
  const { body } = await service.get(`/v1/webhook/${webhook.id}`)
  assert.equal(body.webhook.enabled, false)
  assert.equal(body.webhook.disabledReason, 'The endpoint returned 410 Gone')

  await stage.happen()
  const [held] = await stage.deliveries()
  assert.equal(held.state, 'held')
  assert.equal(held.nextAttemptAt, null)
  const recover = () =>
    service.post(`/v1/webhook/${webhook.id}/recover`, { since: webhook.createdAt })
  assert.equal((await recover()).status, 409)

  receiver.behave((response) => response.end())
  const on = await service.call('PATCH', `/v1/webhook/${webhook.id}`, { enabled: true })
  assert.equal(on.body.webhook.enabled, true)
  assert.equal(on.body.webhook.disabledReason, null)
  assert.equal((await stage.deliveries('?state=held')).length, 1, 'held until it is recovered')
  assert.deepEqual((await recover()).body, { success: true, recovered: 2, hasMore: false })
  await eventually(async () => (await stage.deliveries('?state=delivered')).length === 2)
  assert.deepEqual((await recover()).body, { success: true, recovered: 0, hasMore: false })
})

test('410 of one webhook disables no other, of its campaign or of another account', async (t) => {
  const stage = await webhookStage(t, (response, { path }) => {
    response.statusCode = path === '/hook' ? 410 : 200
    response.end()
  })
  const { service, webhook, receiver, campaignId } = stage
  const sister = await createWebhook(service, campaignId, `${receiver.url}/sister`)
  const other = await service.otherAccount()
  const { accountId, token } = other
  const foreign = await activeCampaign(service, { accountId })
  // The same URL, which is gone for one and not for the other: each follows its own responses.
  const theirs = await createWebhook(service, foreign.campaignId, receiver.url, {}, { token })
  await stage.happen()
  const isDisabled = async () =>
    !(await service.get(`/v1/webhook/${webhook.id}`)).body.webhook.enabled
  await eventually(isDisabled, 'disabled')
  const { body } = await service.get(`/v1/webhook/${theirs.id}`, { token })
  assert.deepEqual([body.webhook.enabled, body.webhook.disabledReason], [true, null])

  receiver.behave((response) => response.end())
  await happen(service, { accountId, campaignId: foreign.campaignId })
  const received = (id: string) => receiver.received.filter(({ event }) => event.webhookId === id)
  await eventually(async () => received(theirs.id).length === 1, 'the other account has its event')
  await stage.happen()
  await eventually(async () => received(sister.id).length === 2, 'the sister has both')
  assert.equal(received(webhook.id).length, 1, 'the disabled webhook gets nothing more')
  assert.deepEqual(
    (await stage.deliveries()).map(({ state }) => state),
    ['held', 'failed'],
  )
  // Another account sees nothing of this and cannot send it again.
  const foreignPath = `/v1/webhook/${webhook.id}`
  for (const reply of [
    await service.get(`${foreignPath}/deliveries`, { token }),
    await service.post(`${foreignPath}/recover`, { since: webhook.createdAt }, { token }),
    await service.post(`${foreignPath}/test`, {}, { token }),
  ]) {
    assert.equal(reply.status, 404)
    assert.equal(reply.body.code, 'webhook_missing')
  }
  const list = await service.get(`/v1/webhook/${theirs.id}/deliveries`, { token })
  assert.equal(list.body.deliveries.length, 1)
})

test('five days of failures disable the webhook, and one success restarts the count', async (t) => {
  const stage = await webhookStage(t, (response) => {
    response.statusCode = 500
    response.end()
  })
  const { service, webhook, receiver } = stage
  const isEnabled = async () =>
    (await service.get(`/v1/webhook/${webhook.id}`)).body.webhook.enabled
  const fail = async () => {
    await stage.happen()
    await triedTimes(stage, 1)
  }
  await fail()
  await stage.advance(4 * 86_400)
  await fail()
  // The retry of the first one must not fail after the success below.
  await eventually(async () => (await stage.deliveries())[1].attempts.length === 2, 'the retry')
  assert.equal(await isEnabled(), true)
  const failingSince = async () =>
    (await service.get(`/v1/webhook/${webhook.id}`)).body.webhook.failingSince
  assert.ok((await failingSince()) < (await stage.deliveries())[0].createdAt, 'from the first one')
  receiver.behave((response) => response.end())
  await stage.happen()
  await eventually(async () => (await stage.deliveries())[0].state === 'delivered')
  await eventually(async () => (await failingSince()) === null, 'it works again')
  receiver.behave((response) => {
    response.statusCode = 500
    response.end()
  })
  await stage.advance(2 * 86_400)
  await fail()
  assert.equal(await isEnabled(), true, 'the success counted')
  // Further failures do not restart the count.
  await stage.advance(3 * 86_400)
  await fail()
  await stage.advance(2 * 86_400 - 600)
  await fail()
  assert.equal(await isEnabled(), true, 'ten minutes are left')
  await stage.advance(660)
  await stage.happen()
  await eventually(async () => !(await isEnabled()), 'disabled')
  const { body } = await service.get(`/v1/webhook/${webhook.id}`)
  assert.equal(body.webhook.disabledReason, 'Every delivery has failed for 5 days')
  assert.deepEqual((await stage.deliveries('?state=pending')).length, 0, 'pending retries are held')
})

test('a webhook disabled by its owner gets nothing, not even pending retries', async (t) => {
  const stage = await webhookStage(t, (response, _, count) => {
    response.statusCode = count === 1 ? 500 : 200
    response.end()
  })
  const { service, webhook, receiver } = stage
  await stage.happen()
  await triedTimes(stage, 1)
  const disabled = await service.call('PATCH', `/v1/webhook/${webhook.id}`, { enabled: false })
  assert.equal(disabled.body.webhook.enabled, false)
  assert.equal(disabled.body.webhook.disabledReason, 'Disabled by the account owner')
  await stage.happen()
  await stage.advance(3600)
  assert.deepEqual(
    (await stage.deliveries()).map(({ state }) => state),
    ['held', 'held'],
  )
  await service.call('PATCH', `/v1/webhook/${webhook.id}`, { enabled: true })
  const since = new Date(Date.parse(webhook.createdAt)).toISOString()
  await service.post(`/v1/webhook/${webhook.id}/recover`, { since })
  await eventually(async () => (await stage.deliveries('?state=delivered')).length === 2)
  assert.equal(receiver.received.length, 3)
})

test('an owner who turns a webhook on again sees what was missed and can send it', async (t) => {
  const stage = await webhookStage(t, (response, { event }) => {
    response.statusCode = event.data.sequence === 9 ? 410 : 200
    response.end()
  })
  const { service, webhook, receiver } = stage
  const path = `/v1/webhook/${webhook.id}`
  const missed = async (query = '') => (await service.get(`${path}/recover${query}`)).body.recovery
  assert.deepEqual(await missed(), { held: 0, failed: 0, oldestAt: null, hasMore: false })
  await stage.happen() // arrives, and was not missed
  await triedTimes(stage, 1)
  const gone = await stage.happen({ sequence: 9 }) // turns it off
  await eventually(async () => !(await service.get(path)).body.webhook.enabled, 'off')
  const failed = await eventually(async () => (await stage.deliveries('?state=failed'))[0])
  assert.equal(failed.eventId, gone)
  await stage.advance(3600)
  const [first, second] = [await stage.happen(), await stage.happen()]
  const recovery = { held: 2, failed: 1, oldestAt: failed.createdAt, hasMore: false }
  assert.deepEqual(await missed(), recovery, 'while it is off, too')
  const held = await stage.deliveries('?state=held')
  assert.deepEqual(await missed(`?since=${held[1].createdAt}`), {
    ...recovery,
    failed: 0,
    oldestAt: held[1].createdAt,
  })

  receiver.behave((response) => response.end())
  await service.call('PATCH', path, { enabled: true })
  assert.deepEqual(await missed(), recovery, 'nothing is sent automatically')
  const sent = await service.post(`${path}/recover`, { since: recovery.oldestAt })
  assert.deepEqual(sent.body, { success: true, recovered: 3, hasMore: false })
  const received = await stage.arrived(5)
  assert.deepEqual(
    received
      .slice(2)
      .map(({ event }) => event.id)
      .toSorted(),
    [gone, first, second].toSorted(),
  )
  assert.deepEqual((await missed()).oldestAt, null)
})

test('pending deliveries of a deleted webhook are not sent', async (t) => {
  const stage = await webhookStage(t, (response) => {
    response.statusCode = 500
    response.end()
  })
  const { service, webhook, receiver, campaignId } = stage
  await stage.happen()
  await triedTimes(stage, 1)
  const other = await createWebhook(service, campaignId, `${receiver.url}/other`)
  await service.call('DELETE', `/v1/webhook/${webhook.id}`)
  await stage.advance(60)
  await stage.happen()
  await eventually(async () => receiver.received.length === 2)
  assert.equal(receiver.received[1]!.event.webhookId, other.id)
  const open = await service.world.db.query(sql`
    select id from event_deliveries
    where subscriber_id = ${webhook.id} and due_at is not null`)
  assert.deepEqual(open, [])
})
