// The first day with the console, in a real browser: signed in with the printed link, a first text delivered and
// answered, STOP on the phone, and signed out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible } from './axe.js'
import { contextApart, visit } from './browser.js'
import { fitsAcross } from './until.js'

test('a new user follows the printed link, sends a first text in five steps, and signs out', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, link, service, url } = visited
  await page.goto(await link())
  await page.getByRole('heading', { name: 'Send your first text' }).waitFor()
  assert.equal(new URL(page.url()).hash, '', 'the code is removed from the URL')
  await assertAccessible(page)

  await page.getByLabel('Legal name').fill('Kite & <b>Co</b> LLC')
  await page.getByRole('button', { name: 'Create brand · free' }).click()
  await page.getByText('Kite & <b>Co</b> LLC').waitFor()
  await page.getByRole('button', { name: 'Create campaign · $20.00' }).click()
  await page.getByRole('radio').first().waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: /^Buy \(415\)/ }).click()
  await page.getByRole('button', { name: 'Send · $0.0079' }).click()
  const phone = page.getByRole('region', { name: /^Phone/ })
  await phone.getByText('Hello from Longcode.').waitFor()
  await page.getByText(/^Delivered in/).waitFor()
  await phone.getByRole('textbox').fill('On my way 🎉')
  await phone.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: 'Delivered and answered' }).waitFor()
  await assertAccessible(page)
  assert.ok((await service.balance()) < 80, 'the charges are real')

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Longcode' }).waitFor()
  await page.goto(`${url}handset`)
  await page.getByRole('heading', { name: 'Sign in to Longcode' }).waitFor()
})

test('a used link asks for a token, and a token signs in', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, link, service, context } = visited
  const once = await link()
  await page.goto(once)
  await page.getByRole('heading', { name: 'Send your first text' }).waitFor()
  await page.goto('about:blank')
  await page.goto(once)
  await page.getByText('This sign-in link was already used or has expired.').waitFor()
  await context.clearCookies()
  await page.goto('about:blank')
  await page.goto(once)
  await page.getByRole('heading', { name: 'Sign in to Longcode' }).waitFor()
  await page.getByRole('alert').getByText('This link was already used').waitFor()
  await assertAccessible(page)
  const field = page.getByLabel('Access token')
  await field.fill('lc_nobody')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page
    .getByRole('alert')
    .getByText(/unknown, expired, or revoked/)
    .waitFor()
  await field.fill(service.token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Send your first text' }).waitFor()
})

test('STOP on the phone shows up at every step', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, link, url } = visited
  await page.goto(await link())
  await page.getByRole('button', { name: 'Run all five steps' }).click()
  await page.getByRole('heading', { name: 'Delivered and answered' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await page.getByRole('heading', { name: 'Handset' }).waitFor()
  await page.getByRole('button', { name: 'STOP' }).click()
  const happened = page.getByRole('list').filter({ hasText: 'STOP' })
  await happened.getByText('“STOP” from').waitFor()
  await happened.getByText(/\d opted out$/).waitFor()
  await happened.getByText('Delivered: automatic reply').waitFor()
  await page.getByText('You have opted out').waitFor()
  await assertAccessible(page)

  await page.getByRole('button', { name: '…0120' }).click()
  await page.getByText('Texts can’t reach a landline.').waitFor()
  assert.match(page.url(), /phones=/, 'the URL has the open phones')
  await page.getByRole('button', { name: '+1 day' }).click()
  await page.getByText('It is now').waitFor()
  await assertAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${url}start`)
  await page.getByRole('heading', { name: 'Delivered and answered' }).waitFor()
  await fitsAcross(page)
})

test('a lost connection is shown, and missed changes load after it is back', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { link, service } = visited
  const context = await contextApart(t, visited.context)
  const page = await context.newPage()
  await page.goto(await link())
  await page.getByText('Live', { exact: true }).waitFor()
  await context.setOffline(true)
  service.app.server.closeAllConnections()
  await page.getByText('Connection lost.').waitFor()
  await context.setOffline(false)
  const live = page.getByText('Live', { exact: true })
  // It may reconnect automatically, and the button disappear, before it is pressed.
  await Promise.any([page.getByRole('button', { name: 'Reconnect now' }).click(), live.waitFor()])
  await live.waitFor()
})
