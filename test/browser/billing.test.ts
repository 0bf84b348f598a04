// Billing in the console, in a real browser: how long the money lasts, where it went to the millionth, and a
// month for the books.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { giveMoney } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross } from './until.js'

test('an account that has paid nothing yet reads what things cost', async (t) => {
  const visited = await visit(t, { balance: '0' })
  if (!visited) return
  const { page, enter } = visited
  await enter('billing')
  await page.getByText('Nothing has been charged yet.').waitFor()
  await page.getByText('SMS $0.0079 a segment, MMS $0.02, inbound free').waitFor()
  await page.getByText('Sends are refused until credit is added.').waitFor()
  await page.getByText('No campaign is active, so nothing renews.').waitFor()
  await assertAccessible(page)
})

test('who looks for the money finds every movement, the pace, and files that run nothing', async (t) => {
  const visited = await visit(t, { balance: '50' })
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service, {
    campaign: { displayName: '=SUM(A1) & <b>Co</b>' },
  })
  await buyNumber(service, campaignId)
  const message = (to: string) => ({ campaign: campaignId, to, body: 'Hello' })
  const messages = Array.from({ length: 12 }, (_, i) => message(`+1415555${2000 + i}`))
  await service.post('/v1/message/batch', { messages })
  await service.post('/v1/message/send', message('+14155550110'))
  await giveMoney(service, '0.000001')
  await enter('billing')
  const ledger = page.getByRole('table', { name: 'Ledger' })
  await ledger.getByText('Returned: 1350').waitFor()
  await ledger.getByText('+$0.000001').waitFor()
  await ledger.getByText('Campaign “=SUM(A1) & <b>Co</b>”, creation').waitFor()
  await page.getByText(/about \d+ days/).waitFor()
  await page.getByText('messages of the last 7 days cost $0.0948').waitFor()
  await page.getByText('with 1 number').waitFor()
  await assertAccessible(page)

  const batch = ledger.getByRole('button', { name: '12 messages' })
  assert.equal(await ledger.getByText('(415) 555-2011').count(), 0)
  await batch.click()
  await ledger.getByText('Message to (415) 555-2011, 1 segment').waitFor()
  await page.getByRole('button', { name: 'Show as a table' }).click()
  await page.getByRole('columnheader', { name: 'Balance at its end' }).waitFor()
  await page.getByRole('button', { name: 'Show the chart' }).click()
  const chart = page.getByRole('slider', { name: 'Day of the balance' })
  await chart.focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /at its end/)
  await page.getByRole('button', { name: 'By day' }).click()
  await page.getByRole('columnheader', { name: 'Day (UTC)' }).waitFor()

  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV', exact: true }).click()
  const csv = await readFile(await (await saving).path(), 'utf8')
  assert.match(csv, /^\uFEFF?id,createdAt,reason/)
  assert.doesNotMatch(csv, /(^|,)"?[=@]/m, 'no cell begins as a formula does')

  await page.getByLabel('Reason').selectOption('number_purchase')
  await ledger.getByText(/^Number \(415\)/).waitFor()
  await batch.waitFor({ state: 'detached' })
  await page.waitForURL(/reason=number_purchase/)
  await page.getByLabel('Campaign', { exact: true }).selectOption(campaignId)
  await page.getByLabel('Reason').selectOption('campaign_renewal')
  await page.getByText('Nothing matches.').waitFor()
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await batch.waitFor()

  await page.getByRole('button', { name: 'Set a low mark' }).click()
  await page.getByLabel('Low mark in dollars').fill('-3')
  await page.keyboard.press('Enter')
  await page.getByText('It must be an amount in dollars above 0').waitFor()
  await page.getByLabel('Low mark in dollars').fill('1,000')
  await page.keyboard.press('Enter')
  await page.getByText('Below your mark of $1,000.00.').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('list', { name: 'Ledger' }).getByText('12 messages').waitFor()
  await fitsAcross(page)
  await assertAccessible(page)
})

test('the statement of a month adds up, and is printed without the house around it', async (t) => {
  const visited = await visit(t, { balance: '50' })
  if (!visited) return
  const { page, enter, service, url } = visited
  await activeCampaign(service, { campaign: { displayName: '<i>Tables</i>' } })
  await enter('billing')
  await page.getByRole('link', { name: 'Statement', exact: true }).click()
  await page.getByRole('heading', { name: /^Statement for / }).waitFor()
  await page.getByText('<i>Tables</i>').waitFor()
  await page.getByRole('row', { name: 'Closing balance $50.00' }).waitFor()
  await page.getByText('The month is not over').waitFor()
  await assertAccessible(page)
  await page.emulateMedia({ media: 'print' })
  assert.equal(await page.getByRole('navigation').first().isVisible(), false)
  assert.equal(await page.getByRole('button', { name: 'Print' }).isVisible(), false)
  assert.ok(await page.getByRole('row', { name: /^Closing balance/ }).isVisible())
  await page.emulateMedia({ media: 'screen' })
  await page.goto(`${url}billing/statement/2199-01`)
  await page.getByText('month must not be in the future').waitFor()
  await assertAccessible(page)
})
