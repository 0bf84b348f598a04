// "The same bytes again": what a retry, a replay, and the console show of a delivered event, whatever happened to its
// message, its webhook, or the service since. docs/webhooks.md lists the exceptions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { newId } from '../../src/kit/ids.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { redactMessages } from '../../src/operator/retention/redact-account.js'
import { BODY_VERSIONS } from '../../src/webhooks/stored-body.js'
import { eventually, type TestService, writesMessages } from '../harness.js'
import { type WebhookStage, webhookStage } from './webhook-receiver.js'

const ACTOR = { kind: 'command', id: null, name: 'ana', origin: 'laptop', requestId: null } as const

/** A stage on which a message was sent, refunded since, and its event delivered. */
async function deliveredStage(t: Parameters<typeof webhookStage>[0]) {
  const stage = await webhookStage(t)
  const { service, campaignId, webhook } = stage
  writesMessages(service.world)
  const messageId = await insertMessage(service, campaignId)
  await stage.happen({ messageId })
  const { text } = (await stage.arrived(1))[0]!
  const id = await eventually(async () => {
    const [delivery] = await stage.deliveries('?state=delivered')
    return delivery?.id as string | undefined
  })
  await service.world.db.query(sql`
    update messages set is_refunded = true, status = 'FAILED', error_code = 1, sequence = 9
    where id = ${messageId}`)
  await stage.advance(10) // for five seconds, the deliverer has the body in memory
  const path = `/v1/webhook/${webhook.id}/deliveries/${id}`
  return { ...stage, messageId, text, path }
}

type Delivered = Awaited<ReturnType<typeof deliveredStage>>

async function insertMessage({ world, accountId }: TestService, campaignId: string) {
  const now = world.clock.now()
  const id = newId('msg', now)
  await world.db.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      media_urls, metadata, num_segments, price_micros, status, sent_at, created_at, updated_at)
    values (${accountId}, ${id}, ${campaignId}, 'MMS', 'OUTBOUND', '+14152000001',
      '+14155550107', 'open', 'He said "so",\\t"and" so', '["https://files.example/1"]',
      '{"a": "1,2"}', 1, 7900, 'SENT', ${now}, ${now}, ${now})`)
  return id
}

async function shownBody({ service, path }: Delivered): Promise<string | null> {
  const { status, body } = await service.get(path)
  assert.equal(status, 200)
  return body.delivery.requestBody
}

async function replayedBody({ service, path, receiver, arrived }: Delivered): Promise<string> {
  const count = receiver.received.length + 1
  const { status } = await service.post(`${path}/replay`)
  assert.equal(status, 200)
  return (await arrived(count)).at(-1)!.text
}

/** Rewrites the first line of what is stored, as another version of the service would have written it. */
async function storeAs({ service }: WebhookStage, line: string): Promise<void> {
  const { db } = service.world
  const [row] = await db.query<{ request: string }>(sql`select request from event_arrivals`)
  const [stored, ...head] = row!.request.split('\n')
  assert.match(stored!, /^\d+\t\w+\t{"price":0\.0079}$/)
  const request = [line, ...head].join('\n')
  await db.query(sql`update event_arrivals set request = ${request}`)
}

async function assertSameAgain(stage: Delivered): Promise<void> {
  assert.equal(JSON.parse(stage.text).data.message.price, 0.0079)
  assert.equal(await shownBody(stage), stage.text)
  assert.equal(await replayedBody(stage), stage.text)
}

test('a body is the same after a refund and a change of the message and its webhook', async (t) => {
  const stage = await deliveredStage(t)
  const { service, webhook, receiver } = stage
  const url = `${receiver.url}/elsewhere`
  await service.call('PATCH', `/v1/webhook/${webhook.id}`, { url, name: 'Other', numbers: null })
  await service.post(`/v1/webhook/${webhook.id}/rotate`)
  await assertSameAgain(stage)
})

test('a body that the previous version of the service stored is the same', async (t) => {
  const stage = await deliveredStage(t)
  const event = JSON.parse(stage.text)
  const isOfVersion1 = ([field]: [string, unknown]) =>
    BODY_VERSIONS.get('1')!.fields.includes(field)
  event.data.message = Object.fromEntries(Object.entries(event.data.message).filter(isOfVersion1))
  const text = JSON.stringify(event)
  await storeAs(stage, `1\t${crc32(text).toString(36)}\t25 price":0.0079}`)
  assert.equal(await shownBody(stage), text)
})

test('a body that a later version of the service stored is not shown, and a replay makes a new one', async (t) => {
  const stage = await deliveredStage(t)
  await storeAs(stage, '999\tsum\t{"price":0.0079}')
  assert.equal(await shownBody(stage), null)
  const again = await replayedBody(stage)
  assertChanged(stage, again, { price: 0 })
})

test('a body with redacted text or media is not shown, and a replay makes a new one', async (t) => {
  for (const withMedia of [false, true]) {
    const stage = await deliveredStage(t)
    const { service } = stage
    const now = new Date(service.world.clock.now().getTime() + 1_000)
    const range = { days: 0, withMedia, now }
    await redactMessages(service.world.db, ACTOR, service.accountId, range)
    assert.equal(await shownBody(stage), null)
    const redacted = { body: '', metadata: {}, price: 0, ...(withMedia && { mediaUrls: [] }) }
    const again = await replayedBody(stage)
    assertChanged(stage, again, redacted)
  }
})

test('the body of a deleted message is not shown, and a replay makes a new one', async (t) => {
  const stage = await deliveredStage(t)
  await stage.service.world.db.query(sql`delete from messages where id = ${stage.messageId}`)
  assert.equal(await shownBody(stage), null)
  const { id, data } = JSON.parse(await replayedBody(stage))
  assert.equal(id, JSON.parse(stage.text).id)
  assert.deepEqual(Object.keys(data.message).sort(), [
    'campaignId',
    'errorCode',
    'errorMessage',
    'id',
    'sentAt',
    'status',
    'updatedAt',
  ])
})

test('the deliveries of a deleted webhook are not found', async (t) => {
  const stage = await deliveredStage(t)
  const { service, webhook, path } = stage
  await service.call('DELETE', `/v1/webhook/${webhook.id}`)
  assert.equal((await service.get(path)).status, 404)
  assert.equal((await service.post(`${path}/replay`)).status, 404)
})

/** The same event, with these fields of its message as they are now. */
function assertChanged({ text }: Delivered, again: string, changes: Record<string, unknown>): void {
  const [first, second] = [JSON.parse(text), JSON.parse(again)]
  assert.equal(second.id, first.id)
  const expected = { ...first.data.message, ...changes }
  for (const field of ['id', 'status', 'body', 'metadata', 'mediaUrls', 'price']) {
    assert.deepEqual(second.data.message[field], expected[field], field)
  }
}
