// A statement as a page, a file, and JSON: each line has its sign, and every amount is exact.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMonth } from '../month.js'
import { type AccountStatement, REASON_TITLES, type StatementLine } from './statement.js'
import { statementPage } from './statement-page.js'
import { statementCsv, wireStatement } from './statement-wire.js'

const line = (given: Partial<StatementLine>): StatementLine => ({
  at: new Date('2027-02-28T23:59:59.999Z'),
  reason: 'credit',
  campaignId: null,
  campaignName: null,
  reference: null,
  note: null,
  count: 1,
  amountMicros: 30_000_000n,
  description: 'Invoice 7',
  ...given,
})

const STATEMENT: AccountStatement = {
  month: readMonth('2027-02')!,
  account: {
    accountId: 'acc_1',
    name: 'Tom & Söhne',
    status: 'ACTIVE',
    lowBalanceMicros: null,
    createdAt: new Date(0),
  },
  isFinal: true,
  openingMicros: 1_000_001n,
  closingMicros: 30_984_201n,
  lines: [
    line({}),
    line({
      at: null,
      reason: 'message',
      campaignId: 'cmp_1',
      campaignName: '=Sale, "50%"',
      count: 2,
      amountMicros: -15_800n,
      description: 'Messages: 2 charged',
    }),
    line({ reason: 'campaign_renewal', campaignId: 'cmp_2', amountMicros: -1n, description: '-1' }),
  ],
  totals: [
    { reason: 'credit', count: 1, amountMicros: 30_000_000n },
    { reason: 'message', count: 2, amountMicros: -15_800n },
  ],
}
const EMPTY: AccountStatement = { ...STATEMENT, isFinal: false, lines: [], totals: [] }

const REASON_KEYS = Object.keys(REASON_TITLES) as (keyof typeof REASON_TITLES)[]

/** The cells of each row of the page. */
function cellsOf(page: string): string[][] {
  const rows = [...page.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) => row!)
  return rows.map((row) =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell]) => cell!),
  )
}

test('the page leads from the opening to the closing balance, by reason and line by line', () => {
  const page = statementPage(STATEMENT)
  assert.deepEqual(cellsOf(page), [
    ['What', 'How many', 'Amount'],
    ['Opening balance', '', '$1.000001'],
    ['Credits', '1', '$30.00'],
    ['Messages', '2', '-$0.0158'],
    ['Closing balance', '$30.984201'],
    ['Date', 'What', 'Campaign', 'Amount'],
    ['2027-02-28', 'Invoice 7', '', '$30.00'],
    ['whole month', 'Messages: 2 charged', '=Sale, &quot;50%&quot;', '-$0.0158'],
    ['2027-02-28', '-1', 'cmp_2', '-$0.000001'],
  ])
  assert.ok(page.startsWith('<!doctype html>\n<html lang="en">'))
  assert.ok(page.includes('<title>Statement for February 2027, Tom &amp; Söhne</title>'))
  assert.ok(
    page.includes('<p class="about">Tom &amp; Söhne · acc_1<br>\n2027-02-01 to 2027-02-28, UTC'),
  )
  assert.ok(!page.includes('more entries may follow') && !page.includes('No transactions'))
})

test('the page of a month without movements says so, and that the month is not over', () => {
  const page = statementPage(EMPTY)
  assert.ok(page.includes('in US dollars. The month is not over, so more entries may follow.</p>'))
  assert.ok(page.includes('<p>No transactions in this month.</p>'))
  assert.ok(!page.includes('Details'))
})

test('the file has a line for the opening and closing balance, and runs no formula', () => {
  assert.deepEqual(statementCsv(STATEMENT).split('\r\n'), [
    'date,description,reason,campaignId,campaignName,count,amount',
    '2027-02-01T00:00:00.000Z,Opening balance,,,,,1.000001',
    '2027-02-28T23:59:59.999Z,Invoice 7,credit,,,1,30.00',
    `,Messages: 2 charged,message,cmp_1,"'=Sale, ""50%""",2,-0.0158`,
    "2027-02-28T23:59:59.999Z,'-1,campaign_renewal,cmp_2,,1,-0.000001",
    '2027-03-01T00:00:00.000Z,Closing balance,,,,,30.984201',
    '',
  ])
  assert.equal(statementCsv(EMPTY).split('\r\n').length, 4)
})

test('JSON has the same amounts in dollars', () => {
  const { lines, totals, ...rest } = wireStatement(STATEMENT)
  assert.deepEqual(rest, {
    month: '2027-02',
    account: { id: 'acc_1', name: 'Tom & Söhne' },
    isFinal: true,
    openingBalance: 1.000001,
    closingBalance: 30.984201,
  })
  assert.deepEqual(totals[1], { reason: 'message', count: 2, amount: -0.0158 })
  assert.deepEqual(lines[1], {
    date: null,
    description: 'Messages: 2 charged',
    reason: 'message',
    campaignId: 'cmp_1',
    campaignName: '=Sale, "50%"',
    count: 2,
    amount: -0.0158,
  })
  assert.equal(lines[0]!.date, '2027-02-28T23:59:59.999Z')
})

test('every reason has its own title on the page', () => {
  const totals = REASON_KEYS.map((reason) => ({ reason, count: 1, amountMicros: 1n }))
  const titles = cellsOf(statementPage({ ...EMPTY, totals }))
    .filter((cells) => cells.length === 3 && cells[1] === '1')
    .map(([title]) => title!)
  assert.equal(new Set(titles).size, REASON_KEYS.length)
  for (const title of titles) assert.match(title, /^[A-Z][a-z]+/)
})
