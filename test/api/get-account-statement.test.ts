// GET /v1/account/statement/{month}: a monthly statement as JSON, CSV, or a printable page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { correctAccount, creditAccount } from '../../src/ledger/credit-account.js'
import type { Reason } from '../../src/ledger/ledger.js'
import { transfer } from '../../src/ledger/ledger-queries.js'
import { advanceTo } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type Reply, type TestService, testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

const STATEMENT = '/v1/account/statement'
const TO = '+14155550123'

test('a month with every kind of entry adds up line by line', async (t) => {
  const service = await testService(t, { roles: ['schedule', 'dispatch'], balance: '100' })
  const { campaignId, number } = await eventfulMarch(service)
  const { status, body } = await service.get(`${STATEMENT}/2027-03`)
  assert.equal(status, 200)
  const { statement } = body
  assert.deepEqual(
    statement.lines.map((line: Record<string, unknown>) => [
      line.description,
      line.reason,
      line.campaignId,
      line.count,
      line.amount,
    ]),
    [
      ['Campaign renewal, month from 2027-03-10', 'campaign_renewal', campaignId, 1, -10],
      [`Number ${number}, month from 2027-03-10`, 'number_renewal', campaignId, 1, -1],
      ['Invoice 7', 'credit', null, 1, 30],
      ['Correction: paid twice', 'correction', null, 1, -2.5],
      ['Correction: an apology', 'correction_credit', null, 1, 1.25],
      ['Messages: 3 charged', 'message', campaignId, 3, -0.0316],
      ['Messages: 1 refunded', 'message_refund', campaignId, 1, 0.0079],
    ],
  )
  assert.deepEqual(statement.totals, [
    { reason: 'credit', count: 1, amount: 30 },
    { reason: 'correction', count: 1, amount: -2.5 },
    { reason: 'correction_credit', count: 1, amount: 1.25 },
    { reason: 'campaign_renewal', count: 1, amount: -10 },
    { reason: 'number_renewal', count: 1, amount: -1 },
    { reason: 'message', count: 3, amount: -0.0316 },
    { reason: 'message_refund', count: 1, amount: 0.0079 },
  ])
  assert.equal(statement.lines[0].campaignName, 'Acme: Marketing')
  assert.equal(statement.lines[5].date, null)
  assert.deepEqual(
    [statement.month, statement.account, statement.isFinal],
    ['2027-03', { id: service.accountId, name: 'Test' }, false],
  )
  assert.equal(statement.openingBalance, 99)
  assert.equal(statement.closingBalance, 116.7263)
  assert.equal(await service.balance(), 116.7263)
})

test('each month opens with the closing balance of the previous month', async (t) => {
  const service = await testService(t, { roles: ['schedule', 'dispatch'] })
  const { number } = await eventfulMarch(service)
  await advanceTo(service, '2027-04-20T00:00:00.000Z')
  const march = (await service.get(`${STATEMENT}/2027-03`)).body.statement
  const april = (await service.get(`${STATEMENT}/2027-04`)).body.statement
  const february = (await service.get(`${STATEMENT}/2027-02`)).body.statement
  assert.deepEqual([february.isFinal, march.isFinal, april.isFinal], [true, true, false])
  assert.deepEqual(
    february.lines.map(({ description, amount }: Record<string, unknown>) => [description, amount]),
    [
      ['Credit', 20],
      ['Campaign creation fee', -20],
      [`Number ${number} until the campaign renews`, -1],
    ],
  )
  assert.equal(february.closingBalance, march.openingBalance)
  assert.equal(march.closingBalance, april.openingBalance)
  const before = (await service.get(`${STATEMENT}/2020-01`)).body.statement
  assert.deepEqual([before.openingBalance, before.closingBalance, before.lines], [0, 0, []])
})

