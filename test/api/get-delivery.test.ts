// GET /v1/webhook/{id}/deliveries/{deliveryId}: one delivery, with the exact request of every attempt.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newId } from '../../src/kit/ids.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { redactRequests } from '../../src/webhooks/redact-queries.js'
import {
  type Received,
  triedTimes,
  type WebhookStage,
  webhookStage,
} from '../flows/webhook-receiver.js'
import { type CallOptions, eventually, type Json, writesMessages } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

interface Header {
  name: string
  value: string
}

async function read({ service, webhook }: WebhookStage, id: string, options?: CallOptions) {
  const { status, body } = await service.get(`/v1/webhook/${webhook.id}/deliveries/${id}`, options)
  assert.equal(status, 200, JSON.stringify(body))
  return body.delivery
}

/** The headers that arrived, with the secret one masked as the API shows it. */
function shownHeaders({ rawHeaders }: Received): Header[] {
  const headers: Header[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name, value] = [rawHeaders[i]!, rawHeaders[i + 1]!]
    const isSecret = name === 'x-webhook-signature'
    headers.push({ name, value: isSecret ? `…${value.slice(-4)}` : value })
  }
  return headers
}

const headerOf = (headers: Header[], wanted: string) =>
  headers.find(({ name }) => name === wanted)!.value

test('every attempt shows its request exactly as sent: URL, headers in order, and body', async (t) => {
  const stage = await webhookStage(t, (response, _, count) => {
    response.statusCode = count === 1 ? 503 : 200
    response.end(`answer ${count}`)
  })
  const { service, webhook, receiver } = stage
  await stage.happen()
  const { id } = await triedTimes(stage, 1)
  // The next attempt goes to another URL, signed with two secrets. Each attempt shows its own request.
  const url = `${receiver.url}/elsewhere?key=%22`
  const patched = await service.call('PATCH', `/v1/webhook/${webhook.id}`, { url })
  assert.equal(patched.status, 200)
  const { body } = await service.post(`/v1/webhook/${webhook.id}/rotate`)
  await stage.advance(6)
  await stage.arrived(2)
  const delivery = await eventually(async () => {
    const found = await read(stage, id)
    return found.state === 'delivered' && found
  })
  const [listed] = await stage.deliveries()
  assert.deepEqual(
    { ...delivery, attempts: delivery.attempts.map(({ request: _, ...rest }: Json) => rest) },
    listed,
    'otherwise as the list shows it',
  )
  const [first, second] = delivery.attempts
  for (const [attempt, came] of [
    [first, receiver.received[0]!],
    [second, receiver.received[1]!],
  ] as const) {
    assert.deepEqual(attempt.request.headers, shownHeaders(came))
    assert.equal(attempt.request.method, 'POST')
    assert.equal(delivery.requestBody, came.text)
  }
  assert.deepEqual([first.request.url, second.request.url], [webhook.url, url])
  const signatures = (attempt: typeof first): string[] =>
    headerOf(attempt.request.headers, 'webhook-signature').split(' ')
  assert.deepEqual([signatures(first).length, signatures(second).length], [1, 2])
  for (const [attempt, secret] of [
    [first, webhook.secret],
    [second, webhook.secret],
    [second, body.webhook.secret],
  ]) {
    const shown = Object.fromEntries(
      attempt.request.headers.map(({ name, value }: Header) => [name, value]),
    )
    new Webhook(secret).verify(delivery.requestBody, shown)
  }
})

test('no secret is stored with an attempt or shown', async (t) => {
  const stage = await webhookStage(t)
  const { service, webhook } = stage
  await stage.happen()
  const { id } = await triedTimes(stage, 1)
  const [{ head }] = (await service.world.db.query(sql`
    select request as head from event_arrivals`)) as [{ head: string }]
  for (const secret of [webhook.secret, webhook.signature]) assert.ok(!head.includes(secret))
  for (const options of [{}, { token: await service.tokenWith(['read']) }]) {
    const { attempts } = await read(stage, id, options)
    const { headers } = attempts[0].request
    assert.equal(headerOf(headers, 'x-webhook-signature'), `…${webhook.signature.slice(-4)}`)
    assert.ok(!JSON.stringify(headers).includes(webhook.signature))
  }
  const masked = await read(stage, id, { token: await service.tokenWith(['read']) })
  assert.ok(
    !JSON.stringify(masked).includes(webhook.signature),
    'a read-only token does not see it in the body either',
  )
  assert.equal(JSON.parse((await read(stage, id)).requestBody).signature, webhook.signature)
})

