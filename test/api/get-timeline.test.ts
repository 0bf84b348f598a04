// GET /v1/message/{id}/timeline: what happened to a message and why.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, testService } from '../harness.js'
import { ATT, changeCampaign, idOf, sendingService, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

test('the first timeline entry shows whether the message was queued, scheduled, or received', async (t) => {
  const { service, send, inbound, message } = await sendingService(t)
  const scheduledAt = new Date(service.world.clock.now().getTime() + 3_600_000).toISOString()
  for (const [id, text] of [
    [await send(), 'Accepted and queued for sending'],
    [await send({ scheduledAt }), `Accepted, scheduled for ${scheduledAt}`],
    [idOf(await inbound(VZW, 'Hi')), 'Received'],
  ] as const) {
    const { createdAt } = await message(id)
    const { status, body } = await service.get(`/v1/message/${id}/timeline`)
    assert.equal(status, 200)
    assert.deepEqual(body, { timeline: [{ at: createdAt, kind: 'created', text }] })
  }
})

test('the timeline of a delivered message shows acceptance and delivery', async (t) => {
  const { service, send, until } = await sendingService(t, { roles: ['dispatch'] })
  const id = await send()
  const { sentAt, updatedAt } = await until(id, 'DELIVERED')
  const { timeline } = (await service.get(`/v1/message/${id}/timeline`)).body
  assert.deepEqual(
    timeline.slice(1).map(({ text }: { text: string }) => text),
    ['Accepted by the carrier', 'Delivered (confirmed by the carrier)'],
  )
  const times = timeline.map(({ at }: { at: string }) => at)
  assert.deepEqual(times, [...times].sort())
  assert.ok(times[1] <= sentAt && times[2] <= updatedAt)
})

test('a message that waits for a limit shows which one, and afterwards how long it waited', async (t) => {
  const { service, campaignId, send, until, kinds, advance } = await sendingService(t, {
    roles: ['dispatch'],
  })
  await changeCampaign(service, campaignId, { smsTpmAtt: 1 })
  await until(await send({ to: ATT }), 'DELIVERED')
  const id = await send({ to: ATT })
  await eventually(async () => (await kinds(id)).at(-1) === 'waiting')
  const waiting = await service.get(`/v1/message/${id}/timeline`)
  assert.match(
    waiting.body.timeline.at(-1).text,
    /^Waiting until \d{4}-.*Z, because the AT&T limit of 1\/min was reached$/,
  )
  await advance(70)
  await until(id, 'DELIVERED')
  const { timeline } = (await service.get(`/v1/message/${id}/timeline`)).body
  assert.deepEqual(await kinds(id), ['created', 'waited', 'sent', 'delivered'])
  assert.match(timeline[1].text, /^Waited for the AT&T limit of 1\/min: \d+\.\d s$/)
})

test('an unknown message or another account’s message has no timeline', async (t) => {
  const { service, send } = await sendingService(t)
  const id = await send()
  const other = await service.otherAccount()
  const missing = { timeline: [], error: 'Message not found', code: 'message_missing' }
  for (const path of ['msg_01km3v9w8m0000pqv3t5x7z9bd', 'x', '%00']) {
    const { status, body } = await service.get(`/v1/message/${path}/timeline`)
    assert.equal(status, 404)
    assert.deepEqual(body, missing)
  }
  const foreign = await service.get(`/v1/message/${id}/timeline`, { token: other.token })
  assert.deepEqual([foreign.status, foreign.body], [404, missing])
})

test('the timeline requires the read scope', async (t) => {
  const service = await testService(t)
  await assertFailureShapes(service, {
    method: 'GET',
    url: '/v1/message/msg_01km3v9w8m0000pqv3t5x7z9bd/timeline',
    failure: { timeline: [] },
    scope: 'read',
  })
})