test('an entry belongs to its account and, to the millisecond, to its month', async (t) => {
  const service = await testService(t, { balance: '100' })
  const { world, accountId } = service
  const other = await service.otherAccount('100')
  const move = (to: string, time: string, dollars: number, reason: Reason, campaignId?: string) => {
    const amountMicros = BigInt(Math.round(dollars * 1e6))
    const wanted = { accountId: to, reason, reference: `${reason}:${time}`, amountMicros }
    const of = campaignId === undefined ? {} : { campaignId }
    return world.db.transaction((tx) => transfer(tx, { ...wanted, ...of, now: new Date(time) }))
  }
  for (const id of [other.accountId, accountId]) {
    await move(id, '2027-02-28T23:59:59.999Z', 1, 'credit')
    await move(id, '2027-03-01T00:00:00.000Z', 2, 'credit')
    await move(id, '2027-03-15T00:00:00.000Z', 0.25, 'message', 'cmp_b')
    await move(id, '2027-03-15T00:00:00.001Z', 0.5, 'message', 'cmp_b')
    await move(id, '2027-03-15T00:00:00.002Z', 0.05, 'message_refund', 'cmp_b')
    await move(id, '2027-03-15T00:00:00.003Z', 0.125, 'message', 'cmp_a')
    await move(id, '2027-04-01T00:00:00.000Z', 8, 'message', 'cmp_a')
  }
  await move(accountId, '2027-03-20T00:00:00.000Z', 1, 'correction_credit')
  const last = await move(accountId, '2027-03-31T23:59:59.999Z', 4, 'correction')
  await world.db.query(sql`
    insert into ledger_notes (account_id, transfer_id, note)
    values (${other.accountId}, ${last}, 'not yours'), (${accountId}, ${last}, 'yours')`)
  await advanceTo(service, '2027-04-01T00:00:00.000Z')
  const { statement } = (await service.get(`${STATEMENT}/2027-03`)).body
  const { openingBalance, closingBalance, isFinal } = statement
  assert.deepEqual([openingBalance, closingBalance, isFinal], [101, 99.175, true])
  assert.deepEqual(
    statement.lines.map((line: Record<string, unknown>) => [
      line.date,
      line.description,
      line.campaignId,
      line.count,
      line.amount,
    ]),
    [
      ['2027-03-01T00:00:00.000Z', 'Credit', null, 1, 2],
      ['2027-03-20T00:00:00.000Z', 'Correction: by the operator', null, 1, 1],
      ['2027-03-31T23:59:59.999Z', 'Correction: yours', null, 1, -4],
      [null, 'Messages: 1 charged', 'cmp_a', 1, -0.125],
      [null, 'Messages: 2 charged', 'cmp_b', 2, -0.75],
      [null, 'Messages: 1 refunded', 'cmp_b', 1, 0.05],
    ],
  )
  assert.deepEqual(statement.totals, [
    { reason: 'credit', count: 1, amount: 2 },
    { reason: 'correction', count: 1, amount: -4 },
    { reason: 'correction_credit', count: 1, amount: 1 },
    { reason: 'message', count: 3, amount: -0.875 },
    { reason: 'message_refund', count: 1, amount: 0.05 },
  ])
})

test('the amounts in the CSV file lead from the opening balance to the closing balance', async (t) => {
  const service = await testService(t, { roles: ['schedule', 'dispatch'] })
  await eventfulMarch(service)
  const { body, headers } = await getAs(service, 'text/csv', `${STATEMENT}/2027-03`)
  assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
  assert.equal(headers['content-disposition'], 'attachment; filename="statement-2027-03.csv"')
  const lines: string[] = body.trimEnd().split('\r\n')
  assert.equal(lines[0], 'date,description,reason,campaignId,campaignName,count,amount')
  assert.equal(lines[1], '2027-03-01T00:00:00.000Z,Opening balance,,,,,99.00')
  assert.equal(lines.at(-1), '2027-04-01T00:00:00.000Z,Closing balance,,,,,116.7263')
  const micros = lines.slice(1, -1).map((line) => {
    const amount = /,(-?\d+\.\d+)$/.exec(line)![1]!
    return Math.round(Number(amount) * 1e6)
  })
  assert.equal(
    micros.reduce((sum, one) => sum + one, 0),
    116_726_300,
  )
})

