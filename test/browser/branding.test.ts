// A reseller's name, color, logo, and support address in the console, in a real browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible } from './axe.js'
import { operatorVisit } from './operator-visit.js'
import { fitsAcross, styleOf, until } from './until.js'

const LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('an operator brands an account, and its people see it before and after signing in', async (t) => {
  const visited = await operatorVisit(t, { LONGCODE_BRAND_SUPPORT: 'help@host.example' })
  if (!visited) return
  const { page, url, service, enter, context, openOperatorPage } = visited
  await openOperatorPage(`accounts/${service.accountId}`)
  const form = page.locator('section', { has: page.getByRole('heading', { name: 'Branding' }) })
  await form.getByLabel('Name').fill('Kite <b>Texting</b>')
  await form.getByLabel('Color').fill('teal')
  await form.getByRole('button', { name: 'Save branding' }).click()
  await form.getByText('must be a color such as #006972').waitFor()
  await form.getByLabel('Color').fill('#ffee00')
  const file = { name: 'kite.png', mimeType: 'image/png', buffer: Buffer.from(LOGO, 'base64') }
  await form.getByLabel('Logo').setInputFiles(file)
  await form.getByRole('button', { name: 'Save branding' }).click()
  await form.getByRole('img', { name: 'Logo' }).waitFor()
  await assertAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  await context.clearCookies()
  await page.goto(`${url}sign-in?account=${service.accountId}`)
  await page.getByRole('heading', { name: 'Sign in to Kite <b>Texting</b>' }).waitFor()
  await page.getByRole('link', { name: 'help@host.example' }).waitFor()
  await until(page, "document.title.endsWith('Kite <b>Texting</b>')")
  const button = page.getByRole('button', { name: 'Sign in' })
  await page.getByLabel('Access token').fill('lc_some')
  assert.equal(await styleOf(button, 'color'), 'rgb(0, 0, 0)')
  await assertAccessible(page)

  await enter('send')
  await page.getByRole('banner').getByText('Kite <b>Texting</b>').waitFor()
  await page.getByRole('link', { name: 'help@host.example' }).waitFor()
  assert.equal(await page.locator('header img').count(), 1)
  await assertAccessible(page)
})
