// Numbers in the console, in a real browser: found by area code, bought for the price on the button, forwarded,
// called, made the default, released.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross, until } from './until.js'

const DAY_MS = 24 * 60 * 60 * 1000

test('a buyer pays the price on the button and sees how it is computed', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service, url } = visited
  const now = service.world.clock.now().getTime()
  const { campaignId } = await activeCampaign(service, {
    campaign: { displayName: 'Tables & <b>chairs</b>' },
    periodStart: new Date(now - 12.4 * DAY_MS),
    renewsAt: new Date(now + 17.6 * DAY_MS),
  })
  await enter('numbers')
  await page.getByText('No numbers yet').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Buy a number' }).click()
  await page.getByRole('heading', { name: 'Buy a number' }).waitFor()
  await page.getByLabel('Area code').fill('999')
  await page.getByText('The area code must be a US or Canadian area code').waitFor()
  await page.getByLabel('Area code').fill('415')
  const offers = page.getByRole('list', { name: 'Numbers for sale' })
  await offers
    .getByRole('button', { name: /^Buy · \$0\.60 now \(415\)/ })
    .first()
    .click()
  await page.waitForURL(/areaCode=415/)
  await page.getByText('18 of 30 days at $1.00/month').waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await offers
    .getByRole('button', { name: /^Buy · \$0\.60 now \(415\)/ })
    .first()
    .click()
  const before = await service.balance()
  await page.getByRole('button', { name: 'Buy · $0.60', exact: true }).click()
  await page.getByText(/^\(415\).* is yours\./).waitFor()
  assert.equal(Math.round((before - (await service.balance())) * 100), 60)
  await page.getByRole('link', { name: 'View number' }).click()
  await page.getByRole('heading', { name: /^\(415\)/ }).waitFor()
  await page.getByText('Tables & <b>chairs</b>').waitFor()

  await page.setViewportSize({ width: 390, height: 844 })
  for (const place of ['numbers', `numbers/buy?campaign=${campaignId}&areaCode=415`]) {
    await page.goto(`${url}${place}`)
    await page
      .getByText(/\(415\)/)
      .first()
      .waitFor()
    await fitsAcross(page)
  }
})

test('a failed purchase is explained: sold, too expensive, none left, or no active campaign', async (t) => {
  const visited = await visit(t, { balance: '0.10' })
  if (!visited) return
  const { page, enter, service, url } = visited
  const { campaignId } = await activeCampaign(service)
  const other = await service.otherAccount()
  const theirs = await activeCampaign(service, { accountId: other.accountId })
  await addInventory(service, ['+12355550101', '+12355550102'])
  await enter(`numbers/buy?campaign=${campaignId}&areaCode=235`)
  await page.getByRole('button', { name: /555-0101$/ }).click()
  await page.getByRole('button', { name: 'Buy · $1.00', exact: true }).click()
  await page.getByText('This costs $1.00. Your balance is $0.10.').waitFor()
  await assertAccessible(page)

  const bought = { campaign: theirs.campaignId, number: '+12355550101' }
  await service.post('/v1/number/buy', bought, { token: other.token })
  await page.getByRole('button', { name: 'Buy · $1.00', exact: true }).click()
  await page.getByText('That number was just sold. Here are others.').waitFor()
  const next = page.getByRole('button', { name: /555-0102$/ })
  await next.waitFor()
  await until(page, "document.activeElement.textContent.startsWith('Buy')")
  assert.equal(await page.getByText('(235) 555-0101').count(), 0)

  await service.world.db.query({ name: '', text: 'delete from number_inventory', values: [] })
  await page.goto(`${url}numbers/buy?campaign=${campaignId}&areaCode=415`)
  await page.getByText('No numbers for sale in or near 415.').waitFor()
  await assertAccessible(page)
})

