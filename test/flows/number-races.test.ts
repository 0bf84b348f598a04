// Several clients buy, release, and switch numbers at once. In any order, a number has one owner who paid once, and
// a campaign with numbers has exactly one default.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transaction } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import type { World } from '../../src/kit/world.js'
import { buyNumber as purchaseNumber } from '../../src/numbers/buy-number.js'
import { releaseNumber } from '../../src/numbers/release-number.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { eventually, type Reply, type TestService, testService } from '../harness.js'
import { WAITING } from '../waiting.js'

const NUMBER = '+14155550123'

interface Holder {
  phoneNumber: string
  isDefault: boolean
}

test('one of many buyers of a number gets it, and only that one pays', async (t) => {
  const service = await testService(t)
  const buyers = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const account = await service.otherAccount('10')
      return { ...account, ...(await activeCampaign(service, account)) }
    }),
  )
  await addInventory(service, [NUMBER])
  const replies = await Promise.all(buyers.map((buyer) => buyPatiently(service, buyer)))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
  for (const { status, body } of replies) {
    if (status === 409) assert.equal(body.code, 'number_taken')
  }
  const paid = await service.world.db.query<{ account: string }>(sql`
    select account_id as account from ledger_transfers where reason = 'number_purchase'`)
  const winner = buyers[replies.findIndex(({ status }) => status === 200)]!
  assert.deepEqual(paid, [{ account: winner.accountId }])
})

/** On a very busy machine a buyer waits for seconds and gets 503. In that case the request is repeated. */
async function buyPatiently(
  service: TestService,
  { campaignId, token }: { campaignId: string; token: string },
): Promise<Reply> {
  const body = { number: NUMBER }
  for (;;) {
    const reply = await service.post(`/v1/campaign/${campaignId}/number/buy`, body, { token })
    if (reply.status !== 503) return reply
  }
}

test('a buyer who cannot pay leaves the number to the next buyer', async (t) => {
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

test('buying, releasing, and switching at once leaves every campaign with one default', async (t) => {
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

test('a number whose purchase is not finished takes over when the default is released', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const released = await buyNumber(service, campaignId)
  await addInventory(service, [NUMBER])
  const purchase = { campaignId, phoneNumber: NUMBER }
  const reply = await duringTransaction(
    service,
    (tx) => purchaseNumber(tx, service.accountId, purchase, service.world.clock.now()),
    () => service.call('DELETE', `/v1/number/${released}`),
  )
  assert.equal(reply.status, 200)
  const numbers = await holders(service, campaignId)
  assert.deepEqual(
    numbers.map(({ phoneNumber, isDefault }) => [phoneNumber, isDefault]),
    [[NUMBER, true]],
  )
})

test('a new default can be chosen while the previous one is being released', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const released = await buyNumber(service, campaignId)
  const heir = await buyNumber(service, campaignId)
  const chosen = await buyNumber(service, campaignId)
  const reply = await duringTransaction(
    service,
    (tx) => releaseNumber(tx, service.accountId, released, service.world.clock.now()),
    () => service.post(`/v1/number/${chosen}/default`),
  )
  assert.equal(reply.status, 200)
  const numbers = await holders(service, campaignId)
  assert.deepEqual(
    numbers.map(({ phoneNumber, isDefault }) => [phoneNumber, isDefault]),
    [
      [chosen, true],
      [heir, false],
    ],
  )
})

test('a number that is being released accepts no other change', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  for (const call of [
    (number: string) => service.call('DELETE', `/v1/number/${number}`),
    (number: string) => service.post(`/v1/number/${number}/default`),
    (number: string) =>
      service.call('PATCH', `/v1/number/${number}/forwarding`, { forwardNumber: NUMBER }),
  ]) {
    const kept = await buyNumber(service, campaignId)
    const number = await buyNumber(service, campaignId)
    const reply = await duringTransaction(
      service,
      (tx) => releaseNumber(tx, service.accountId, number, service.world.clock.now()),
      () => call(number),
    )
    assert.equal(reply.status, 404)
    assert.equal((await service.get(`/v1/number/${kept}`)).status, 200)
    const numbers = await holders(service, campaignId)
    assert.equal(numbers.filter(({ isDefault }) => isDefault).length, 1)
  }
})

/** Sends the request while the work is done but not committed, then commits once the request waits or is done. */
async function duringTransaction(
  { world }: TestService,
  work: (tx: Transaction) => Promise<unknown>,
  call: () => Promise<Reply>,
): Promise<Reply> {
  let isAnswered = false
  const answer = await world.db.transaction(async (tx) => {
    await work(tx)
    const reply = call().finally(() => {
      isAnswered = true
    })
    await eventually(async () => isAnswered || (await someoneWaits(world)), 'a wait or a response')
    return { reply }
  })
  return answer.reply
}

async function someoneWaits({ db }: World): Promise<boolean> {
  const waiting = await db.query(WAITING)
  return waiting.length > 0
}

async function holders(service: TestService, campaignId: string): Promise<Holder[]> {
  return (await service.get(`/v1/campaign/${campaignId}/numbers`)).body.numbers
}
