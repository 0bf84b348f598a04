// The documentation site in a real browser: search, both themes, and a phone. Nothing comes from another host.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'

const PLACES = [
  '',
  '/start',
  '/testing',
  '/migrate/twilio',
  '/webhooks',
  '/errors',
  '/settings',
  '/operations',
  '/interface',
]

test('the search finds pages, error codes, and settings, and opens the right section', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, url } = visited
  const docs = url.replace('/console/', '/docs')
  await page.goto(docs)
  await page.getByRole('button', { name: 'Search' }).waitFor()
  await page.keyboard.press('/')
  const finder = page.getByRole('dialog', { name: 'Search' })
  const input = finder.getByRole('combobox')
  await input.fill('balance_insufficient')
  await finder.getByRole('option').first().waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/errors#balance_insufficient$/)

  await page.getByRole('button', { name: 'Search' }).click()
  await input.fill('idempotncy')
  await finder.getByRole('option').first().getByText('Idempotency').first().waitFor()
  await input.fill('LONGCODE_TRUST_PROXY')
  await finder.getByRole('option').first().getByText('Settings').waitFor()
  await input.fill('qqqqzzzz')
  await finder.getByText('No results.').waitFor()
  await page.keyboard.press('Escape')
  await finder.waitFor({ state: 'hidden' })
})

test('the theme is kept from page to page, and both themes have enough contrast', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, url } = visited
  const docs = url.replace('/console/', '/docs')
  await page.goto(`${docs}/webhooks`)
  const theme = () => page.evaluate('document.documentElement.dataset.theme')
  for (const name of ['light', 'dark']) {
    await page.getByRole('button', { name: /Switch theme/ }).click()
    assert.equal(await theme(), name)
    await page.goto(`${docs}/errors`)
    assert.equal(await theme(), name)
    await assertAccessible(page)
    await page.goto(`${docs}/webhooks`)
    await assertAccessible(page)
  }
})

test('no page is wider than a phone, and the menu reaches every section', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, url } = visited
  const docs = url.replace('/console/', '/docs')
  await page.setViewportSize({ width: 390, height: 844 })
  for (const place of PLACES) {
    const reply = await page.goto(docs + place)
    assert.equal(reply?.status(), 200, place)
    const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    assert.equal(wider, 0, place)
  }
  await page.getByRole('button', { name: 'Menu' }).click()
  const menu = page.getByRole('navigation', { name: 'Documentation' })
  await menu.getByRole('link', { name: 'Webhooks' }).click()
  await page.waitForURL(/\/docs\/webhooks$/)
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
})
