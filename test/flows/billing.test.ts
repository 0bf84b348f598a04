// What billing does automatically: price changes, low-balance events, and closed days.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendLowBalance } from '../../src/events/append-low-balance.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { correctAccount, creditAccount } from '../../src/ledger/credit-account.js'
import { findClosingDrift } from '../../src/ledger/ledger-queries.js'
import { listOwnPrices, type Price, setPrice } from '../../src/ledger/price-book.js'
import { closingLoop } from '../../src/ledger/statement/close-days.js'
import { watchBalances } from '../../src/ledger/watch-balances.js'
import { advanceTo, giveMoney } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type TestService, testService } from '../harness.js'

const TO = '+14155550123'

test('a price applies from its effective time, and an account’s own price overrides the default', async (t) => {
  const service = await testService(t)
  await advanceTo(service, '2027-03-01T00:00:00.000Z')
  const own = await sendingCampaign(service, service.accountId, service.token)
  const other = await service.otherAccount()
  const others = await sendingCampaign(service, other.accountId, other.token)
  await change(service, { accountId: null, amountMicros: 5_000n, effectiveAt: at('03-02') })
  await change(service, {
    accountId: service.accountId,
    amountMicros: 0n,
    effectiveAt: at('03-03'),
  })
  await change(service, {
    accountId: service.accountId,
    amountMicros: null,
    effectiveAt: at('03-04'),
  })

  const pricesOfBoth = async () => [
    await price(service, own, service.token),
    await price(service, others, other.token),
  ]
  assert.deepEqual(await pricesOfBoth(), [0.0079, 0.0079])
  await advanceTo(service, '2027-03-02T00:00:00.000Z')
  assert.deepEqual(await pricesOfBoth(), [0.005, 0.005])
  await advanceTo(service, '2027-03-03T00:00:00.000Z')
  assert.deepEqual(await pricesOfBoth(), [0, 0.005])
  await advanceTo(service, '2027-03-04T00:00:00.000Z')
  assert.deepEqual(await pricesOfBoth(), [0.005, 0.005])
  assert.equal(await service.balance(), 99 - 0.0079 - 0.005 - 0.005)
  const preview = await service.post('/v1/message/preview', { body: 'Hi' })
  assert.equal(preview.body.price, 0.005)
})

test('a price cannot start in the past, be negative, or be absurd', async (t) => {
  const service = await testService(t)
  const future = new Date(service.world.clock.now().getTime() + 60_000)
  const wanted = { accountId: null, amountMicros: 1n, effectiveAt: future }
  const refused = (price: Partial<Price>, message: string) =>
    assert.rejects(change(service, { ...wanted, ...price }), { code: 'field_invalid', message })
  await refused({ effectiveAt: new Date(0) }, 'effectiveAt must not be in the past')
  await refused({ amountMicros: -1n }, 'amount must be an amount in dollars, 0 or more')
  await refused({ amountMicros: 10n ** 15n }, 'amount must be an amount in dollars, 0 or more')
  assert.deepEqual(await listOwnPrices(service.world.db, null), [])
  await change(service, wanted)
  await change(service, { ...wanted, amountMicros: 2n }) // the same time: replaced
  assert.deepEqual(await listOwnPrices(service.world.db, null), [
    { ...wanted, kind: 'sms', amountMicros: 2n },
  ])
})

test('a balance below the threshold causes one event, and another only after it was above', async (t) => {
  const service = await testService(t, { balance: '10' })
  const { world, accountId } = service
  await service.call('PATCH', '/v1/account', { lowBalanceThreshold: 5 })
  const look = () => watchBalances(world, appendLowBalance)
  assert.equal(await look(), 0)
  await take(service, -5_000_001n, 'a')
  await Promise.all([look(), look(), look()])
  assert.equal(await look(), 0)
  const told = { change: 'low', balance: 4.999999, lowBalanceThreshold: 5 }
  assert.deepEqual(await lowEvents(service), [told])
  await giveMoney(service, '1')
  await look()
  await take(service, -1_000_000n, 'b')
  await look()
  assert.deepEqual(await lowEvents(service), [told, told])
  await service.call('PATCH', '/v1/account', { lowBalanceThreshold: null })
  await look()
  const alerts = await world.db.query(sql`
    select 1 from low_balance_alerts where account_id = ${accountId}`)
  assert.equal(alerts.length, 0)
})