test('the page escapes all text and loads nothing', async (t) => {
  const service = await testService(t)
  const { world, accountId } = service
  await advanceTo(service, '2027-03-01T00:00:00.000Z')
  const displayName = '<img src=x onerror="alert(1)">'
  await activeCampaign(service, { campaign: { displayName } })
  const deposit = { amountMicros: 1n, note: `</td><script>alert('&')</script>`, reference: 'x' }
  await world.db.transaction((tx) => creditAccount(tx, accountId, deposit, world.clock.now()))
  const { status, body, headers } = await getAs(service, 'text/html', `${STATEMENT}/2027-03`)
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.match(headers['content-security-policy']!, /^default-src 'none'/)
  assert.ok(!/<script|<img|<link|http:|https:/.test(body), body)
  assert.ok(body.includes('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;'))
  assert.ok(body.includes('&lt;/td&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;'))
  assert.ok(body.includes('<h1>Statement for March 2027</h1>'))
  assert.ok(body.includes('$0.000001'))
  assert.ok(body.includes('The month is not over'))
})

test('a browser gets the page, and a client that accepts anything gets JSON', async (t) => {
  const service = await testService(t)
  const month = service.world.clock.now().toISOString().slice(0, 7)
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const [accept, type] of [
    [browser, 'text/html; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['text/csv;q=0.5, text/html;q=0.4', 'text/csv; charset=utf-8'],
    ['application/pdf', 'application/json; charset=utf-8'],
  ] as const) {
    const { headers } = await getAs(service, accept, `${STATEMENT}/${month}`)
    assert.equal(headers['content-type'], type, accept)
  }
})

test('an invalid or future month is refused', async (t) => {
  const service = await testService(t)
  const shape = { error: 'month must be a month such as 2026-11', code: 'field_invalid' }
  const details = [{ field: 'month', problem: 'must be a month such as 2026-11' }]
  for (const month of [
    '2027',
    '2027-13',
    '2027-00',
    '1999-12',
    '2027-1',
    'now',
    '2027-03-01',
    '%00',
  ]) {
    const { status, body } = await service.get(`${STATEMENT}/${month}`)
    assert.equal(status, 400, month)
    assert.deepEqual(body, { statement: null, ...shape, details })
  }
  const { status, body } = await service.get(`${STATEMENT}/2999-01`)
  assert.equal(status, 400)
  assert.equal(body.error, 'month must not be in the future')
})

test('errors have the shape of the route', async (t) => {
  const service = await testService(t)
  const url = `${STATEMENT}/2026-11`
  const failure = { statement: null }
  await assertFailureShapes(service, { method: 'GET', url, failure, scope: 'billing' })
})

/** February ends with $99. March has a renewal, operator actions, and messages. */
async function eventfulMarch(
  service: TestService,
): Promise<{ campaignId: string; number: string }> {
  const { world, accountId } = service
  await advanceTo(service, '2027-02-10T08:00:00.000Z')
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  await advanceTo(service, '2027-03-10T09:00:00.000Z')
  await eventually(async () => (await service.balance()) === 88, 'the renewal')
  const now = world.clock.now()
  await world.db.transaction(async (tx) => {
    const at = (note: string, dollars: number) => ({
      note,
      reference: note,
      amountMicros: BigInt(dollars * 1e6),
    })
    await creditAccount(tx, accountId, at('Invoice 7', 30), now)
    await correctAccount(tx, accountId, at('paid twice', -2.5), now)
    await correctAccount(tx, accountId, at('an apology', 1.25), now)
  })
  for (const [to, body] of [
    [TO, 'Hi'],
    [TO, 'x'.repeat(161)],
    ['+14155550110', 'Hi'], // nonexistent number: refunded
  ]) {
    await service.post('/v1/message/send', { campaign: campaignId, to, body })
  }
  await eventually(async () => (await service.balance()) === 116.7263, 'the refund')
  return { campaignId, number }
}

async function getAs(service: TestService, accept: string, url: string): Promise<Reply> {
  const headers = { authorization: `Bearer ${service.token}`, accept }
  const { statusCode, body, headers: got } = await service.app.inject({ url, headers })
  return { status: statusCode, body, headers: got as Record<string, string> }
}