test('a request is shown byte for byte after the message changes, and not after its text is deleted', async (t) => {
  const stage = await webhookStage(t)
  const { service, webhook, campaignId, receiver } = stage
  const { db, clock } = service.world
  writesMessages(service.world)
  const messageId = newId('msg', clock.now())
  await db.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      metadata, num_segments, price_micros, status, sent_at, created_at, updated_at)
    values (${service.accountId}, ${messageId}, ${campaignId}, 'SMS', 'OUTBOUND', '+14152000001',
      '+14155550107', 'open', 'He said "so",\\t"and" so', '{"a": "1,2"}', 1, 7900, 'SENT',
      ${clock.now()}, ${clock.now()}, ${clock.now()})`)
  await stage.happen({ messageId })
  const { id } = await triedTimes(stage, 1)
  const rows = await db.query(sql`select 1 from webhook_attempts`)
  assert.equal(rows.length, 0, 'no copy was stored')
  const [{ text }] = receiver.received as [Received]
  assert.equal(JSON.parse(text).data.message.price, 0.0079)
  await db.query(sql`
    update messages set status = 'FAILED', error_code = 1, is_refunded = true, sequence = 9
    where id = ${messageId}`)
  const before = await read(stage, id)
  assert.equal(before.requestBody, text)
  assert.deepEqual(before.attempts[0].request.headers, shownHeaders(receiver.received[0]!))

  await service.post(`/v1/webhook/${webhook.id}/deliveries/${id}/replay`)
  await triedTimes(stage, 2)
  assert.equal(receiver.received[1]!.text, text, 'a replay sends the same bytes')
  const again = await read(stage, id)
  assert.equal(again.requestBody, text)
  for (const [i, attempt] of again.attempts.entries()) {
    assert.deepEqual(attempt.request.headers, shownHeaders(receiver.received[i]!))
  }

  await db.query(sql`update messages set body = '', metadata = '{}' where id = ${messageId}`)
  const redacted = await read(stage, id)
  assert.deepEqual(
    [redacted.requestBody, redacted.attempts.map(({ request }: Json) => request)],
    [null, [null, null]],
  )
})

test('an attempt without a response shows the request', async (t) => {
  const stage = await webhookStage(t, (response) => response.destroy())
  await stage.happen()
  const { id } = await triedTimes(stage, 1)
  const { attempts } = await read(stage, id)
  assert.equal(attempts[0].responseCode, null)
  assert.notEqual(attempts[0].error, null)
  assert.deepEqual(attempts[0].request.headers, shownHeaders(stage.receiver.received[0]!))
})

test('a delivery that was never tried has no attempts, and a redacted one has no request', async (t) => {
  const stage = await webhookStage(t)
  const { service, webhook } = stage
  await stage.happen()
  const { id } = await triedTimes(stage, 1)
  await redactRequests(service.world.db, service.accountId, `dlv_${'z'.repeat(26)}`)
  const redacted = await read(stage, id)
  assert.deepEqual([redacted.requestBody, redacted.attempts[0].request], [null, null])
  assert.equal(redacted.attempts[0].responseCode, 200)

  // A replay builds and stores the request again.
  await service.post(`/v1/webhook/${webhook.id}/deliveries/${id}/replay`)
  await triedTimes(stage, 2)
  const again = await read(stage, id)
  assert.equal(again.requestBody, stage.receiver.received[1]!.text)
  assert.deepEqual(again.attempts[1].request.headers, shownHeaders(stage.receiver.received[1]!))
  assert.equal(again.attempts[0].request, null)

  await stage.stop()
  await stage.happen()
  const [unsent] = await stage.deliveries()
  assert.deepEqual((await read(stage, unsent.id)).attempts, [])
})

test('an unknown delivery or webhook returns not found, and so does another account’s', async (t) => {
  const stage = await webhookStage(t)
  const { service, webhook } = stage
  await stage.happen()
  const { id } = await triedTimes(stage, 1)
  const { token } = await service.otherAccount()
  const missing = `dlv_${'0'.repeat(26)}`
  const found = async (path: string, options = {}) => {
    const { status, body } = await service.get(path, options)
    assert.equal(body.delivery, null)
    return [status, body.code]
  }
  const path = `/v1/webhook/${webhook.id}/deliveries`
  for (const one of [missing, 'x', '%00']) {
    assert.deepEqual(await found(`${path}/${one}`), [404, 'delivery_missing'])
  }
  assert.deepEqual(await found(`${path}/${id}`, { token }), [404, 'webhook_missing'])
  const other = `/v1/webhook/whk_${'0'.repeat(26)}/deliveries/${id}`
  assert.deepEqual(await found(other), [404, 'webhook_missing'])
  await assertFailureShapes(service, {
    method: 'GET',
    url: `${path}/${id}`,
    failure: { delivery: null },
    scope: 'read',
  })
})
