// Sending a CSV file in the console, in a real browser: checked and priced first, then sent in requests that never
// send a row twice, whatever fails in between.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sql } from '../../src/kit/postgres/sql.js'
import { giveMoney } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import type { TestService } from '../harness.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross } from './until.js'

const FILE = { name: 'guests.csv', mimeType: 'text/csv' }

function choose(page: Page, text: string): Promise<void> {
  return page.getByLabel('CSV file').setInputFiles({ ...FILE, buffer: Buffer.from(text) })
}

/** Rows to ordinary sandbox phones, each with its own text. */
function rowsOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `+1415${5_570_000 + i},"No. ${i}, hello",${i}`)
}

async function countSent(service: TestService): Promise<number> {
  const [row] = await service.world.db.query<{ count: number }>(
    sql`select count(*)::int as count from messages where direction = 'OUTBOUND'`,
  )
  return row!.count
}

async function readResults(page: Page): Promise<string[][]> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download results' }).click()
  const file = await download
  assert.equal(await file.suggestedFilename(), 'guests-results.csv')
  const text = readFileSync(await file.path(), 'utf8').replace('\ufeff', '')
  const cells = (line: string) =>
    Array.from(line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g), ([, cell]) => cell!)
  return text.trimEnd().split('\r\n').map(cells)
}