test('each account gets the event for its balance and threshold, until it is deleted', async (t) => {
  const service = await testService(t, { balance: '10' })
  const { world } = service
  const other = await service.otherAccount('10')
  const third = await service.otherAccount('0.000001')
  const tell: [string, bigint, bigint][] = []
  const look = async () => {
    tell.length = 0
    await watchBalances(world, async (_, { accountId, balanceMicros, thresholdMicros }) => {
      tell.push([accountId, balanceMicros, thresholdMicros])
    })
    return tell
  }
  const warn = (lowBalanceThreshold: number, token: string) =>
    service.call('PATCH', '/v1/account', { lowBalanceThreshold }, { token })
  await warn(5, service.token)
  await warn(10, other.token)
  assert.deepEqual(await look(), [], 'at the threshold is not below it')
  await take(service, -6_000_000n, 'a')
  assert.deepEqual(await look(), [[service.accountId, 4_000_000n, 5_000_000n]])
  await take({ world, accountId: other.accountId }, -1n, 'b')
  assert.deepEqual(await look(), [[other.accountId, 9_999_999n, 10_000_000n]])
  await giveMoney(service, '0.000001', other.accountId)
  await look() // the other is at its threshold again, while the first stays low
  await take({ world, accountId: other.accountId }, -2n, 'c')
  assert.deepEqual(await look(), [[other.accountId, 9_999_998n, 10_000_000n]])
  assert.deepEqual(await look(), [])

  await world.db.query(sql`
    update accounts set status = 'DELETED', low_balance_micros = 5000000
    where account_id in (${third.accountId}, ${other.accountId})`)
  assert.deepEqual(await look(), [])
  const alerts = await world.db.query(sql`select account_id as id from low_balance_alerts`)
  assert.deepEqual(alerts, [{ id: service.accountId }])
})

test('the schedule role checks low balances automatically', async (t) => {
  const service = await testService(t, { roles: ['schedule'], balance: '1' })
  await service.call('PATCH', '/v1/account', { lowBalanceThreshold: 5 })
  await eventually(async () => (await lowEvents(service)).length === 1, 'an event')
})

test('days are closed an hour after they end, for accounts with entries only', async (t) => {
  const service = await testService(t)
  const { world } = service
  await service.otherAccount()
  await advanceTo(service, '2027-03-02T00:30:00.000Z')
  let ms = 0
  const loop = closingLoop(world, () => ms)
  const run = async () => {
    const { signal } = new AbortController()
    while ((await loop.step(signal)) > 0);
  }
  await run()
  assert.deepEqual(await closings(service), []) // just started, so open days are unknown
  ms += 600_000
  await run()
  const accounts = 2
  assert.equal((await closings(service)).length, accounts) // of the day before yesterday
  await giveMoney(service, '7')
  await advanceTo(service, '2027-03-03T00:59:00.000Z')
  ms += 600_000
  await run()
  ms += 600_000
  await run()
  // The second of March ended 59 minutes ago: not yet. The first had no entries.
  assert.equal((await closings(service)).length, accounts)
  await advanceTo(service, '2027-03-03T01:01:00.000Z')
  ms += 600_000
  await run()
  assert.equal((await closings(service)).length, accounts) // the jump was seen only now
  ms += 600_000
  await run()
  assert.equal((await closings(service)).length, accounts + 1)
  await run()
  assert.deepEqual(await findClosingDrift(world.db), [])
})

