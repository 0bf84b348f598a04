// GET and PATCH /v1/account: the account's identity, spending, and notices for its owner.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCOPES } from '../../src/kit/contract/operation.js'
import { correctAccount, creditAccount } from '../../src/ledger/credit-account.js'
import { transfer } from '../../src/ledger/ledger-queries.js'
import { advanceTo, giveMoney } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type Json, testService } from '../harness.js'
import { decideOnBrand, decideOnCampaign, newBrand, newCampaign } from './campaign-bodies.js'
import { assertFailureShapes } from './failure-shapes.js'
import { operatedService } from './operator-service.js'

test('a client sees its account, its scopes, and the time of the service', async (t) => {
  const service = await testService(t, { balance: '12.345678' })
  const { status, body } = await service.get('/v1/account')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    account: {
      id: service.accountId,
      name: 'Test',
      balance: 12.345678,
      spentThisMonth: 0,
      lowBalanceThreshold: null,
      messageRetentionDays: null,
      mediaRetentionDays: null,
      recordRetentionDays: 396,
      createdAt: body.account.createdAt,
    },
    notices: [],
    tokenId: body.tokenId,
    scopes: [...SCOPES],
    now: body.now,
  })
  const { tokens } = (await service.get('/v1/token/list')).body
  assert.deepEqual(
    tokens.map((one: Json) => one.id),
    [body.tokenId],
    'the token that calls',
  )
})

test('an owner sees how long the operator keeps texts and media', async (t) => {
  const service = await operatedService(t)
  await service.operate('PATCH', `/account/${service.accountId}`, {
    messageRetentionDays: 90,
    mediaRetentionDays: 7,
  })
  const { account } = (await service.get('/v1/account')).body
  assert.deepEqual([account.messageRetentionDays, account.mediaRetentionDays], [90, 7])
})

test('the month’s spending is all charges since its first day minus refunds', async (t) => {
  const service = await testService(t)
  const { world, accountId } = service
  await advanceTo(service, '2027-02-20T12:00:00.000Z')
  const { campaignId } = await activeCampaign(service) // $20, credited just before
  await buyNumber(service, campaignId) // a full month: $1
  assert.equal((await service.get('/v1/account')).body.account.spentThisMonth, 21)

  const act = { note: 'test', reference: 'one' }
  const now = world.clock.now()
  await world.db.transaction(async (tx) => {
    await creditAccount(tx, accountId, { ...act, amountMicros: 5_000_000n }, now)
    await correctAccount(tx, accountId, { ...act, amountMicros: -2_000_000n }, now)
    await correctAccount(tx, accountId, { ...act, amountMicros: 1_000_000n }, now)
    for (const reason of ['number_purchase', 'number_refund'] as const) {
      await transfer(tx, { accountId, reason, reference: reason, amountMicros: 3_000_000n, now })
    }
  })
  const { account } = (await service.get('/v1/account')).body
  assert.equal(account.spentThisMonth, 21)
  assert.equal(account.balance, 103)

  const later = { campaign: campaignId, to: '+14155550123', body: 'Hi', scheduledAt: inAnHour(now) }
  const { id } = (await service.post('/v1/message/send', later)).body
  assert.equal((await service.get('/v1/account')).body.account.spentThisMonth, 21.0079)
  assert.equal((await service.call('DELETE', `/v1/message/${id}`)).status, 200)
  assert.equal((await service.get('/v1/account')).body.account.spentThisMonth, 21)

  await advanceTo(service, '2027-03-01T00:00:00.000Z')
  assert.equal((await service.get('/v1/account')).body.account.spentThisMonth, 0)
})

function inAnHour(now: Date): string {
  return new Date(now.getTime() + 3_600_000).toISOString()
}

test('an owner who sets a threshold gets a notice when the balance is below it', async (t) => {
  const service = await testService(t, { balance: '9.99' })
  const changed = await service.call('PATCH', '/v1/account', { lowBalanceThreshold: 10 })
  assert.equal(changed.status, 200)
  assert.equal(changed.body.success, true)
  assert.equal(changed.body.account.lowBalanceThreshold, 10)
  assert.deepEqual((await service.get('/v1/account')).body.notices, [
    {
      kind: 'low_balance',
      text: 'The balance of $9.99 is below $10.00. Add money before sends are refused',
      campaignId: null,
      brandId: null,
      notes: [],
      until: null,
      owed: null,
    },
  ])
  await giveMoney(service, '0.01')
  assert.deepEqual((await service.get('/v1/account')).body.notices, [])
  const off = await service.call('PATCH', '/v1/account', { lowBalanceThreshold: null })
  assert.equal(off.body.account.lowBalanceThreshold, null)
})

