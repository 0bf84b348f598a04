// The frame of every page, in a real browser: search and shortcuts, a session that ends, one live stream for all
// tabs, and navigation on a phone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'

test('a pasted id or number opens its page in ⌘K, and shortcuts open pages', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service, url } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const to = '+14155550101'
  const sent = await service.post('/v1/message/send', { campaign: campaignId, to, body: 'Hi' })
  const { id } = sent.body
  await enter('overview')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()

  const menu = page.getByRole('dialog', { name: 'Search or jump to…' })
  const ask = async (text: string) => {
    await page.keyboard.press('Control+k')
    await menu.getByRole('combobox').fill(text)
  }
  await ask(id)
  await menu.getByRole('option', { name: `Message ${id}` }).waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Message', exact: true }).waitFor()
  await ask('(415) 555-0101')
  await menu.getByRole('option', { name: 'Messages with' }).click()
  await page.waitForURL(/messages\?number=/)
  await page.getByRole('cell', { name: '(415) 555-0101' }).waitFor()
  await ask('zq')
  await menu.getByText('No results.').waitFor()
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })

  await page.goto(`${url}go/brd_nobodys`)
  await page.waitForURL(/brands\/brd_nobodys/)
  await page.goto(`${url}go/what-is-this`)
  await page.getByText('Nothing found').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Send message').waitFor()
  await assertAccessible(page)
})

test('an ended session asks for a token in place, and the page continues where it was', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, context, enter, service } = visited
  await activeCampaign(service)
  await enter('messages')
  await page.getByText('No messages yet').waitFor()
  await page.getByLabel('Phone number or message ID').fill('415 555 01')
  await context.clearCookies()
  await page.getByLabel('Status').selectOption('FAILED')
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByText('What you typed is saved.').waitFor()
  await assertAccessible(page)
  await dialog.getByLabel('Access token').fill('lc_wrong')
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Access token').fill(service.token)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('No results').waitFor()
  assert.equal(await page.getByLabel('Phone number or message ID').inputValue(), '415 555 01')
})

test('tabs of one account share a stream, and the next tab takes over when the first closes', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, context, enter, service, url } = visited
  const streams: string[] = []
  const watchStreams = (tab: Page) =>
    tab.on('request', (request) => {
      if (request.url().includes('/v1/events/stream')) streams.push(request.url())
    })
  watchStreams(page)
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  await enter('messages')
  await page.getByText('Live', { exact: true }).first().waitFor()
  const second = await context.newPage()
  watchStreams(second)
  await second.goto(`${url}messages`)
  await second.getByText('Live', { exact: true }).first().waitFor()
  const opened = streams.length
  const send = (body: string) =>
    service.post('/v1/message/send', { campaign: campaignId, to: '+14155550101', body })
  await send('heard in both')
  for (const tab of [page, second]) await tab.getByRole('cell', { name: 'heard in both' }).waitFor()
  assert.equal(streams.length, opened, 'the second tab opened no stream')
  await page.close()
  await send('heard by the one that is left')
  await second.getByRole('cell', { name: 'heard by the one that is left' }).waitFor()
  assert.equal(streams.length, opened + 1)
})

const PLACES = [
  'start send send/csv overview messages conversations handset brands brands/new campaigns campaigns/new',
  'numbers numbers/buy webhooks webhooks/new billing settings/account settings/tokens settings/keys more',
]

test('no page is wider than a phone, however long the names are', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service, url } = visited
  const displayName = `Reminders ${'of tables and '.repeat(6)}${'x'.repeat(60)}`
  const { campaignId, brandId } = await activeCampaign(service, { campaign: { displayName } })
  await buyNumber(service, campaignId)
  await service.post('/v1/message/send', {
    campaign: campaignId,
    to: '+14155550101',
    body: `${'w'.repeat(300)} 🎉`,
  })
  await page.setViewportSize({ width: 390, height: 844 })
  await enter('overview')
  const records = [`campaigns/${campaignId}`, `brands/${brandId}`]
  for (const place of [...PLACES.join(' ').split(' '), ...records]) {
    await page.goto(`${url}${place}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('[data-skeleton]').first().waitFor({ state: 'detached' })
    const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    assert.equal(wider, 0, place)
  }
})

test('a phone reaches every page with large enough touch targets', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  await activeCampaign(service)
  await page.setViewportSize({ width: 390, height: 844 })
  await enter('overview')
  const bar = page.getByRole('navigation', { name: 'Main' })
  await bar.getByRole('link', { name: 'More' }).click()
  await page.getByRole('heading', { name: 'More' }).waitFor()
  const all = page.getByRole('navigation', { name: 'All pages' })
  for (const name of ['Campaigns', 'Webhooks', 'Billing', 'Settings']) {
    const box = await all.getByRole('link', { name }).boundingBox()
    assert.ok(box && box.height >= 44, `${name} is tall enough`)
  }
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Longcode' }).waitFor()
})
