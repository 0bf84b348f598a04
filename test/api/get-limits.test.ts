// GET /v1/campaign/{id}/limits: usage of each carrier limit, the messages waiting for it, and when it
// resets, as the dispatcher counts them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { advanceTo } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type Json, type TestService, testService } from '../harness.js'
import { ATT, changeCampaign, idOf, sendingService, TMO, VZW } from '../sending.js'
import { CAMPAIGN_BODY } from './campaign-bodies.js'
import { assertFailureShapes } from './failure-shapes.js'

const NOON_PACIFIC = '2027-03-09T20:00:00.000Z'
const MIDNIGHT_PACIFIC = '2027-03-10T08:00:00.000Z'
/** One minute, with the margin the dispatcher adds. */
const MINUTE_MS = 63_000

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely; the schema is checked anyway
type Limits = Record<'smsTpmAtt' | 'mmsTpmAtt' | 'dailyTmoCap', any> & { now: string }

async function limitsOf(service: TestService, campaignId: string, token?: string): Promise<Limits> {
  const options = token === undefined ? {} : { token }
  const { status, body } = await service.get(`/v1/campaign/${campaignId}/limits`, options)
  assert.equal(status, 200, JSON.stringify(body))
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const names = body.limits.map((limit: any) => limit.name)
  assert.deepEqual(names, ['smsTpmAtt', 'mmsTpmAtt', 'dailyTmoCap'])
  const [smsTpmAtt, mmsTpmAtt, dailyTmoCap] = body.limits
  return { smsTpmAtt, mmsTpmAtt, dailyTmoCap, now: body.now }
}

async function limited(t: Parameters<typeof sendingService>[0], limits: Json) {
  const sending = await sendingService(t, { roles: ['dispatch'] })
  await changeCampaign(sending.service, sending.campaignId, limits)
  await advanceTo(sending.service, NOON_PACIFIC)
  const now = () => limitsOf(sending.service, sending.campaignId)
  return { ...sending, now }
}

/** A message is due when it was requested, slightly before it was accepted. */
function assertBetween(from: string, moment: string, until: string): void {
  assert.ok(from <= moment && moment <= until, `${moment} is not from ${from} until ${until}`)
}

test('before the first send, every limit is listed with no usage', async (t) => {
  const { now } = await limited(t, {})
  const { smsTpmAtt, mmsTpmAtt, dailyTmoCap, now: time } = await now()
  const unused = { unit: 'segment', isAssigned: true, used: 0 }
  const quiet = { waiting: 0, waitingSince: null, waitingUntil: null }
  const minute = { carrier: 'att', period: 'minute', resetsAt: null, atLimit: 'wait' }
  const day = { carrier: 'tmo', period: 'day', resetsAt: MIDNIGHT_PACIFIC, atLimit: 'fail' }
  assert.deepEqual(smsTpmAtt, { name: 'smsTpmAtt', ...unused, ...quiet, ...minute, limit: 240 })
  assert.deepEqual(mmsTpmAtt, { name: 'mmsTpmAtt', ...unused, ...quiet, ...minute, limit: 150 })
  assert.deepEqual(dailyTmoCap, { name: 'dailyTmoCap', ...unused, ...quiet, ...day, limit: 2000 })
  assert.equal(
    time.slice(0, 13),
    NOON_PACIFIC.slice(0, 13),
    'the time comes from the service’s clock',
  )
})

test('AT&T usage counts the segments of the last minute, and further messages wait until there is room', async (t) => {
  const { send, message, until, advance, now } = await limited(t, { smsTpmAtt: 3 })
  const first = await send({ to: ATT, body: 'x'.repeat(200) })
  await until(first, 'DELIVERED')
  const second = await send({ to: ATT, body: 'y'.repeat(200) })
  const third = await send({ to: ATT })
  await send({ to: VZW })
  const { smsTpmAtt, mmsTpmAtt, dailyTmoCap } = await eventually(async () => {
    const limits = await now()
    return limits.smsTpmAtt.waitingUntil !== null && limits
  }, 'a waiting lane')
  const { sentAt, updatedAt } = await message(first)
  assert.equal(smsTpmAtt.used, 2, 'one more segment would fit, two do not')
  assert.equal(smsTpmAtt.waiting, 2)
  assertBetween(updatedAt, smsTpmAtt.waitingSince, (await message(second)).createdAt)
  assert.equal(smsTpmAtt.resetsAt, smsTpmAtt.waitingUntil)
  assert.equal(smsTpmAtt.resetsAt.slice(-5), '.000Z', 'usage is counted by second')
  const restMs = Date.parse(smsTpmAtt.resetsAt) - Date.parse(sentAt)
  assert.ok(restMs <= MINUTE_MS, `${restMs} ms`)
  assert.deepEqual([mmsTpmAtt.used, mmsTpmAtt.waiting, dailyTmoCap.used], [0, 0, 0])

  await advance(64)
  await until(second, 'DELIVERED')
  await until(third, 'DELIVERED')
  const later = (await now()).smsTpmAtt
  assert.deepEqual([later.used, later.waiting, later.waitingUntil], [3, 0, null])
  assert.equal(later.waitingSince, null)
  await advance(64)
  const { used, resetsAt } = (await now()).smsTpmAtt
  assert.deepEqual([used, resetsAt], [0, null], 'usage older than a minute no longer counts')
})

