// Receivers that are slow, wrong, absent, or hostile: what is recorded, and when it is retried.

import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { RETRY_WAITS_MS } from '../../src/webhooks/deliver/retry-schedule.js'
import { eventually } from '../harness.js'
import {
  createWebhook,
  triedTimes,
  type WebhookStage,
  webhookReceiver,
  webhookStage,
} from './webhook-receiver.js'

const REFUSING = 'http://127.0.0.1:1/hook'

/** Moves the clock to the next attempt. */
async function nextAttempt(stage: WebhookStage, attempts: number): Promise<void> {
  await stage.advance(RETRY_WAITS_MS[attempts - 1]! / 1000 + 1)
}

test('a success is recorded with its status, duration, and the first KiB of the response', async (t) => {
  const stage = await webhookStage(t, (response) => {
    response.statusCode = 204 + 2
    response.end('é'.repeat(2_000))
  })
  const eventId = await stage.happen({ sequence: 7 })
  const delivery = await triedTimes(stage, 1)
  assert.equal(delivery.state, 'delivered')
  assert.equal(delivery.eventId, eventId)
  assert.equal(delivery.sequence, 7)
  assert.equal(delivery.nextAttemptAt, null)
  assert.ok(delivery.finishedAt >= delivery.createdAt)
  const [{ at, durationMs, ...attempt }] = delivery.attempts
  assert.deepEqual(attempt, {
    attempt: 1,
    responseCode: 206,
    responseBody: 'é'.repeat(512),
    error: null,
  })
  assert.ok(at >= delivery.createdAt)
  assert.ok(Number.isInteger(durationMs))
})

test('a response with unstorable characters is stored anyway', async (t) => {
  const stage = await webhookStage(t, (response) => response.end(Buffer.from([0, 255, 65, 0])))
  await stage.happen()
  const delivery = await triedTimes(stage, 1)
  assert.equal(delivery.attempts[0].responseBody, '\ufffd\ufffdA\ufffd')
})

test('an event that arrived but cannot be recorded is not sent again before its lease ends', async (t) => {
  const stage = await webhookStage(t)
  const { db, log } = stage.service.world
  const logged = t.mock.method(log, 'error')
  await db.query(sql`alter table event_arrivals add constraint broken check (id = '')`)
  // The deliverer continues, so it had its chances to send the first one again.
  for (let count = 1; count <= 5; count += 1) {
    await stage.happen()
    await stage.arrived(count)
  }
  assert.equal(new Set(stage.receiver.received.map(({ event }) => event.id)).size, 5)
  assert.equal(stage.receiver.received.length, 5, 'each once')
  await eventually(async () => logged.mock.callCount() >= 5, 'no record of any')
  await db.query(sql`alter table event_arrivals drop constraint broken`)
  await stage.advance(60)
  await eventually(async () =>
    (await stage.deliveries()).every(({ state }) => state === 'delivered'),
  )
  assert.equal(stage.receiver.received.length, 10)
})

test('a failing endpoint is tried eight times by the schedule, then the delivery has failed', async (t) => {
  const stage = await webhookStage(t, (response, _, count) => {
    response.statusCode = count % 2 ? 500 : 404
    response.end('no')
  })
  await stage.happen()
  for (let attempts = 1; attempts < 8; attempts += 1) {
    const delivery = await triedTimes(stage, attempts)
    assert.equal(delivery.state, 'pending')
    const at = Date.parse(delivery.attempts.at(-1).at)
    const waitMs = Date.parse(delivery.nextAttemptAt) - at
    const printed = RETRY_WAITS_MS[attempts - 1]!
    // The wait counts from the record, a moment after the attempt started.
    assert.ok(
      waitMs >= printed * 0.9 && waitMs <= printed + 60_000,
      `wait ${attempts}: ${waitMs} ms`,
    )
    await nextAttempt(stage, attempts)
  }
  const failed = await triedTimes(stage, 8)
  assert.equal(failed.state, 'failed')
  assert.equal(failed.nextAttemptAt, null)
  assert.deepEqual(
    failed.attempts.map((a: { responseCode: number }) => a.responseCode),
    [500, 404, 500, 404, 500, 404, 500, 404],
  )
  await stage.advance(24 * 3600)
  await stage.happen()
  await eventually(async () => (await stage.deliveries())[0].attempts.length === 1)
  assert.equal((await stage.deliveries())[1].attempts.length, 8, 'no ninth attempt')
})

test('an absent endpoint is recorded with its reason and gets the event when it comes up', async (t) => {
  const stage = await webhookStage(t)
  const { service, webhook, receiver } = stage
  await service.call('PATCH', `/v1/webhook/${webhook.id}`, { url: REFUSING })
  await stage.happen()
  const delivery = await triedTimes(stage, 1)
  assert.equal(delivery.attempts[0].responseCode, null)
  assert.equal(delivery.attempts[0].error, 'The connection could not be made (ECONNREFUSED).')
  await service.call('PATCH', `/v1/webhook/${webhook.id}`, { url: receiver.url })
  await nextAttempt(stage, 1)
  assert.equal((await triedTimes(stage, 2)).state, 'delivered')
})

