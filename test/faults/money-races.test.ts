// Two requests compete for the last money. One succeeds, the other is refused, and nothing is left half done.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renewCampaign } from '../../src/campaigns/renewal/renew-campaigns.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { listCampaignNumbers } from '../../src/numbers/number-queries.js'
import { advanceTo } from '../billing-fixtures.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { type Reply, type TestService, testService } from '../harness.js'

const TO = '+14155550123'
const ROUNDS = 12

test('only one of a campaign creation and a send succeeds when the balance covers one', async (t) => {
  const service = await testService(t)
  const winners = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const customer = await openCustomer(service, '21') // $20 after buying a number
    const [sent, created] = await inEitherOrder(round, [
      () => send(service, customer),
      () => create(service, customer),
    ])
    assert.deepEqual([sent!.status, created!.status].sort(), [200, 402])
    const isSent = sent!.status === 200
    winners.add(isSent ? 'send' : 'create')
    assert.equal(await balanceOf(service, customer.token), isSent ? 19.9921 : 0)
    assert.equal((await campaignsOf(service, customer.token)).length, isSent ? 1 : 2)
    assert.equal(await countMessages(service, customer.accountId), isSent ? 1 : 0)
  }
  t.diagnostic(`won: ${[...winners].join(', ')}`)
})

test('only one of a renewal and a send succeeds when the balance covers one', async (t) => {
  const service = await testService(t)
  const { world } = service
  for (let round = 0; round < ROUNDS; round += 1) {
    const customer = await openCustomer(service, '12') // $11 after buying a number: the fee and the number
    const { accountId, campaignId, token } = customer
    const later = new Date(world.clock.now().getTime() + 32 * 24 * 60 * 60 * 1000)
    const key = { accountId, id: campaignId }
    const renew = () =>
      world.db.transaction((tx) => renewCampaign(tx, key, listCampaignNumbers, later))
    const [sent, outcome] = await inEitherOrder(round, [
      () => send(service, customer),
      async () => ({ status: (await renew()) === 'renewed' ? 200 : 402 }) as Reply,
    ])
    assert.deepEqual([sent!.status, outcome!.status].sort(), [200, 402])
    assert.equal(await balanceOf(service, token), sent!.status === 200 ? 10.9921 : 0)
  }
})

test('only one of two sends succeeds when the balance covers one', async (t) => {
  const service = await testService(t)
  for (let round = 0; round < ROUNDS; round += 1) {
    const customer = await openCustomer(service, '1.0079')
    const replies = await Promise.all([send(service, customer), send(service, customer)])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 402])
    assert.equal(await balanceOf(service, customer.token), 0)
    assert.equal(await countMessages(service, customer.accountId), 1)
  }
})

test('a batch accepts messages in order as far as the balance covers them', async (t) => {
  const service = await testService(t)
  const { campaignId, token } = await openCustomer(service, '1.0316') // four segments
  const texts = ['a', 'b'.repeat(161), 'c'.repeat(161), 'd', 'e'] // 1, 2, 2, 1, 1 segments
  const messages = texts.map((body) => ({ campaign: campaignId, to: TO, body }))
  const { results } = (await service.post('/v1/message/batch', { messages }, { token })).body
  assert.deepEqual(
    results.map(({ success, code }: { success: boolean; code?: string }) => code ?? success),
    [true, true, 'balance_insufficient', true, 'balance_insufficient'],
  )
  assert.equal(await balanceOf(service, token), 0)
})

test('a number that one account buys three times at once is sold and charged once', async (t) => {
  const service = await testService(t)
  const { campaignId, token } = await openCustomer(service, '5')
  await addInventory(service, ['+16285550123'])
  const url = `/v1/campaign/${campaignId}/number/buy`
  const buy = () => service.post(url, { number: '+16285550123' }, { token })
  const replies = await Promise.all([buy(), buy(), buy()])
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409])
  assert.equal(await balanceOf(service, token), 3)
})

test('a refund to an empty balance pays for the next send', async (t) => {
  const service = await testService(t)
  await advanceTo(service, '2027-03-01T00:00:00.000Z')
  const customer = await openCustomer(service, '1.0079')
  const scheduledAt = '2027-03-02T00:00:00.000Z'
  const first = await send(service, customer, { scheduledAt })
  assert.equal((await send(service, customer)).status, 402)
  const url = `/v1/message/${first.body.id}`
  const [canceled, again] = await Promise.all([
    service.call('DELETE', url, undefined, { token: customer.token }),
    service.call('DELETE', url, undefined, { token: customer.token }),
  ])
  assert.deepEqual([canceled.status, again.status].sort(), [200, 409])
  assert.equal((await send(service, customer)).status, 200)
  assert.equal(await balanceOf(service, customer.token), 0)
})

interface Customer {
  accountId: string
  token: string
  brandId: string
  campaignId: string
}

async function openCustomer(service: TestService, balance: string): Promise<Customer> {
  const account = await service.otherAccount(balance)
  const campaign = await activeCampaign(service, account)
  await buyNumber(service, campaign.campaignId, { token: account.token })
  return { ...account, ...campaign }
}

/** Both at once. The order of the requests alternates between rounds. */
async function inEitherOrder(round: number, acts: (() => Promise<Reply>)[]): Promise<Reply[]> {
  if (round % 2 === 0) return Promise.all(acts.map((act) => act()))
  const replies = await Promise.all([...acts].reverse().map((act) => act()))
  return replies.reverse()
}

function send(service: TestService, customer: Customer, extra: object = {}): Promise<Reply> {
  const message = { campaign: customer.campaignId, to: TO, body: 'Hi', ...extra }
  return service.post('/v1/message/send', message, { token: customer.token })
}

function create(service: TestService, { brandId, token }: Customer): Promise<Reply> {
  const body = { brandId, usecase: 'MARKETING', description: 'Offers', consentFlow: 'Web form' }
  return service.post('/v1/campaign/create', body, { token })
}

async function balanceOf(service: TestService, token: string): Promise<number> {
  return (await service.get('/v1/account', { token })).body.account.balance
}

async function campaignsOf(service: TestService, token: string): Promise<unknown[]> {
  return (await service.get('/v1/campaign/list', { token })).body.campaigns
}

async function countMessages({ world }: TestService, accountId: string): Promise<number> {
  const [row] = await world.db.query<{ count: number }>(sql`
    select count(*)::int as count from messages where account_id = ${accountId}`)
  return row!.count
}
