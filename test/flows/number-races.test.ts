// Several buy, release and switch at once. Whatever the order, a number has one holder who paid once,
// and a campaign with numbers has exactly one default.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/sql.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { type TestService, testService } from '../harness.js'

const NUMBER = '+14155550123'

interface Holder {
  phoneNumber: string
  isDefault: boolean
}

test('of many buyers of one number one gets it, and only that one pays', async (t) => {
  const service = await testService(t)
  const buyers = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const account = await service.otherAccount('10')
      return { ...account, ...(await activeCampaign(service, account)) }
    }),
  )
  await addInventory(service, [NUMBER])
  const replies = await Promise.all(
    buyers.map(({ campaignId, token }) =>
      service.post(`/v1/campaign/${campaignId}/number/buy`, { number: NUMBER }, { token }),
    ),
  )
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
  for (const { status, body } of replies) {
    if (status === 409) assert.equal(body.code, 'number_taken')
  }
  const paid = await service.world.db.query<{ account: string }>(sql`
    select account_id as account from ledger_transfers where reason = 'number_purchase'`)
  const winner = buyers[replies.findIndex(({ status }) => status === 200)]!
  assert.deepEqual(paid, [{ account: winner.accountId }])
})

test('a buyer who cannot pay leaves the number to the one who waits', async (t) => {
  const service = await testService(t)
  const poor = await service.otherAccount('0.01')
  const { campaignId: poorCampaign } = await activeCampaign(service, poor)
  const { campaignId } = await activeCampaign(service)
  await addInventory(service, [NUMBER])
  const body = { number: NUMBER }
  const [refused, bought] = await Promise.all([
    service.post(`/v1/campaign/${poorCampaign}/number/buy`, body, { token: poor.token }),
    service.post(`/v1/campaign/${campaignId}/number/buy`, body),
  ])
  assert.equal(bought.status, 200)
  assert.ok(refused.status === 402 || refused.status === 409)
})

test('numbers bought at once for a new campaign make one default', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const bought = await Promise.all(Array.from({ length: 8 }, () => buyNumber(service, campaignId)))
  const held = await holders(service, campaignId)
  assert.deepEqual(held.map(({ phoneNumber }) => phoneNumber).sort(), bought.sort())
  assert.equal(held.filter(({ isDefault }) => isDefault).length, 1)
})

test('a balance that covers one of two numbers buys one', async (t) => {
  const service = await testService(t)
  const account = await service.otherAccount('1.50')
  const { campaignId } = await activeCampaign(service, account)
  await addInventory(service, ['+14155550101', '+14155550102'])
  const replies = await Promise.all(
    ['+14155550101', '+14155550102'].map((number) =>
      service.post(`/v1/campaign/${campaignId}/number/buy`, { number }, { token: account.token }),
    ),
  )
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 402])
  assert.equal((await service.get('/v1/number/search')).body.numbers.length, 1)
})

test('buying, releasing and switching at once leaves every campaign with one default', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  for (let round = 0; round < 8; round += 1) {
    const held = await Promise.all(Array.from({ length: 3 }, () => buyNumber(service, campaignId)))
    const [one, two, three] = held
    const replies = await Promise.all([
      service.call('DELETE', `/v1/number/${one}`),
      buyNumber(service, campaignId).then(() => ({ status: 200 })),
      service.post(`/v1/number/${two}/default`),
      service.call('DELETE', `/v1/number/${two}`),
      service.call('DELETE', `/v1/number/${three}`),
      service.call('DELETE', `/v1/number/${three}`),
    ])
    for (const { status } of replies) assert.ok(status === 200 || status === 404, `${status}`)
    const numbers = await holders(service, campaignId)
    assert.equal(numbers.length, round + 1)
    assert.equal(numbers.filter(({ isDefault }) => isDefault).length, 1)
  }
})

async function holders(service: TestService, campaignId: string): Promise<Holder[]> {
  return (await service.get(`/v1/campaign/${campaignId}/numbers`)).body.numbers
}
