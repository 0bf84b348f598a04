// GET /v1/stats/messages: message counts by hour or day, with their status.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { advanceTo } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type Json, type TestService, testService } from '../harness.js'
import { ATT, idOf, sendingService, TMO, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

const STATS = '/v1/stats/messages'
const [NO_NUMBER, NO_RECEIPT, READER, SPAM] = ['0110', '0150', '0170', '0180'].map(
  (digits) => `+1415555${digits}`,
)

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely; the schema is checked anyway
async function statsOf(service: TestService, query: Json = {}, token?: string): Promise<any> {
  const search = new URLSearchParams(query as Record<string, string>)
  const options = token === undefined ? {} : { token }
  const { status, body } = await service.get(`${STATS}?${search}`, options)
  assert.equal(status, 200, JSON.stringify(body))
  return body.stats
}

/** The counts that are not zero. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function brief({ outbound, inbound, statuses }: any): Json {
  const some = Object.entries(statuses).filter(([, count]) => count !== 0)
  return { outbound, inbound, ...Object.fromEntries(some) }
}

/** Two hours of traffic in two campaigns, returned once every message has reached its last status. */
async function twoHours(t: TestContext) {
  const sending = await sendingService(t, { roles: ['dispatch'] })
  const { service, campaignId: first, send, inbound } = sending
  const { campaignId: second } = await activeCampaign(service)
  const number = await buyNumber(service, second)
  await advanceTo(service, '2027-03-09T22:30:00.000Z')
  const ids = [
    ...(await sendAll(send, [ATT, ATT, TMO, VZW, NO_NUMBER, NO_NUMBER, NO_RECEIPT, READER])),
    await send({ campaign: second, to: VZW }),
  ]
  assert.equal((await inbound(TMO, 'Hello')).status, 200)
  await until(sending, ids)
  await advanceTo(service, '2027-03-09T23:00:00.000Z')
  const later = await sendAll(send, [SPAM, TMO])
  const at = '2027-03-20T00:00:00.000Z'
  await send({ campaign: second, to: VZW, scheduledAt: at })
  await service.post('/sandbox/inbound', { from: VZW, to: number, body: 'Hello' })
  await until(sending, later)
  return { ...sending, first, second }
}

type Sending = Awaited<ReturnType<typeof sendingService>>

async function sendAll(send: Sending['send'], recipients: (string | undefined)[]) {
  const ids: string[] = []
  for (const to of recipients) ids.push(await send({ to }))
  return ids
}

/** Waits until each message has the last status its recipient's simulated phone allows. */
async function until({ until, message }: Sending, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { to } = await message(id)
    const ends = {
      [NO_NUMBER!]: 'FAILED',
      [SPAM!]: 'FAILED',
      [NO_RECEIPT!]: 'SENT',
      [READER!]: 'READ',
    }
    await until(id, ends[to] ?? 'DELIVERED')
  }
}

