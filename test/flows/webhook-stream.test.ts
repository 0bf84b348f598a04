// GET /v1/events/stream: an account's events as they happen, resumed where a client left off.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { revokeCreatedBy, revokeToken } from '../../src/accounts/token-queries.js'
import { newId } from '../../src/kit/ids.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { assertFailureShapes } from '../api/failure-shapes.js'
import { giveMoney } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, testService } from '../harness.js'
import {
  heard,
  openStream,
  type Stream,
  type StreamEvent,
  type StreamOptions,
  told,
} from './event-stream.js'
import { createWebhook, happen } from './webhook-receiver.js'

async function stage(t: TestContext) {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const base = await service.app.listen({ port: 0, host: '127.0.0.1' })
  return {
    service,
    campaignId,
    open: (options?: StreamOptions) => openStream(t, service, base, options),
    happen: () => happen(service, { campaignId }),
  }
}

const idsOf = (stream: Stream) => stream.events.map(({ id }) => id)

test('events arrive as they happen, in the format of webhooks without the webhook fields', async (t) => {
  const { service, campaignId, open } = await stage(t)
  const stream = await open()
  assert.equal(stream.status, 200)
  assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.match(stream.headers.get('x-request-id')!, /^req_/)
  const messageId = newId('msg', new Date())
  const id = await happen(service, { campaignId, messageId, sequence: 2 })
  await heard(stream, 1)
  const [{ data, ...frame }] = stream.events as [StreamEvent]
  assert.deepEqual(frame, { id, event: 'message.status' })
  assert.deepEqual(Object.keys(data), ['id', 'eventType', 'createdAt', 'campaignId', 'data'])
  assert.equal(data.id, id)
  assert.equal(data.campaignId, campaignId)
  assert.equal(data.data.message.id, messageId)
  assert.equal(data.data.sequence, 2)
})

/** Of one account. */
const STREAMS_MAX = 20

test('an account has at most 20 streams at once, whatever others have', async (t) => {
  const { service, open } = await stage(t)
  const { token } = await service.otherAccount()
  const streams = await Promise.all(Array.from({ length: STREAMS_MAX }, () => open()))
  assert.deepEqual(new Set(streams.map(({ status }) => status)), new Set([200]))
  assert.equal((await open()).status, 429)
  assert.equal((await service.get('/v1/events/stream')).body.code, 'streams_too_many')
  assert.equal((await open({ token })).status, 200)
  streams[0]!.close()
  await eventually(async () => (await open()).status === 200, 'the place of a closed stream')
})

test('earlier events and those of other accounts are not sent', async (t) => {
  const { service, open, happen: occur } = await stage(t)
  await occur()
  const { accountId, token } = await service.otherAccount()
  const [own, foreign] = [await open(), await open({ token })]
  await happen(service, { accountId, campaignId: null })
  const id = await occur()
  await heard(own, 1)
  await heard(foreign, 1)
  assert.deepEqual(idsOf(own), [id])
  assert.notEqual(idsOf(foreign)[0], id)
  assert.equal(foreign.events.length, 1)
})

test('a client resumes after the last event it saw, by header or by query', async (t) => {
  const { open, happen: occur } = await stage(t)
  const ids = [await occur(), await occur(), await occur(), await occur()]
  const streams = [
    await open({ lastEventId: ids[1]! }),
    await open({ query: `?lastEventId=${ids[1]}` }),
  ]
  const late = await occur()
  for (const stream of streams) {
    await heard(stream, 3)
    assert.deepEqual(idsOf(stream), [ids[2], ids[3], late])
  }
})

test('a browser that reconnects automatically continues after the last event it saw', async (t) => {
  const { open, happen: occur } = await stage(t)
  const ids = [await occur(), await occur(), await occur()]
  const stream = await open({ query: `?lastEventId=${ids[0]}`, lastEventId: ids[1]! })
  assert.equal((await told(stream, 'resumed')).lastEventId, ids[1])
  assert.deepEqual(idsOf(stream), [ids[2]])
})

test('a resuming client gets the number of missed events and whether any is missing', async (t) => {
  const { open, happen: occur } = await stage(t)
  const ids = [await occur(), await occur(), await occur()]
  const stream = await open({ lastEventId: ids[0]! })
  assert.deepEqual(await told(stream, 'resumed'), {
    lastEventId: ids[0],
    caughtUp: 2,
    isComplete: true,
  })
  assert.deepEqual(idsOf(stream), ids.slice(1))
  const upToDate = await open({ lastEventId: ids[2]! })
  assert.equal((await told(upToDate, 'resumed')).caughtUp, 0)
  const fresh = await open()
  await told(fresh, 'heartbeat')
  await occur()
  await heard(fresh, 1)
  assert.ok(
    fresh.states.every(({ event }) => event !== 'resumed'),
    'nothing was missed',
  )
})