test('an endpoint that never responds times out', async (t) => {
  const stage = await webhookStage(t, () => {}, { timeoutMs: 200 })
  await stage.happen()
  const { attempts, state } = await triedTimes(stage, 1)
  assert.equal(state, 'pending')
  assert.equal(attempts[0].error, 'No complete answer came within 200 ms.')
})

test('an endpoint that drips its response times out as well', async (t) => {
  const timers: NodeJS.Timeout[] = []
  t.after(() => {
    for (const timer of timers) clearInterval(timer)
  })
  const stage = await webhookStage(
    t,
    (response) => {
      response.writeHead(200)
      timers.push(setInterval(() => response.write('.'), 20))
    },
    { timeoutMs: 300 },
  )
  await stage.happen()
  const { attempts } = await triedTimes(stage, 1)
  assert.equal(attempts[0].error, 'No complete answer came within 300 ms.')
})

test('an endless response is cut off and counts by its status', async (t) => {
  const stage = await webhookStage(t, (response) => {
    const pour = () => {
      while (response.write('x'.repeat(16_384)));
      response.once('drain', pour)
    }
    pour()
  })
  await stage.happen()
  const { attempts, state } = await triedTimes(stage, 1)
  assert.equal(state, 'delivered')
  assert.equal(attempts[0].responseBody, 'x'.repeat(1024))
})

test('a redirect is a failure with its reason and is not followed', async (t) => {
  const other = await webhookReceiver(t)
  const stage = await webhookStage(t, (response) => {
    response.writeHead(302, { location: other.url })
    response.end()
  })
  await stage.happen()
  const { attempts, state } = await triedTimes(stage, 1)
  assert.equal(state, 'pending')
  assert.equal(attempts[0].responseCode, 302)
  assert.match(attempts[0].error, /Redirects are not followed/)
  assert.equal(other.received.length, 0)
})

test('a socket closed without a response is a failure', async (t) => {
  const stage = await webhookStage(t, (response) => response.socket?.destroy())
  await stage.happen()
  const { attempts } = await triedTimes(stage, 1)
  assert.equal(attempts[0].error, 'The connection was closed before the answer was complete.')
})

test('a response that is not HTTP is a failure', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.2\r\n'))
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const stage = await webhookStage(t)
  const { port } = server.address() as { port: number }
  const url = `http://127.0.0.1:${port}/`
  await stage.service.call('PATCH', `/v1/webhook/${stage.webhook.id}`, { url })
  await stage.happen()
  assert.match((await triedTimes(stage, 1)).attempts[0].error, /^The answer was not valid HTTP/)
})

test('429 with Retry-After in seconds pauses the event and its endpoint that long, and no other endpoint', async (t) => {
  const stage = await webhookStage(t, (response, _, count) => {
    if (count === 1) response.writeHead(429, { 'retry-after': '40' })
    response.end()
  })
  const first = await stage.happen()
  const { attempts, nextAttemptAt } = await triedTimes(stage, 1)
  const waitMs = Date.parse(nextAttemptAt) - Date.parse(attempts[0].at)
  assert.ok(waitMs >= 40_000 && waitMs < 100_000, `${waitMs} ms`)
  const other = await webhookReceiver(t)
  await createWebhook(stage.service, stage.campaignId, other.url)
  await stage.advance(20)
  // The event is paused, and so is the endpoint: a new event is not sent to it either.
  const second = await stage.happen()
  await eventually(async () => other.received.length === 1, 'the other endpoint has it')
  await stage.advance(21)
  await eventually(async () => (await stage.deliveries('?state=delivered')).length === 2)
  const triedAt = new Map(
    (await stage.deliveries()).map((delivery) => [
      delivery.eventId,
      delivery.attempts.map((attempt: { at: string }) => Date.parse(attempt.at)),
    ]),
  )
  const askedAt = Date.parse(attempts[0].at)
  assert.equal(triedAt.get(first).length, 2)
  assert.equal(triedAt.get(second).length, 1)
  assert.ok(triedAt.get(first)[1] >= askedAt + 40_000, 'the refused one')
  assert.ok(triedAt.get(second)[0] >= askedAt + 40_000, 'the new one')
  assert.equal(stage.receiver.received.length, 3)
})

test('Retry-After can be a date, and one of years is limited to ten hours', async (t) => {
  const stage = await webhookStage(t, (response) => {
    response.writeHead(503, { 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' })
    response.end()
  })
  await stage.happen()
  const { attempts, nextAttemptAt } = await triedTimes(stage, 1)
  const waitMs = Date.parse(nextAttemptAt) - Date.parse(attempts[0].at)
  assert.ok(waitMs >= 36_000_000 && waitMs < 36_060_000, `${waitMs} ms`)
})