test('stats by hour and status have every bucket of the last 24 hours, the total, and the errors', async (t) => {
  const { service } = await twoHours(t)
  const reply = await service.get(STATS)
  const { stats, now } = reply.body
  assert.equal(now.slice(0, 13), '2027-03-09T23', 'the time comes from the service’s clock')
  assert.deepEqual(
    [stats.from, stats.to, stats.bucket, stats.by],
    ['2027-03-09T00:00:00.000Z', '2027-03-10T00:00:00.000Z', 'hour', 'status'],
  )
  assert.equal(stats.buckets.length, 24)
  assert.deepEqual(
    stats.buckets.map(({ start }: { start: string }) => start.slice(11)),
    Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00:00.000Z`),
  )
  for (const bucket of stats.buckets.slice(0, 22)) {
    assert.deepEqual(brief(bucket), { outbound: 0, inbound: 0 })
  }
  assert.deepEqual(stats.buckets.slice(22).map(brief), [
    { outbound: 9, inbound: 1, DELIVERED: 5, READ: 1, SENT: 1, FAILED: 2 },
    { outbound: 3, inbound: 1, DELIVERED: 1, FAILED: 1, SCHEDULED: 1 },
  ])
  assert.deepEqual(brief(stats.total), {
    outbound: 12,
    inbound: 2,
    DELIVERED: 6,
    READ: 1,
    SENT: 1,
    FAILED: 3,
    SCHEDULED: 1,
  })
  assert.equal(stats.total.deliveryRate, 7 / 10, 'unfinished messages do not count')
  assert.deepEqual(stats.total.errors, [
    { code: 1350, count: 2 },
    { code: 1370, count: 1 },
  ])
  assert.deepEqual(stats.groups, [])
  assert.deepEqual(
    stats.buckets.flatMap(({ groups }: { groups: Json[] }) => groups),
    [],
  )
  assert.deepEqual(stats.queue, { waiting: 0, oldestDueAt: null })
})

test('stats by carrier have every group in the total, and in each bucket the groups with messages', async (t) => {
  const { service, first } = await twoHours(t)
  const { total, groups, buckets } = await statsOf(service, { by: 'carrier' })
  assert.deepEqual(
    // biome-ignore lint/suspicious/noExplicitAny: as above
    groups.map(({ key, deliveryRate, errors, ...counts }: any) => [
      key,
      brief(counts),
      deliveryRate,
    ]),
    [
      ['att', { outbound: 7, inbound: 0, DELIVERED: 2, READ: 1, SENT: 1, FAILED: 3 }, 3 / 6],
      ['tmo', { outbound: 2, inbound: 1, DELIVERED: 2 }, 1],
      ['other', { outbound: 3, inbound: 1, DELIVERED: 2, SCHEDULED: 1 }, 1],
    ],
  )
  assert.deepEqual(groups[0].errors, total.errors)
  assert.deepEqual(groups[1].errors, [])
  const keys = (bucket: { groups: { key: string }[] }) => bucket.groups.map(({ key }) => key)
  assert.deepEqual(buckets.slice(21).map(keys), [
    [],
    ['att', 'tmo', 'other'],
    ['att', 'tmo', 'other'],
  ])
  assert.deepEqual(buckets[23].groups.map(brief), [
    { outbound: 1, inbound: 0, FAILED: 1 },
    { outbound: 1, inbound: 0, DELIVERED: 1 },
    { outbound: 1, inbound: 1, SCHEDULED: 1 },
  ])
  await assertMedians(service, first, groups)
})

/** The median delivery time must match the one computed from the campaign's messages. */
async function assertMedians(service: TestService, campaign: string, groups: Json[]) {
  const { messages } = (
    await service.get(`/v1/message/list?campaign=${campaign}&status=DELIVERED&limit=100`)
  ).body
  for (const { key, medianDeliveryMs } of groups.slice(0, 2)) {
    const to = key === 'att' ? ATT : TMO
    const took = messages
      .filter((message: Json) => message.to === to)
      .map((message: Json) => Date.parse(`${message.updatedAt}`) - Date.parse(`${message.sentAt}`))
      .filter((ms: number) => ms > 0)
      .sort((a: number, b: number) => a - b)
    const median = took[Math.ceil(took.length / 2) - 1]
    if (median === undefined) assert.equal(medianDeliveryMs, null, `${key}`)
    else assert.ok(Math.abs(Number(medianDeliveryMs) - median) <= 1 + median * 0.03, `${key}`)
  }
}

test('stats by campaign list the busiest first, and can cover a single campaign', async (t) => {
  const { service, first, second } = await twoHours(t)
  const { groups, buckets } = await statsOf(service, { by: 'campaign' })
  assert.deepEqual(
    // biome-ignore lint/suspicious/noExplicitAny: as above
    groups.map(({ key, ...counts }: any) => [key, brief(counts)]),
    [
      [first, { outbound: 10, inbound: 1, DELIVERED: 5, READ: 1, SENT: 1, FAILED: 3 }],
      [second, { outbound: 2, inbound: 1, DELIVERED: 1, SCHEDULED: 1 }],
    ],
  )
  assert.deepEqual(
    buckets.flatMap((bucket: { groups: Json[] }) => bucket.groups),
    [],
  )
  const alone = await statsOf(service, { campaign: second })
  assert.deepEqual(alone.buckets.slice(22).map(brief), [
    { outbound: 1, inbound: 0, DELIVERED: 1 },
    { outbound: 1, inbound: 1, SCHEDULED: 1 },
  ])
  assert.equal(alone.total.deliveryRate, 1)
  assert.deepEqual(alone.total.errors, [])
})

test('a time range includes its start and excludes its end', async (t) => {
  const { service, send, message } = await sendingService(t)
  await advanceTo(service, '2027-03-09T22:30:00.000Z')
  const { createdAt } = await message(await send())
  await advanceTo(service, '2027-03-10T00:00:00.000Z')
  await send()
  const counted = async (query: Json) => (await statsOf(service, query)).total.outbound
  assert.equal(await counted({ from: createdAt }), 2)
  assert.equal(await counted({ from: createdAt, to: '2027-03-10T00:00:00Z' }), 1)
  assert.equal(await counted({ from: '2027-03-09T00:00:00Z', to: createdAt }), 0)
  const afterIt = new Date(Date.parse(createdAt) + 1).toISOString()
  assert.equal(await counted({ from: afterIt }), 1)
  assert.equal(await counted({ from: createdAt, to: afterIt }), 1)
  const part = await statsOf(service, { from: createdAt, to: afterIt })
  assert.deepEqual([part.from, part.to], [createdAt, afterIt])
  assert.deepEqual(
    part.buckets.map(({ start }: { start: string }) => start),
    ['2027-03-09T22:00:00.000Z'],
    'a bucket starts on the hour even if the range does not',
  )
  const zone = await statsOf(service, { from: '2027-03-09T16:00:00-08:00' })
  assert.equal(zone.from, '2027-03-10T00:00:00.000Z')
})

test('stats by day cover the last 30 days, from midnight to midnight UTC', async (t) => {
  const { service, send } = await sendingService(t)
  await advanceTo(service, '2027-03-09T23:00:00.000Z')
  await send()
  await advanceTo(service, '2027-03-10T00:00:00.000Z')
  await send()
  await send()
  const days = await statsOf(service, { bucket: 'day' })
  assert.deepEqual(
    [days.from, days.to, days.bucket, days.buckets.length],
    ['2027-02-09T00:00:00.000Z', '2027-03-11T00:00:00.000Z', 'day', 30],
  )
  assert.deepEqual(
    // biome-ignore lint/suspicious/noExplicitAny: as above
    days.buckets.slice(-3).map(({ start, outbound }: any) => [start, outbound]),
    [
      ['2027-03-08T00:00:00.000Z', 0],
      ['2027-03-09T00:00:00.000Z', 1],
      ['2027-03-10T00:00:00.000Z', 2],
    ],
  )
})

test('stats show the current queue of the account or of one campaign', async (t) => {
  const { service, campaignId, send, message } = await sendingService(t) // nothing is dispatched
  const { campaignId: second } = await activeCampaign(service)
  await buyNumber(service, second)
  const tomorrow = new Date(service.world.clock.now().getTime() + 86_400_000).toISOString()
  const scheduled = await message(await send({ to: ATT, scheduledAt: tomorrow }))
  const oldest = await message(await send({ campaign: second, to: TMO }))
  const own = await message(await send({ to: ATT }))
  await send({ to: VZW })
  const past = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
  const { queue, total } = await statsOf(service, past)
  assert.equal(queue.waiting, 3, 'for any time range')
  // Due when it was requested, slightly before it was accepted.
  assert.ok(queue.oldestDueAt >= scheduled.createdAt && queue.oldestDueAt <= oldest.createdAt)
  assert.equal(total.outbound, 0)
  const alone = await statsOf(service, { campaign: campaignId })
  assert.equal(alone.queue.waiting, 2)
  assert.ok(alone.queue.oldestDueAt >= oldest.createdAt && alone.queue.oldestDueAt <= own.createdAt)
  assert.deepEqual(brief(alone.total), { outbound: 3, inbound: 0, SCHEDULED: 1, QUEUED: 2 })
  assert.equal(alone.total.deliveryRate, null, 'no message is finished')
  assert.equal(alone.total.medianDeliveryMs, null)
})

test('an account sees only its own messages', async (t) => {
  const { service, campaignId, send } = await sendingService(t)
  const other = await service.otherAccount()
  const { campaignId: foreignId } = await activeCampaign(service, { accountId: other.accountId })
  await buyNumber(service, foreignId, { token: other.token })
  await send()
  const foreign = { campaign: foreignId, to: ATT, body: 'Hello' }
  for (let i = 0; i < 2; i += 1) {
    idOf(await service.post('/v1/message/send', foreign, { token: other.token }))
  }
  for (const by of ['status', 'carrier', 'campaign']) {
    const { total, queue } = await statsOf(service, { by })
    assert.deepEqual([total.outbound, queue.waiting], [1, 1])
    const theirs = await statsOf(service, { by }, other.token)
    assert.deepEqual([theirs.total.outbound, theirs.queue.waiting], [2, 2])
  }
  assert.equal((await statsOf(service, { campaign: campaignId })).total.outbound, 1)
  for (const campaign of [foreignId, newId('cmp', new Date()), 'nonsense']) {
    const { status, body } = await service.get(`${STATS}?campaign=${campaign}`)
    assert.equal(status, 404)
    assert.deepEqual(body, { stats: null, error: 'Campaign not found', code: 'campaign_missing' })
  }
})

test('an invalid time range or grouping is refused with a clear error', async (t) => {
  const service = await testService(t)
  const time = 'must be an ISO 8601 time such as 2026-12-24T18:00:00Z'
  for (const [query, error] of [
    ['bucket=week', 'bucket must be one of hour, day'],
    ['by=network', 'by must be one of status, carrier, campaign'],
    ['from=yesterday', `from ${time}`],
    ['to=2027-02-29T00:00:00Z', `to ${time}`],
    ['from=2027-01-01', `from ${time}`],
    ['from=2027-01-02T00:00:00Z&to=2027-01-01T00:00:00Z', 'from must be before to'],
    ['from=2027-01-01T00:00:00Z&to=2027-01-01T00:00:00Z', 'from must be before to'],
    [
      'from=2027-01-01T00:00:00Z&to=2027-02-01T00:00:00.001Z',
      'from must be at most 31 days before to with bucket=hour, or use bucket=day',
    ],
    [
      'bucket=day&from=2027-01-01T00:00:00Z&to=2027-04-03T00:00:01Z',
      'from must be at most 92 days before to with bucket=day',
    ],
  ] as const) {
    const { status, body } = await service.get(`${STATS}?${query}`)
    assert.deepEqual([status, body.error, body.stats], [400, error, null], query)
  }
  for (const [query, buckets] of [
    ['from=2027-01-01T00:00:00Z&to=2027-02-01T00:00:00Z', 31 * 24],
    ['bucket=day&from=2027-01-01T00:00:00Z&to=2027-04-03T00:00:00Z', 92],
    ['to=1969-12-31T00:00:00Z', 24],
    ['from=1969-12-31T12:00:00Z&to=1970-01-01T12:30:00Z', 25],
    ['to=9999-12-31T23:59:59.999Z', 25],
  ] as const) {
    const { status, body } = await service.get(`${STATS}?${query}`)
    assert.deepEqual([status, body.stats.buckets.length], [200, buckets], query)
  }
  const since = await service.get(`${STATS}?since=2027-01-01T00:00:00Z`)
  assert.deepEqual(since.body.warnings, [
    'since is not a parameter of this request: did you mean from?',
  ])
})

test('errors have the shape of the route', async (t) => {
  const service = await testService(t)
  const failure = { stats: null }
  await assertFailureShapes(service, { method: 'GET', url: STATS, failure, scope: 'read' })
})
