// /operator/v1/price/…: message prices, for all accounts or one, with a start time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { operatedService } from './operator-service.js'

test('prices from the settings apply until the operator sets others', async (t) => {
  const service = await operatedService(t)
  const none = await service.operate('GET', '/price/list')
  assert.deepEqual(none.body, { prices: [], now: { sms: 0.0079, mms: 0.02, call: 0 } })

  await service.operate('POST', '/price/set', { kind: 'sms', amount: 0.01 })
  const account = service.accountId
  const own = await service.operate('POST', '/price/set', { account, kind: 'sms', amount: 0.005 })
  assert.equal(own.body.price.account, account)
  const everybody = await service.operate('GET', '/price/list')
  assert.deepEqual(everybody.body.now, { sms: 0.01, mms: 0.02, call: 0 })
  const mine = await service.operate('GET', `/price/list?account=${account}`)
  assert.deepEqual(mine.body.now, { sms: 0.005, mms: 0.02, call: 0 })
  assert.equal(mine.body.prices.length, 1)

  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const sent = await service.post('/v1/message/send', {
    campaign: campaignId,
    to: '+14155550199',
    body: 'Hello',
  })
  const message = await service.get(`/v1/message/${sent.body.id}`)
  assert.equal(message.body.message.price, 0.005)
})

test('a future price takes effect at its time, and null restores the default price', async (t) => {
  const service = await operatedService(t)
  const account = service.accountId
  const soon = new Date(service.world.clock.now().getTime() + 3_600_000).toISOString()
  const set = (amount: number | null, effectiveAt?: string) =>
    service.operate('POST', '/price/set', { account, kind: 'mms', amount, effectiveAt })
  await set(0.03)
  await set(null, soon)
  const now = async () => (await service.operate('GET', `/price/list?account=${account}`)).body.now
  assert.equal((await now()).mms, 0.03)
  service.world.clock.moveTo(3_601_000)
  assert.equal((await now()).mms, 0.02)
  const [, first] = await service.audit()
  assert.deepEqual([first!.act, first!.subject, first!.before], ['price.set', 'mms', null])
  const [last] = await service.audit()
  assert.deepEqual(
    [last!.before, last!.after],
    [{ amount: 0.03 }, { amount: null, effectiveAt: soon }],
  )
})

test('invalid prices are refused by name', async (t) => {
  const service = await operatedService(t)
  const amount = 'amount must be an amount in dollars, 0 or more'
  const cases: [object, number, string][] = [
    [{ amount: 1 }, 400, 'kind is required'],
    [{ kind: 'fax', amount: 1 }, 400, 'kind must be one of sms, mms, call'],
    [{ kind: 'sms' }, 400, 'amount is required'],
    [{ kind: 'sms', amount: -1 }, 400, `${amount}, with at most six decimals`],
    [{ kind: 'sms', amount: 1e-7 }, 400, `${amount}, with at most six decimals`],
    [
      { kind: 'sms', amount: 1, effectiveAt: '2020-01-01T00:00:00Z' },
      400,
      'effectiveAt must not be in the past',
    ],
    [{ kind: 'sms', amount: 1, account: newId('acc', new Date()) }, 404, 'Account not found'],
  ]
  for (const [input, status, error] of cases) {
    const reply = await service.operate('POST', '/price/set', input)
    assert.deepEqual([reply.status, reply.body.error], [status, error])
  }
  const unknown = await service.operate('GET', '/price/list?account=acc_1')
  assert.deepEqual([unknown.status, unknown.body.prices], [404, []])
})