test('a client that resumes after a deleted or unknown event learns of the gap', async (t) => {
  const { service, open, happen: occur } = await stage(t)
  const [gone, kept] = [await occur(), await occur()]
  await service.world.db.query(sql`
    delete from events where account_id = ${service.accountId} and id = ${gone}`)
  const { accountId } = await service.otherAccount()
  const foreign = await happen(service, { accountId, campaignId: null })
  for (const [lastEventId, caughtUp] of [
    [gone, 1],
    [foreign, 0],
  ] as const) {
    const stream = await open({ lastEventId })
    assert.deepEqual(await told(stream, 'resumed'), { lastEventId, caughtUp, isComplete: false })
    assert.deepEqual(idsOf(stream), caughtUp ? [kept] : [])
  }
})

test('a heartbeat has the service’s time, at the start and when its clock moves', async (t) => {
  const { service, open, happen: occur } = await stage(t)
  const stream = await open()
  const first = await told(stream, 'heartbeat')
  assert.deepEqual(Object.keys(first), ['now'])
  assert.match(first.now, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  await service.post('/sandbox/clock/advance', { seconds: 86_400 })
  const { now } = await told(stream, 'heartbeat', 1)
  assert.ok(Date.parse(now) - Date.parse(first.now) >= 86_400_000)
  const id = await occur()
  await heard(stream, 1)
  assert.deepEqual(idsOf(stream), [id], 'a heartbeat is not an event and has no id')
})

test('the balance is sent at the start and after every charge or credit', async (t) => {
  const { service, campaignId, open } = await stage(t)
  const { token } = await service.otherAccount()
  const [stream, foreign] = [await open(), await open({ token })]
  const balanceOf = async (): Promise<number> =>
    (await service.get('/v1/account')).body.account.balance
  const first = await told(stream, 'balance.changed')
  assert.deepEqual(first, {
    eventType: 'balance.changed',
    createdAt: first.createdAt,
    campaignId: null,
    data: { change: 'current', balance: await balanceOf() },
  })
  await buyNumber(service, campaignId)
  const charged = await told(stream, 'balance.changed', 1)
  assert.deepEqual(charged.data, { change: 'moved', balance: await balanceOf() })
  assert.ok(charged.data.balance < first.data.balance)
  await giveMoney(service, '5')
  const credited = await told(stream, 'balance.changed', 2)
  assert.deepEqual(credited.data, { change: 'moved', balance: await balanceOf() })
  assert.ok(credited.data.balance > charged.data.balance)
  assert.ok(
    foreign.states.every(({ data }) => data.data?.change !== 'moved'),
    'only its own balance',
  )
})

test('more than a page of missed events is replayed, each once, while new ones come', async (t) => {
  const { service, open, happen: occur } = await stage(t)
  const first = await occur()
  const { appendPieces } = await import('../../src/events/append-queries.js')
  const now = service.world.clock.now()
  const missed = Array.from({ length: 1_200 }, () => newId('evt', now))
  await service.world.db.query({
    name: '',
    text: `with source as (
      select id, 'message.incoming' as event_type, null::text as campaign_id, null::text as number,
        null::text as message_id, null::smallint as sequence, null::text as status,
        null::text as previous_status, null::integer as error_code, null::text as error_message,
        '{}'::jsonb as data from unnest($3::text[]) as id), ${appendPieces({ name: 'source' })} select 1`,
    values: [service.accountId, now, missed],
  })
  const stream = await open({ lastEventId: first })
  const fresh = [await occur(), await occur()]
  await heard(stream, 1_202)
  assert.deepEqual(idsOf(stream), [...missed, ...fresh])
})

test('an event that is committed late is still sent', async (t) => {
  const { service, open, happen: occur } = await stage(t)
  const stream = await open()
  const { appendSample } = await import('../../src/events/append-events.js')
  let lateId = ''
  await service.world.db.transaction(async (tx) => {
    lateId = await appendSample(tx, {
      accountId: service.accountId,
      eventType: 'message.incoming',
      data: {},
      now: service.world.clock.now(),
    })
    // Another one starts later, commits earlier, and is sent before this one commits.
    await occur()
    await heard(stream, 1)
  })
  await heard(stream, 2)
  assert.equal(idsOf(stream)[1], lateId)
  assert.ok(lateId < idsOf(stream)[0]!)
})

test('changes of webhooks go to the stream and to no webhook', async (t) => {
  const { service, campaignId, open } = await stage(t)
  const stream = await open()
  const webhook = await createWebhook(service, campaignId, 'https://example.com/')
  await service.call('PATCH', `/v1/webhook/${webhook.id}`, { enabled: false })
  await service.call('DELETE', `/v1/webhook/${webhook.id}`)
  await heard(stream, 3)
  assert.deepEqual(
    stream.events.map(({ event, data }) => [event, data.data.webhookId, data.data.change]),
    ['created', 'off', 'deleted'].map((change) => ['webhook.changed', webhook.id, change]),
  )
})

test('a stream ends when another process revokes its token, or the token that created it', async (t) => {
  const { service, open } = await stage(t)
  const { db, clock } = service.world
  const parent = await service.post('/v1/token/create', {})
  const child = await service.post('/v1/token/create', {}, { token: parent.body.accessToken })
  const streams = [
    await open({ token: parent.body.accessToken }),
    await open({ token: child.body.accessToken }),
  ]
  const untouched = await open()
  await revokeToken(db, service.accountId, parent.body.token.id, clock.now())
  await streams[0]!.ended
  const kept = { creators: [parent.body.token.id], kept: [] }
  await revokeCreatedBy(db, service.accountId, kept, clock.now())
  await streams[1]!.ended
  await happen(service, { campaignId: null })
  await heard(untouched, 1)
})

test('a revoked token ends its stream', async (t) => {
  const { service, open } = await stage(t)
  const made = await service.post('/v1/token/create', { scopes: ['read'] })
  const stream = await open({ token: made.body.accessToken })
  await service.call('DELETE', `/v1/token/${made.body.token.id}`)
  await stream.ended
  assert.equal(stream.status, 200)
})

test('an account has at most 20 streams, and a closed one makes room', async (t) => {
  const { open } = await stage(t)
  const streams: Stream[] = []
  for (let i = 0; i < 20; i += 1) streams.push(await open())
  const refused = await open()
  assert.equal(refused.status, 429)
  streams[0]!.close()
  await eventually(async () => (await open()).status === 200, 'room')
})

test('a console session opens a stream, and signing out ends it', async (t) => {
  const { service, open, happen: occur } = await stage(t)
  const headers = { 'x-longcode-console': '1' }
  const signedIn = await service.call(
    'POST',
    '/console/session',
    { token: service.token },
    { token: null, headers },
  )
  const cookie = String(signedIn.headers['set-cookie']).split(';', 1)[0]!
  const stream = await open({ cookie })
  assert.equal(stream.status, 200)
  const id = await occur()
  await heard(stream, 1)
  assert.deepEqual(idsOf(stream), [id])
  await service.call('DELETE', '/console/session', undefined, {
    token: null,
    headers: { ...headers, cookie },
  })
  await stream.ended
  assert.equal((await open({ cookie })).status, 401)
})

test('a stopping service ends its streams and does not wait for them', async (t) => {
  const { service, open, happen: occur } = await stage(t)
  const stream = await open()
  await occur()
  await heard(stream, 1)
  await service.app.close()
  await stream.ended
  assert.equal(stream.events.length, 1)
})

test('a stream requested before the service stops and opened after does not delay the stop', async (t) => {
  const { service, open } = await stage(t)
  const { db } = service.world
  const token = await service.tokenWith(['read']) // not looked up yet
  const { app } = service
  const opened = await db.transaction(async (tx) => {
    await tx.query(sql`lock table access_tokens in access exclusive mode`)
    const opening = open({ token })
    await eventually(
      async () =>
        (
          await tx.query(sql`
      select 1 from pg_locks where not granted and relation = 'access_tokens'::regclass`)
        ).length > 0,
    )
    const closing = app.close()
    await eventually(async () => !app.server.listening, 'the end of the listener')
    return { opening, closing }
  })
  await (await opened.opening).ended
  await opened.closing
  assert.equal(app.server.listening, false)
})

test('an invalid Last-Event-ID is refused, and failures have the shape of a failed read', async (t) => {
  const service = await testService(t)
  for (const options of [{ headers: { 'last-event-id': 'x' } }, {}]) {
    const query = options.headers ? '' : '?lastEventId=x'
    const { status, body } = await service.get(`/v1/events/stream${query}`, options)
    assert.equal(status, 400)
    assert.deepEqual(body.events, [])
    assert.match(body.error, /must be the ID of the last event received$/)
  }
  await assertFailureShapes(service, {
    method: 'GET',
    url: '/v1/events/stream',
    failure: { events: [] },
    scope: 'read',
  })
})
