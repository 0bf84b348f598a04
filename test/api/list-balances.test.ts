// GET /v1/account/balances: the balance at the end of each day.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entryFloor, insertClosing } from '../../src/ledger/entry-queries.js'
import { advanceTo, giveMoney } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type Json, testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

test('each day’s balance matches the ledger before and after the days are closed', async (t) => {
  const service = await testService(t, { balance: '100' })
  const { world, accountId } = service
  await advanceTo(service, '2027-03-01T12:00:00.000Z')
  const { campaignId } = await activeCampaign(service) // $20, credited just before
  await buyNumber(service, campaignId) // a full month: $1
  await advanceTo(service, '2027-03-03T00:00:00.000Z')
  await giveMoney(service, '50')
  const message = { campaign: campaignId, to: '+14155550123', body: 'Hi' }
  const scheduledAt = '2027-03-05T00:00:00.000Z'
  const { id } = (await service.post('/v1/message/send', { ...message, scheduledAt })).body
  await advanceTo(service, '2027-03-04T12:00:00.000Z')
  await service.call('DELETE', `/v1/message/${id}`)
  await service.post('/v1/message/send', message)

  const list = '/v1/account/balances?from=2027-02-28&to=2027-03-04'
  const expected = [
    { date: '2027-02-28', balance: 100, spent: 0, added: 0 },
    { date: '2027-03-01', balance: 99, spent: 21, added: 20 },
    { date: '2027-03-02', balance: 99, spent: 0, added: 0 },
    { date: '2027-03-03', balance: 148.9921, spent: 0.0079, added: 50 },
    { date: '2027-03-04', balance: 148.9921, spent: 0, added: 0 }, // one refunded, one sent
  ]
  assert.deepEqual((await service.get(list)).body, { days: expected })
  assert.equal(await service.balance(), 148.9921)
  for (const day of ['2027-03-02', '2027-03-04']) {
    assert.ok(await insertClosing(world.db, accountId, entryFloor(new Date(day))))
  }
  assert.deepEqual((await service.get(list)).body, { days: expected })
})

test('the list covers the last 30 days by default and only the requesting account', async (t) => {
  const service = await testService(t, { balance: '7' })
  const other = await service.otherAccount()
  await advanceTo(service, '2027-03-31T12:00:00.000Z')
  const { days } = (await service.get('/v1/account/balances')).body
  assert.equal(days.length, 30)
  assert.deepEqual([days[0].date, days.at(-1).date], ['2027-03-02', '2027-03-31'])
  assert.ok(days.every((day: Json) => day.balance === 7))
  const theirs = await service.get('/v1/account/balances', { token: other.token })
  assert.notEqual(theirs.body.days.at(-1).balance, 7)
  const whole = await service.get('/v1/account/balances?from=2026-12-30&to=2027-03-31')
  assert.equal(whole.body.days.length, 92)
})

test('invalid date ranges are refused by name', async (t) => {
  const service = await testService(t)
  const rows: [query: string, error: string][] = [
    ['from=2027-03-02&to=2027-03-01', 'from must not be after to'],
    ['from=2027-01-01&to=2027-04-03', 'from must be at most 92 days before to'],
    ['from=1969-12-31&to=1970-01-01', 'from must be a day such as 2026-11-15'],
    ['to=yesterday', 'to must be a day such as 2026-11-15'],
    ['from=2027-02-30', 'from must be a day such as 2026-11-15'],
  ]
  for (const [query, error] of rows) {
    const { status, body } = await service.get(`/v1/account/balances?${query}`)
    assert.deepEqual([status, body.error, body.days], [400, error, []], query)
  }
  const url = '/v1/account/balances'
  await assertFailureShapes(service, {
    method: 'GET',
    url,
    failure: { days: [] },
    scope: 'billing',
  })
})
