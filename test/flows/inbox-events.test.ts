// Every change of a conversation reaches the live stream and the subscribed webhooks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { sendingService, VZW } from '../sending.js'

interface Stored {
  campaignId: string
  data: { change: string; conversation: Record<string, unknown>; changed: string[] }
}

test('each change of a conversation is one event, with the conversation as it left it', async (t) => {
  const { service, campaignId, inbound } = await sendingService(t)
  const path = `/v1/campaign/${campaignId}/conversations/${VZW.slice(1)}`
  await inbound(VZW, 'Hello')
  await inbound(VZW, 'STOP')
  await inbound(VZW, 'START')
  await service.call('PATCH', path, { unread: false, assignee: 'ana' })
  await service.call('PATCH', path, { assignee: 'ana' }) // changes nothing
  const { body: noted } = await service.post(`${path}/notes`, { body: 'Called back' })
  await service.call('DELETE', `${path}/notes/${noted.note.id}`)
  await service.call('PATCH', path, { status: 'CLOSED' })
  await inbound(VZW, 'One more thing')
  const events = await service.world.db.query<Stored>(sql`
    select campaign_id as "campaignId", data from events
    where account_id = ${service.accountId} and event_type = 'conversation.changed' order by id`)
  assert.deepEqual(
    events.map(({ data: { change, conversation, changed } }) => [
      change,
      conversation.status,
      conversation.unread,
      conversation.assignee,
      changed,
    ]),
    [
      ['replied', 'OPEN', true, null, []],
      ['assigned', 'OPEN', false, 'ana', ['unread', 'assignee']],
      ['noted', 'OPEN', false, 'ana', []],
      ['noted', 'OPEN', false, 'ana', []], // deleted
      ['closed', 'CLOSED', false, 'ana', ['status']],
      ['replied', 'OPEN', true, 'ana', []],
    ],
  )
  assert.ok(events.every((event) => event.campaignId === campaignId))
})

test('a webhook that lists conversation.changed gets its deliveries', async (t) => {
  const { service, campaignId, inbound } = await sendingService(t)
  const { body } = await service.post(`/v1/campaign/${campaignId}/webhooks`, {
    url: 'https://receiver.test/hook',
    signature: 's',
    eventTypes: ['conversation.changed'],
  })
  await inbound(VZW, 'Hello')
  const { body: listed } = await service.get(
    `/v1/webhook/${body.webhook?.id ?? body.id}/deliveries`,
  )
  assert.deepEqual(
    listed.deliveries.map((delivery: { eventType: string }) => delivery.eventType),
    ['conversation.changed'],
  )
})
