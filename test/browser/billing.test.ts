// Billing in the console, in a real browser: how long the balance lasts, every charge, and a monthly statement.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { giveMoney } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross } from './until.js'

test('an account without charges sees the prices', async (t) => {
  const visited = await visit(t, { balance: '0' })
  if (!visited) return
  const { page, enter } = visited
  await enter('billing')
  await page.getByText('No charges yet').waitFor()
  await page.getByText('SMS $0.0079 per segment, MMS $0.02, inbound is free').waitFor()
  await page.getByText('You can’t send messages until credit is added.').waitFor()
  await page.getByText('No active campaigns, so nothing renews.').waitFor()
  await assertAccessible(page)
})

test('billing shows every charge and the pace, and exports files without formulas', async (t) => {
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
  await ledger.getByText('Refund: can’t receive texts').waitFor()
  await ledger.getByText('+$0.000001').waitFor()
  await ledger.getByText('Campaign “=SUM(A1) & <b>Co</b>”, creation fee').waitFor()
  await page.getByText(/about \d+ days/).waitFor()
  await page.getByText('Based on messages from today, which cost $0.0948.').waitFor()
  await page.getByText('including 1 number').waitFor()
  await assertAccessible(page)

  const batch = ledger.getByRole('button', { name: '12 messages' })
  assert.equal(await ledger.getByText('(415) 555-2011').count(), 0)
  await batch.click()
  await ledger.getByText('Message to (415) 555-2011, 1 segment').waitFor()
  await page.getByRole('button', { name: 'Show table' }).click()
  await page.getByRole('columnheader', { name: 'End-of-day balance' }).waitFor()
  await page.getByRole('button', { name: 'Show chart' }).click()
  const chart = page.getByRole('slider', { name: 'Balance by day' })
  await chart.focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  const day = (await chart.getAttribute('aria-valuetext')) ?? ''
  assert.match(
    day,
    /now, \$[\d.]+ spent so far, \$[\d.]+ added$/,
    'its first day is the first one shown',
  )
  await page.getByRole('button', { name: 'By day' }).click()
  await page.getByRole('columnheader', { name: 'Day (UTC)' }).waitFor()

  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV', exact: true }).click()
  const csv = await readFile(await (await saving).path(), 'utf8')
  assert.match(csv, /^\uFEFF?id,createdAt,reason/)
  assert.doesNotMatch(csv, /(^|,)"?[=@]/m, 'no cell starts like a formula')

  await page.getByLabel('Type').selectOption('number_purchase')
  await ledger.getByText(/^Number \(415\)/).waitFor()
  await batch.waitFor({ state: 'detached' })
  await page.waitForURL(/reason=number_purchase/)
  await page.getByLabel('Campaign', { exact: true }).selectOption(campaignId)
  await page.getByLabel('Type').selectOption('campaign_renewal')
  await page.getByText('No results').waitFor()
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await batch.waitFor()

  await page.getByRole('button', { name: 'Set alert' }).click()
  await page.getByLabel('Low-balance alert, in dollars').fill('-3')
  await page.keyboard.press('Enter')
  await page.getByText('The amount must be').waitFor()
  await page.getByLabel('Low-balance alert, in dollars').fill('1,000')
  await page.keyboard.press('Enter')
  await page.getByText('Your balance is below $1,000.00.').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('list', { name: 'Ledger' }).getByText('12 messages').waitFor()
  await fitsAcross(page)
  await assertAccessible(page)
})

test('a monthly statement adds up and prints without navigation', async (t) => {
  const visited = await visit(t, { balance: '50' })
  if (!visited) return
  const { page, enter, service, url } = visited
  await activeCampaign(service, { campaign: { displayName: '<i>Tables</i>' } })
  await enter('billing')
  await page.getByRole('link', { name: 'Statement', exact: true }).click()
  await page.getByRole('heading', { name: /^Statement for / }).waitFor()
  await page.getByText('<i>Tables</i>').waitFor()
  await page.getByRole('row', { name: 'Closing balance $50.00' }).waitFor()
  await page.getByText('this is preliminary').waitFor()
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