test('T-Mobile usage resets at midnight Pacific time', async (t) => {
  const { service, send, until, now } = await limited(t, { dailyTmoCap: 2 })
  for (const id of [await send({ to: TMO }), await send({ to: TMO })]) await until(id, 'DELIVERED')
  await until(await send({ to: TMO }), 'FAILED')
  const before = (await now()).dailyTmoCap
  assert.deepEqual([before.used, before.limit, before.waiting], [2, 2, 0])
  assert.equal(before.resetsAt, MIDNIGHT_PACIFIC)
  assert.equal(before.atLimit, 'fail')

  await advanceTo(service, '2027-03-10T07:58:00.000Z')
  assert.equal((await now()).dailyTmoCap.used, 2, 'it is not midnight yet')
  await advanceTo(service, MIDNIGHT_PACIFIC)
  const after = (await now()).dailyTmoCap
  assert.deepEqual([after.used, after.resetsAt], [0, '2027-03-11T08:00:00.000Z'])
})

test('a campaign that holds messages at the daily cap shows those waiting for midnight', async (t) => {
  const { service, campaignId, send, message, until, now } = await limited(t, { dailyTmoCap: 1 })
  const patch = await service.call('PATCH', `/v1/campaign/${campaignId}`, { holdAtDailyCap: true })
  assert.equal(patch.status, 200)
  const first = await until(await send({ to: TMO }), 'DELIVERED')
  const held = await send({ to: TMO })
  const { dailyTmoCap } = await eventually(async () => {
    const limits = await now()
    return limits.dailyTmoCap.waitingUntil !== null && limits
  }, 'a held lane')
  assert.equal(dailyTmoCap.atLimit, 'wait')
  assert.deepEqual([dailyTmoCap.used, dailyTmoCap.waiting], [1, 1])
  assert.equal(dailyTmoCap.waitingUntil, MIDNIGHT_PACIFIC)
  assertBetween(first.updatedAt, dailyTmoCap.waitingSince, (await message(held)).createdAt)
  await advanceTo(service, MIDNIGHT_PACIFIC)
  await until(held, 'DELIVERED')
  const later = (await now()).dailyTmoCap
  assert.deepEqual([later.used, later.waiting, later.waitingUntil], [1, 0, null])
})

test('a day with a clock change also ends at midnight', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  await advanceTo(service, '2027-03-14T08:00:00.000Z')
  assert.equal(
    (await limitsOf(service, campaignId)).dailyTmoCap.resetsAt,
    '2027-03-15T07:00:00.000Z',
  )
})

test('an unlimited campaign and one without assigned limits look different', async (t) => {
  const { service, campaignId, send, until, now } = await limited(t, {
    smsTpmAtt: null,
    dailyTmoCap: null,
  })
  await until(await send({ to: ATT }), 'DELIVERED')
  const { smsTpmAtt, dailyTmoCap } = await now()
  for (const { isAssigned, limit, used, resetsAt } of [smsTpmAtt, dailyTmoCap]) {
    assert.deepEqual([isAssigned, limit, used, resetsAt], [true, null, null, null])
  }
  const { brandId } = (await service.get(`/v1/campaign/${campaignId}`)).body.campaign
  const created = await service.post('/v1/campaign/create', { ...CAMPAIGN_BODY, brandId })
  assert.equal(created.body.campaign.status, 'PENDING')
  const { now: _, ...pending } = await limitsOf(service, created.body.campaign.id)
  for (const { isAssigned, limit, used, resetsAt } of Object.values(pending)) {
    assert.deepEqual([isAssigned, limit, used, resetsAt], [false, null, null, null])
  }
})

test('each campaign has its own usage, and another account’s campaign returns not found', async (t) => {
  const { service, campaignId, send, until } = await limited(t, {})
  const other = await service.otherAccount()
  const { campaignId: foreignId } = await activeCampaign(service, { accountId: other.accountId })
  await buyNumber(service, foreignId, { token: other.token })
  const { campaignId: siblingId } = await activeCampaign(service)
  await until(await send({ to: ATT }), 'DELIVERED')
  const foreign = { campaign: foreignId, to: ATT, body: 'x'.repeat(200) }
  idOf(await service.post('/v1/message/send', foreign, { token: other.token }))
  await eventually(
    async () => (await limitsOf(service, foreignId, other.token)).smsTpmAtt.used === 2,
  )
  assert.equal((await limitsOf(service, campaignId)).smsTpmAtt.used, 1)
  assert.equal((await limitsOf(service, siblingId)).smsTpmAtt.used, 0)
  for (const id of [foreignId, newId('cmp', new Date()), 'nonsense']) {
    const { status, body } = await service.get(`/v1/campaign/${id}/limits`)
    assert.equal(status, 404)
    assert.deepEqual(body, { limits: [], error: 'Campaign not found', code: 'campaign_missing' })
  }
})

test('errors have the shape of the route', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const url = `/v1/campaign/${campaignId}/limits`
  await assertFailureShapes(service, { method: 'GET', url, failure: { limits: [] }, scope: 'read' })
})
