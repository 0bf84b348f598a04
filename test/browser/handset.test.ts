// The sandbox phones in a real browser: threads, magic numbers, and the clock.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross, until } from './until.js'

const ARABIC = 'سلام عليكم، طاولتكم جاهزة'

const isVisible = (selector: string) =>
  `(({ left, right }) => left >= 0 && right <= innerWidth)(document.querySelector('${selector}').getBoundingClientRect())`

test('a phone shows a thread per number, announces new messages, and is one swipe away', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service, url } = visited
  await enter('handset')
  await page.getByText('You have no number to text').waitFor()
  await page.getByText('No number to text yet').waitFor()
  await page.getByRole('link', { name: 'Continue setup: step 3' }).waitFor()
  await assertAccessible(page)

  const { campaignId } = await activeCampaign(service)
  const numbers = [await buyNumber(service, campaignId), await buyNumber(service, campaignId)]
  const send = (from: string, body: string) =>
    service.post('/v1/message/send', { from, to: '+14155550100', body })
  await page.getByText('Send a message to (415)').waitFor()
  await page.getByLabel('To', { exact: true }).selectOption(numbers[1]!)
  const phone = page.getByRole('region', { name: /^Phone/ })
  await phone.getByRole('textbox').fill(ARABIC)
  await phone.getByRole('button', { name: 'Send' }).click()
  await phone.getByRole('log').getByText(ARABIC).waitFor()

  await page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
  await send(numbers[0]!, '🎉'.repeat(400))
  await until(page, "document.title === '(1) Handset · Longcode'")
  const threads = phone.getByRole('list', { name: 'Threads' })
  await threads.getByRole('button').nth(1).waitFor()
  await assertAccessible(page)
  await threads.getByRole('button', { name: ARABIC }).click()
  await phone.getByRole('log').getByText(ARABIC).waitFor()
  await phone.getByRole('button', { name: /^All 2 threads/ }).click()
  await threads.waitFor()
  await page.getByRole('switch', { name: 'Sound' }).check()

  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${url}handset?phones=14155550100,14155550145`)
  const second = page.getByRole('region', { name: /555-0145/ })
  await page.getByRole('button', { name: /^Show .*555-0145/ }).click()
  await second.getByText('Send a message to').waitFor()
  await until(page, isVisible('section[aria-label$="555-0145"]'))
  await fitsAcross(page)
  await assertAccessible(page)
  await page.getByRole('button', { name: /^Close .*555-0145/ }).click()
  await second.waitFor({ state: 'detached' })
})

test('a magic number gets a test message, shown next to its phone', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  await enter('handset')
  await page.getByText('Select one to send it a test message ($0.0079).').waitFor()
  await page.getByRole('button', { name: '…0140' }).click()
  const phone = page.getByRole('region', { name: /555-0140/ })
  await phone.getByText('A test from Longcode.').waitFor()
  await page.getByText('Throttled by the carrier.').first().waitFor()
  await page.getByText('Delivered (confirmed by the carrier)').waitFor()
  assert.match(page.url(), /phones=.*14155550140.*watch=msg_/)
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Open message' }).click()
  await page.getByRole('heading', { name: 'Message', exact: true }).waitFor()
})

test('the clock jumps to the next due event and shows what happened', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  await service.post('/v1/message/send', {
    campaign: campaignId,
    to: '+14155550100',
    body: 'See you tomorrow',
    scheduledAt: new Date(service.world.clock.now().getTime() + 86_400_000).toISOString(),
  })
  await enter('handset')
  const jump = page.getByRole('button', { name: 'Jump to', exact: true })
  await jump.click()
  await page.getByRole('menuitem', { name: /^T-Mobile’s daily reset, in/ }).waitFor()
  await page.getByRole('menuitem', { name: /^Next renewal, in/ }).waitFor()
  await assertAccessible(page)
  await page.getByRole('menuitem', { name: /^Next scheduled message, in/ }).click()
  await page.getByText(/^It is now .* UTC\.$/).waitFor()
  await page.getByRole('link', { name: '1 scheduled message sent' }).waitFor()
  await page
    .getByRole('region', { name: /^Phone/ })
    .getByText('See you tomorrow')
    .waitFor()
  await jump.click()
  await page.getByRole('menuitem', { name: '+30 days' }).click()
  await page.getByRole('link', { name: /renewals? \(\$\d/ }).waitFor()
  await assertAccessible(page)
})