test('a file with three invalid rows is sent once over a failing connection, and sending it again sends nothing', async (t) => {
  const visited = await visit(t, { balance: '100', roles: ['api'] })
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const rows = rowsOf(2_500)
  rows[9] = 'not a number,"Hi",9'
  rows[1_200] = '+14155571200,,1200'
  rows[2_400] = `+14155572400,${'x'.repeat(1_501)},2400`
  const csv = `To,Body,metadata.row\r\n${rows.join('\r\n')}\r\n`
  await enter('send')
  await page.getByRole('link', { name: 'CSV file' }).click()
  await page.getByText('Drop a CSV file here').waitFor()
  await assertAccessible(page)
  await choose(page, csv)
  await page.getByText('2,497 messages, 2,497 segments, $19.7263. 3 rows can’t be sent').waitFor()
  const problems = page.getByRole('table', { name: 'Rows that can’t be sent' })
  assert.deepEqual(await problems.getByRole('row').allInnerTexts(), [
    'Line\tProblem',
    '11\t“not a number” is not a US number',
    '1,202\tNo text',
    '2,402\t1,501 characters (limit 1,500)',
  ])
  await page.getByText('First 20 of 2,500 rows').waitFor()
  await assertAccessible(page)

  // The second request succeeds, but its response is lost.
  let calls = 0
  await page.route('**/v1/message/batch', async (route) => {
    calls += 1
    if (calls !== 2) return route.continue()
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Send 2,497 messages · $19.7263' }).click()
  await page.getByText('with the same idempotency key. Nothing is sent twice.').waitFor()
  await page.getByText('2,497 of 2,497 messages accepted.').waitFor()
  await assertAccessible(page)
  assert.equal(calls, 4, 'three requests, one of them repeated')
  assert.equal(await countSent(service), 2_497)

  const [head, ...results] = await readResults(page)
  assert.deepEqual(
    head,
    ['To', 'Body', 'metadata.row', 'id', 'status', 'error', ''].slice(0, head!.length),
  )
  assert.equal(results.length, 2_500)
  const status = (row: string[]) => row[4]
  assert.deepEqual(
    results.flatMap((row, i) => (status(row) === 'accepted' ? [] : [[i, status(row), row[5]]])),
    [
      [9, 'not sent', '“not a number” is not a US number'],
      [1_200, 'not sent', 'No text'],
      [2_400, 'not sent', '"1,501 characters (limit 1,500)"'],
    ],
  )
  const { body } = await service.get(`/v1/message/${results[17]![3]}`)
  assert.deepEqual(
    [body.message.to, body.message.body, body.message.metadata],
    ['+14155570017', 'No. 17, hello', { row: '17' }],
  )

  await page.reload()
  await choose(page, csv)
  await page.getByText('This file was already sent.').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('2,497 of 2,497 messages accepted.').waitFor()
  assert.equal(await countSent(service), 2_497, 'nothing is sent twice')
  const again = await readResults(page)
  assert.deepEqual(again.slice(1), results, 'and the results are the same')

  // The service's keys expire after 24 hours. The browser still remembers the file.
  await service.post('/sandbox/clock/advance', { seconds: 25 * 3600 })
  await page.reload()
  await choose(page, csv)
  await page.getByText('Nothing is left to send.').waitFor()
  await page.getByRole('button', { name: 'Continue' }).click({ force: true })
  assert.equal(await countSent(service), 2_497)
})

test('a batch that runs out of credit reports what was sent and continues after a top-up', async (t) => {
  const visited = await visit(t, { balance: '1.0158', roles: ['api'] })
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId) // leaves credit for two
  await enter('send/csv')
  await choose(
    page,
    'Phone;Name\n415 555 7001;Ana\n415 555 7002;Bo\n415 555 7003;=Chloé\n415 555 7004;\n',
  )
  await page.getByText('Enter a message text.').waitFor()
  await page.getByRole('textbox', { name: 'Text for all rows' }).fill('Hi {nme}')
  await page.getByText('This file has no column {nme}.').waitFor()
  await page.getByRole('textbox', { name: 'Text for all rows' }).fill('Hi {name}, see you. 🎉')
  await page.getByText('3 messages, 3 segments, $0.0237. 1 row can’t be sent').waitFor()
  await page.getByText('{name} is empty').first().waitFor()
  await page.getByRole('button', { name: 'Send 3 messages · $0.0237' }).click()
  const alert = page.getByRole('alert')
  await alert.getByText('Insufficient account balance.').waitFor()
  await alert.getByText('2 of 3 messages accepted. The others were not sent').waitFor()
  await assertAccessible(page)
  assert.equal(await countSent(service), 2)
  await alert.getByText('Still to send: 1 message, 1 segment, $0.0079.').waitFor()
  await giveMoney(service, '5')
  await page.reload()
  await choose(
    page,
    'Phone;Name\n415 555 7001;Ana\n415 555 7002;Bo\n415 555 7003;=Chloé\n415 555 7004;\n',
  )
  await page.getByRole('textbox', { name: 'Text for all rows' }).fill('Hi {name}, see you. 🎉')
  await page.getByText('This file was only partly sent.').waitFor()
  await page.getByText('2 messages accepted').waitFor()
  await page.getByText('Still to send: 1 message, 1 segment, $0.0079.').waitFor()
  await page.getByText('Whole file: 3 messages').waitFor()
  // Another browser remembers nothing, but the service does.
  await page.evaluate('localStorage.clear()')
  await page.reload()
  await choose(
    page,
    'Phone;Name\n415 555 7001;Ana\n415 555 7002;Bo\n415 555 7003;=Chloé\n415 555 7004;\n',
  )
  await page.getByRole('textbox', { name: 'Text for all rows' }).fill('Hi {name}, see you. 🎉')
  await page.getByText('This file was only partly sent.').waitFor()
  await page.getByText('2 messages accepted').waitFor()
  await page.getByRole('button', { name: 'Continue with 1 message · $0.0079' }).click()
  await page.getByText('3 of 3 messages accepted.').waitFor()
  assert.equal(await countSent(service), 3)
  const results = await readResults(page)
  assert.deepEqual(
    results.map((row) => row.slice(1, 2).concat(row.slice(3, 5))),
    [
      ['Name', 'status', 'error'],
      ['Ana', 'accepted', ''],
      ['Bo', 'accepted', ''],
      ["'=Chloé", 'accepted', ''],
      ['', 'not sent', '{name} is empty'],
    ],
  )
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await assertAccessible(page)
})

test('the page stays responsive while it reads 100,000 rows, and one more row is refused', async (t) => {
  const visited = await visit(t, { roles: ['api'] })
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  await enter('send/csv')
  const text = rowsOf(100_000).join('\n')
  await page.route('**/v1/message/batch/preview', () => {}) // counting is not part of this test
  await choose(page, `to,body,metadata.row\n${text}`)
  await page
    .getByRole('button', { name: /^Theme/ })
    .first()
    .click()
  await page.getByText('100,000 rows', { exact: true }).waitFor()
  await page.getByRole('radio', { name: 'Same text for all rows' }).click()
  await page.getByText('Enter a message text.').waitFor()
  await page.getByRole('radio', { name: 'From a column' }).click()
  await page.getByText(/^1?00,000 messages/).waitFor()
  await choose(page, `to,body\n${'4155550100,x\n'.repeat(100_001)}`)
  await page.getByText('The file has more than 100,000 rows.').waitFor()
  await assertAccessible(page)
})
