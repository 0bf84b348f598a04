// Small things people notice, in a real browser: placeholders while a page loads, highlights, landmarks, table headers
// that stay, and nothing requested or stored longer than needed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { decideOnBrand, newBrand, newCampaign } from '../api/campaign-bodies.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { listLandmarkProblems } from './axe.js'
import { visit } from './browser.js'
import { operatorVisit } from './operator-visit.js'
import { styleOf, until } from './until.js'

const manual = { LONGCODE_REVIEW_SECONDS: '36000' }

/** How often the page requested a path from now on. */
function countRequests(page: Page, path: string): () => number {
  let count = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === path) count += 1
  })
  return () => count
}

test('a skeleton is visible while the first page waits for the service and while the next one loads', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, url } = visited
  await enter('more')
  const skeleton = page.getByRole('main', { name: 'Loading' })
  let answer = (): void => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/console/session', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${url}numbers`)
  await skeleton.waitFor({ timeout: 30_000 })
  assert.equal(await skeleton.isVisible(), true)
  answer()
  await page.getByRole('heading', { name: 'Numbers' }).waitFor()
  await skeleton.waitFor({ state: 'detached' })
})

test('the example campaign passes the pre-check, whatever the brand', async (t) => {
  const visited = await visit(t, { env: manual })
  if (!visited) return
  const { page, enter, service } = visited
  const brandId = await newBrand(service, { displayName: 'Kite & Co', privacyLink: null })
  await decideOnBrand(service, brandId, { kind: 'verify' })
  await enter('campaigns/new')
  await page.getByText('Recipients never see it.').waitFor()
  await page.getByRole('button', { name: 'Fill with example data' }).click()
  await page.getByRole('region', { name: 'Pre-check' }).getByText('No problems found.').waitFor()
})

test('the open review is highlighted, and its fields have the names of the form', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, service, openOperatorPage } = visited
  const campaign = await newCampaign(service, { displayName: 'Offers' })
  await openOperatorPage(`reviews/campaign/${campaign.id}`)
  const record = page.getByRole('article', { name: 'Offers' })
  await record.getByRole('term').getByText('Consent flow', { exact: true }).waitFor()
  assert.equal(await record.getByText('consentFlow').count(), 0)
  const groundOf = (list: string, name: string) => {
    const links = page.getByRole('region', { name: list })
    return styleOf(links.getByRole('link', { name: new RegExp(`^${name}`) }), 'backgroundColor')
  }
  assert.notEqual(await groundOf('Campaigns', 'Offers'), await groundOf('Brands', 'Acme'))
})

test('drafts and saved views are removed at sign-out', async (t) => {
  const visited = await visit(t, { env: manual })
  if (!visited) return
  const { page, enter, url } = visited
  await enter('brands/new')
  await page.getByLabel('Legal name').fill('Nobody else should read this')
  await page.getByText('Draft saved in this browser').waitFor()
  const drafts =
    'Object.keys(localStorage).filter((key) => key.startsWith("longcode:draft:")).length'
  await until(page, `${drafts} === 1`)
  await page.goto(`${url}messages?number=%2B14155550101`)
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save this view…' }).click()
  await page.getByLabel('Name').fill('Ana')
  await page.getByRole('button', { name: 'Save view' }).click()
  const stored = 'JSON.stringify({ ...localStorage })'
  await until(page, `${stored}.includes("14155550101")`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: /^Sign in/ }).waitFor()
  assert.equal(await page.evaluate(drafts), 0)
  assert.ok(!String(await page.evaluate(stored)).includes('14155550101'))
})

test('a conversation that does not exist is requested once, whatever happens in others', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const requests = countRequests(page, '/v1/message/search')
  await enter('conversations/cmp_01km3v9w8m0000pqv3t5x7z9bd/14155550101')
  await page.getByText('Campaign not found').first().waitFor()
  const before = requests()
  for (const body of ['One', 'Two', 'Three']) {
    await service.post('/sandbox/inbound', { from: '+14155550109', to: number, body })
    await page.getByRole('link', { name: new RegExp(body) }).waitFor()
  }
  assert.equal(requests(), before)
})

test('a list that is scrolled is not read again, and its header stays in view', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const hear = (body: string) =>
    service.post('/sandbox/inbound', { from: '+14155550101', to: number, body })
  for (let i = 1; i <= 40; i += 1) await hear(`Text ${i}`)
  await enter('messages')
  await page.getByRole('cell', { name: 'Text 40' }).waitFor()
  await page.mouse.wheel(0, 500)
  await until(page, 'scrollY > 300')
  const { y } = (await page.getByRole('columnheader').first().boundingBox())!
  assert.ok(y >= 0 && y < 100, `the header is at ${y}`)
  const requests = countRequests(page, '/v1/message/search')
  for (const [i, body] of ['One', 'Two', 'Three'].entries()) {
    await hear(body)
    await page.getByRole('button', { name: `${i + 1} new message` }).waitFor()
  }
  assert.equal(requests(), 0)
  await page.getByRole('button', { name: '3 new messages' }).click()
  await page.getByRole('cell', { name: 'Three' }).waitFor()
  assert.ok(requests() > 0, 'the list is read again when the new rows are shown')
})

test('the chosen phone is highlighted among several', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter } = visited
  await page.setViewportSize({ width: 390, height: 844 })
  await enter('handset?phones=14155550100,14155550145')
  const first = page.getByRole('button', { name: /^Show .*555-0100/ })
  const second = page.getByRole('button', { name: /^Show .*555-0145/ })
  await second.click()
  await until(page, `document.querySelector('[aria-pressed=true]').ariaLabel.endsWith('0145')`)
  assert.equal(await first.getAttribute('aria-pressed'), 'false')
  await page.setViewportSize({ width: 1440, height: 900 })
  const edge = (ending: string) =>
    styleOf(page.getByRole('region', { name: new RegExp(`${ending}$`) }), 'borderTopColor')
  await page.getByRole('region', { name: /0145$/ }).getByRole('log').focus()
  assert.notEqual(await edge('0145'), await edge('0100'))
})

test('Canadian numbers are labeled and not offered to a US campaign', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await addInventory(service, ['+12045550123'])
  await service.post('/v1/number/buy', { campaign: campaignId, number: '+12045550123' })
  await addInventory(service, ['+12045550124'])
  await enter('numbers')
  await page
    .getByRole('row', { name: /555-0123/ })
    .getByText('Canada')
    .waitFor()
  await page.goto(page.url().replace('/numbers', '/numbers/buy'))
  await page.getByRole('list', { name: 'Numbers for sale' }).waitFor()
  assert.equal(await page.getByText('Canada').count(), 0)
  await page.getByLabel('Area code').fill('204')
  await page.getByText('204 is a Canadian area code.').waitFor()
})

test('every page has its content inside landmarks', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, url, enter, service, openOperatorPage } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  await page.goto(`${url}sign-in`)
  await page.getByRole('heading', { name: /^Sign in/ }).waitFor()
  assert.deepEqual(await listLandmarkProblems(page), [])
  await openOperatorPage('reviews')
  const places = ['overview', 'start', 'messages', 'conversations', 'send', 'numbers', 'billing']
  const others = ['campaigns', 'brands', 'webhooks', 'handset', 'settings', 'more', 'nowhere']
  const operators = ['reviews', 'accounts', 'carriers', 'health', 'audit', 'numbers', 'settings']
  await enter('overview')
  for (const place of [...places, ...others, ...operators.map((one) => `operator/${one}`)]) {
    await page.goto(`${url}${place}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.deepEqual(await listLandmarkProblems(page), [], place)
  }
})