test('a credit or correction needs a valid amount, a note, and a new reference', async (t) => {
  const service = await testService(t, { balance: '10' })
  const { world, accountId } = service
  const act = { amountMicros: 1_000_000n, note: 'Invoice 7', reference: 'invoice-7' }
  const credit = (deposit: Partial<typeof act>, to = accountId) =>
    world.db.transaction((tx) => creditAccount(tx, to, { ...act, ...deposit }, world.clock.now()))
  const correct = (correction: Partial<typeof act>) =>
    world.db.transaction((tx) =>
      correctAccount(tx, accountId, { ...act, ...correction }, world.clock.now()),
    )
  const amount = 'amount must be more than $0 and at most $1,000,000, with at most six decimals'
  for (const amountMicros of [0n, -1n, 10n ** 12n + 1n, 10n ** 30n]) {
    await assert.rejects(credit({ amountMicros }), { message: amount })
  }
  await assert.rejects(correct({ amountMicros: 0n }), { message: amount })
  await assert.rejects(correct({ amountMicros: -(10n ** 30n) }), { message: amount })
  await assert.rejects(credit({ note: ' ' }), { message: 'note is required' })
  await assert.rejects(credit({ reference: '' }), { message: 'reference is required' })
  await assert.rejects(credit({ note: 'x'.repeat(501) }), { code: 'field_invalid' })
  await assert.rejects(credit({ reference: 'x'.repeat(201) }), {
    message: /^reference must be at most 200 /,
  })
  await assert.rejects(credit({}, 'acc_01km3v9w8m0000pqv3t5x7z9bd'), { code: 'account_missing' })
  await assert.rejects(correct({ amountMicros: -10_000_001n }), { code: 'balance_insufficient' })
  assert.equal(await service.balance(), 10)

  const outcomes = await Promise.allSettled([credit({}), credit({}), credit({})])
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  assert.deepEqual(
    refused.map(({ reason }) => reason.code),
    ['reference_used', 'reference_used'],
  )
  assert.equal(await service.balance(), 11)
  await correct({ amountMicros: -11_000_000n })
  assert.equal(await service.balance(), 0)
  const longest = { note: 'x'.repeat(500), reference: 'x'.repeat(200) }
  await correct({ ...longest, amountMicros: 1n })
  const again = credit({ ...longest, amountMicros: 10n ** 12n })
  assert.match(await again, /^trf_/, 'a reference is unique per kind of entry')
})

function at(day: string): Date {
  return new Date(`2027-${day}T00:00:00.000Z`)
}

async function change({ world }: TestService, price: Omit<Price, 'kind'>): Promise<void> {
  await world.db.transaction((tx) => setPrice(tx, { ...price, kind: 'sms' }, world.clock.now()))
}

async function sendingCampaign(
  service: TestService,
  accountId: string,
  token: string,
): Promise<string> {
  const { campaignId } = await activeCampaign(service, { accountId })
  await buyNumber(service, campaignId, { token })
  return campaignId
}

async function price(service: TestService, campaign: string, token: string): Promise<number> {
  const sent = await service.post('/v1/message/send', { campaign, to: TO, body: 'Hi' }, { token })
  const { message } = (await service.get(`/v1/message/${sent.body.id}`, { token })).body
  return message.price
}

async function take(
  { world, accountId }: Pick<TestService, 'world' | 'accountId'>,
  amountMicros: bigint,
  reference: string,
): Promise<void> {
  const correction = { amountMicros, note: 'test', reference }
  await world.db.transaction((tx) => correctAccount(tx, accountId, correction, world.clock.now()))
}

async function lowEvents({ world, accountId }: TestService): Promise<unknown[]> {
  const rows = await world.db.query<{ data: unknown }>(sql`
    select data from events where account_id = ${accountId} and event_type = 'balance.changed'
    order by id`)
  return rows.map(({ data }) => data)
}

async function closings({ world }: TestService): Promise<unknown[]> {
  return world.db.query(sql`select * from ledger_closings`)
}