test('an owner with an unpaid renewal sees the amount due and the deadline', async (t) => {
  const service = await testService(t, { roles: ['schedule'], balance: '1' })
  await advanceTo(service, '2027-04-01T00:00:00.000Z')
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  await advanceTo(service, '2027-05-01T06:00:00.000Z')
  const [notice] = await eventually(async () => {
    const { notices } = (await service.get('/v1/account')).body
    return notices.length > 0 && notices
  })
  assert.deepEqual(notice, {
    kind: 'renewal_unpaid',
    text: 'The renewal of Acme: Marketing is unpaid. You owe $11.00. The campaign will be suspended on 2027-05-08.',
    campaignId,
    brandId: null,
    notes: [],
    until: notice.until,
    owed: 11,
  })
  await advanceTo(service, '2027-05-09T00:00:00.000Z')
  const stopped = await eventually(async () => {
    const { notices } = (await service.get('/v1/account')).body
    return notices[0].text.includes('is suspended because') && notices[0]
  })
  assert.equal(
    stopped.text,
    'Acme: Marketing is suspended because its renewal is unpaid. You owe $11.00.',
  )
})

test('an owner sees what a reviewer returned until it is submitted again', async (t) => {
  const service = await testService(t)
  const refused = [{ field: 'ein', note: 'The tax records show another name.' }]
  const returned = [{ field: 'sample1', note: 'Name the brand.' }]
  const brandId = await newBrand(service)
  const campaign = await newCampaign(service)
  await decideOnBrand(service, brandId, { kind: 'refuse', notes: refused })
  await decideOnBrand(service, campaign.brandId as string, { kind: 'verify' })
  await decideOnCampaign(service, campaign.id as string, { kind: 'return', notes: returned })
  assert.deepEqual((await service.get('/v1/account')).body.notices, [
    {
      kind: 'brand_refused',
      text: 'Acme Coffee was not verified. Make the changes in the notes and resubmit the brand.',
      campaignId: null,
      brandId,
      notes: refused,
      until: null,
      owed: null,
    },
    {
      kind: 'campaign_returned',
      text: 'Acme Coffee: Marketing was returned by the reviewer. Make the changes in the notes and resubmit it at no extra cost.',
      campaignId: campaign.id,
      brandId: campaign.brandId,
      notes: returned,
      until: null,
      owed: null,
    },
  ])
  const drafts = await service.get('/v1/campaign/list?status=DRAFT')
  assert.deepEqual(
    drafts.body.campaigns.map((one: Json) => [one.id, one.reviewNotes]),
    [[campaign.id, returned]],
  )
  await service.post(`/v1/brand/${brandId}/submit`)
  await service.post(`/v1/campaign/${campaign.id}/submit`)
  assert.deepEqual((await service.get('/v1/account')).body.notices, [])
})

test('a threshold that is not an amount is refused', async (t) => {
  const service = await testService(t)
  const expects =
    'lowBalanceThreshold must be more than $0 and at most $1,000,000, with at most six decimals'
  for (const lowBalanceThreshold of [0, -1, 0.0000001, 1e12, 1_000_000.01]) {
    const reply = await service.call('PATCH', '/v1/account', { lowBalanceThreshold })
    assert.equal(reply.status, 400)
    assert.equal(reply.body.error, expects, String(lowBalanceThreshold))
  }
  const text = await service.call('PATCH', '/v1/account', { lowBalanceThreshold: '10' })
  assert.equal(text.body.error, 'lowBalanceThreshold must be an amount in dollars, or null')
  const none = await service.call('PATCH', '/v1/account', {})
  assert.equal(none.body.error, 'lowBalanceThreshold is required')
  assert.equal((await service.get('/v1/account')).body.account.lowBalanceThreshold, null)
})

test('errors have the shape of the route', async (t) => {
  const service = await testService(t)
  const url = '/v1/account'
  await assertFailureShapes(service, {
    method: 'GET',
    url,
    failure: { account: null },
    scope: 'read',
  })
  await assertFailureShapes(service, {
    method: 'PATCH',
    url,
    failure: { success: false },
    scope: 'billing',
    takesBody: true,
  })
})
