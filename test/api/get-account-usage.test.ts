// GET /v1/account/usage: messages sent and their cost, by day and campaign.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advanceTo } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type TestService, testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

const USAGE = '/v1/account/usage'
const TO = '+14155550123'

test('usage is counted by day and campaign, newest day first', async (t) => {
  const service = await testService(t, { roles: ['dispatch'] })
  await advanceTo(service, '2027-03-09T23:00:00.000Z')
  const first = await sendingCampaign(service)
  const second = await sendingCampaign(service)
  await send(service, first, TO, 'Hi')
  await send(service, first, TO, 'x'.repeat(161))
  await send(service, second, TO, 'Hi', ['https://media.example/a.png'])
  await advanceTo(service, '2027-03-10T00:00:00.000Z')
  await send(service, first, '+14155550110', 'Hi') // nonexistent number: costs nothing
  const row = (
    date: string,
    campaignId: string,
    messages: number,
    segments: number,
    cost: number,
  ) => ({
    date,
    campaignId,
    messages,
    segments,
    cost,
  })
  const expected = {
    from: '2027-03-01',
    to: '2027-03-10',
    usage: [
      row('2027-03-10', first, 1, 1, 0),
      row('2027-03-09', first, 2, 3, 0.0237),
      // The media cannot be fetched here, so this message is refunded too.
      row('2027-03-09', second, 1, 1, 0),
    ],
  }
  const body = await eventually(async () => {
    const reply = await service.get(USAGE)
    return JSON.stringify(reply.body) === JSON.stringify(expected) && reply.body
  }, JSON.stringify(expected))
  assert.deepEqual(body, expected)

  const day = await service.get(`${USAGE}?from=2027-03-10&to=2027-03-10`)
  assert.deepEqual(day.body.usage, expected.usage.slice(0, 1))
  const earlier = await service.get(`${USAGE}?from=2027-02-01&to=2027-03-09`)
  assert.deepEqual(earlier.body.usage, expected.usage.slice(1))
  const none = await service.get(`${USAGE}?to=2027-02-15`)
  assert.deepEqual(none.body, { from: '2027-02-01', to: '2027-02-15', usage: [] })

  const headers = { authorization: `Bearer ${service.token}`, accept: 'text/csv' }
  const csv = await service.app.inject({ url: USAGE, headers })
  assert.equal(
    csv.body,
    'date,campaignId,messages,segments,cost\r\n' +
      `2027-03-10,${first},1,1,0.00\r\n` +
      `2027-03-09,${first},2,3,0.0237\r\n` +
      `2027-03-09,${second},1,1,0.00\r\n`,
  )
  assert.equal(
    csv.headers['content-disposition'],
    'attachment; filename="usage-2027-03-01-2027-03-10.csv"',
  )
  const { token } = await service.otherAccount()
  assert.deepEqual((await service.get(USAGE, { token })).body.usage, [])
})

test('an invalid date range is refused', async (t) => {
  const service = await testService(t)
  for (const [query, error] of [
    ['from=yesterday', 'from must be a day such as 2026-11-15'],
    ['to=2027-02-29', 'to must be a day such as 2026-11-15'],
    ['from=2026-11-15T00:00:00Z', 'from must be a day such as 2026-11-15'],
    ['from=2027-01-02&to=2027-01-01', 'from must not be after to'],
    ['from=2027-01-01&to=2027-04-03', 'from must be at most 92 days before to'],
    ['from=0001-01-01&to=0001-01-02', 'from must be a day such as 2026-11-15'],
  ] as const) {
    const { status, body } = await service.get(`${USAGE}?${query}`)
    assert.equal(status, 400, query)
    assert.equal(body.error, error)
    assert.deepEqual(body.usage, [])
  }
  assert.equal((await service.get(`${USAGE}?from=2027-01-01&to=2027-04-02`)).status, 200)
  assert.equal((await service.get(`${USAGE}?to=9999-12-31`)).status, 200)
})

test('errors have the shape of the route', async (t) => {
  const service = await testService(t)
  const failure = { usage: [] }
  await assertFailureShapes(service, { method: 'GET', url: USAGE, failure, scope: 'billing' })
})

async function sendingCampaign(service: TestService): Promise<string> {
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  return campaignId
}

async function send(
  service: TestService,
  campaign: string,
  to: string,
  body: string,
  mediaUrls?: string[],
): Promise<void> {
  const message = { campaign, to, body, ...(mediaUrls && { mediaUrls }) }
  const reply = await service.post('/v1/message/send', message)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
}