test('a number is forwarded, made the default, and released', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  const first = await buyNumber(service, campaignId, { number: '+14155550177' })
  await buyNumber(service, campaignId, { number: '+14155550188' })
  await enter(`numbers?campaign=${campaignId}`)
  const row = page.getByRole('row', { name: /555-0188/ })
  await page.getByRole('row', { name: /555-0177.*Default/ }).waitFor()
  await assertAccessible(page)
  await row.getByRole('button', { name: 'Actions for' }).click()
  await page.getByRole('menuitem', { name: 'Make default' }).click()
  await page.getByRole('row', { name: /555-0188.*Default/ }).waitFor()

  await row.getByRole('button', { name: 'Actions for' }).click()
  await page.getByRole('menuitem', { name: 'Forward calls…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Texts are not forwarded.').waitFor()
  await dialog.getByLabel('Forward calls to').fill('12')
  await page.keyboard.press('Enter')
  await dialog.getByText(/^The number must be/).waitFor()
  await assertAccessible(page)
  await dialog.getByLabel('Forward calls to').fill('(415) 555-0199')
  await page.keyboard.press('Enter')
  await row.getByText('(415) 555-0199').waitFor()

  await row.getByRole('link').click()
  await page.getByRole('heading', { name: '(415) 555-0188' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Stop forwarding' }).click()
  await page.getByText('Call forwarding is off.').waitFor()
  await page.getByRole('button', { name: 'Release number…' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByText('someone else can buy it').waitFor()
  await question.getByLabel('Type its last four digits').fill('0000')
  await page.keyboard.press('Enter')
  await assertAccessible(page)
  await question.getByLabel('Type its last four digits').fill('0188')
  await question.getByRole('button', { name: 'Release number' }).click()
  await page.getByRole('row', { name: /555-0177.*Default/ }).waitFor()
  await page.getByRole('row', { name: /555-0188/ }).waitFor({ state: 'detached' })
  const left = (await service.get('/v1/number/list')).body.numbers
  assert.deepEqual(
    left.map((one: { phoneNumber: string }) => one.phoneNumber),
    [first],
  )
})

test('a test call shows what the caller hears before and after forwarding, and calls are counted', async (t) => {
  const visited = await visit(t, { roles: ['voice'] })
  if (!visited) return
  const { page, enter, service, url } = visited
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  await enter(`numbers/${number.slice(1)}`)
  await page.getByText('No calls in the last 30 days').waitFor()
  const calls = page.getByRole('button', { name: 'Call this number' })
  const told = page.getByRole('alert')
  await calls.click()
  await told.getByText('its calls are not forwarded').waitFor()
  await page.getByText('0 forwarded, 1 refused in the last 30 days.').waitFor()

  const target = page.getByLabel('Forward calls to')
  await target.fill('(900) 555-0123')
  await page.keyboard.press('Enter')
  await page.getByText('The number must not be a premium number').waitFor()
  await assertAccessible(page)
  await target.fill('(415) 555-0199')
  await page.keyboard.press('Enter')
  await page.getByText('Calls are now forwarded to (415)\u00a0555-0199.').waitFor()
  await calls.click()
  await told.getByText('The caller is redirected to +14155550199.').waitFor()
  await page.getByText('1 forwarded, 1 refused in the last 30 days.').waitFor()
  await page.getByText('SIP exchange').click()
  await page.getByText(/^SIP\/2\.0 302 Moved Temporarily/).waitFor()
  await page.getByText(/Last call: (just now|\d+ (sec|min) ago)/).waitFor()
  await assertAccessible(page)

  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.getByRole('button', { name: 'Show table' }).click()
  await page.getByRole('region', { name: 'Calls by day' }).getByRole('row').nth(1).waitFor()
  await assertAccessible(page)
  await page.goto(`${url}handset`)
  await page.getByRole('button', { name: /^Call \(415\)/ }).click()
  await page.getByText('The caller is redirected to +14155550199.').waitFor()
  await assertAccessible(page)
})
