// Brands in the console, in a real browser: from an empty form to a verified brand, with a reviewer who returns it
// once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { newBrand } from '../api/campaign-bodies.js'
import { OPERATOR_TOKEN } from '../api/operator-service.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross, untilHolds } from './until.js'

/** Only the test decides reviews. */
const env = { LONGCODE_REVIEW_SECONDS: '36000', LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN }

test('a returned brand is fixed next to the note, resubmitted, and verified', async (t) => {
  const visited = await visit(t, { env })
  if (!visited) return
  const { page, enter, service } = visited
  const id = await newBrand(service, { displayName: 'Acme & <b>Sons</b>' })
  const notes = [{ field: 'entityName', note: 'The IRS has “Acme <i>Coffee</i> Inc.”.' }]
  const token = OPERATOR_TOKEN
  await service.call('POST', `/operator/v1/brand/${id}/refuse`, { notes }, { token })
  await enter('overview')
  await page.getByRole('link', { name: 'Fix' }).click()
  await page.getByRole('heading', { name: 'Acme & <b>Sons</b>' }).waitFor()
  await page.getByText('The IRS has “Acme <i>Coffee</i> Inc.”.').waitFor()
  await page.getByText('1 note not addressed yet').waitFor()
  await assertAccessible(page)
  const press = page.getByRole('button', { name: 'Resubmit brand · free' })
  assert.equal(await press.getAttribute('aria-disabled'), 'true')

  await page.getByRole('link', { name: 'Legal name' }).click()
  await page.getByLabel('Legal name').fill('Acme Coffee Inc.')
  await page.getByText('Changed').waitFor()
  await page.getByText('not addressed yet').waitFor({ state: 'detached' })
  await page.getByText('Reviewer’s view').click()
  await page.getByRole('definition').getByText('Acme Coffee Inc.').waitFor()
  await assertAccessible(page)
  await press.click()
  await page.getByText('In review').waitFor()
  await assertAccessible(page)
  await service.call('POST', `/operator/v1/brand/${id}/vet`, { trustScore: 82 }, { token })
  const kept = (await service.get(`/v1/brand/${id}`)).body.brand
  assert.equal(kept.entityName, 'Acme Coffee Inc.')
  assert.equal(kept.status, 'PENDING', 'vetting comes after verification')
  await service.call('POST', `/operator/v1/brand/${id}/verify`, {}, { token })
  await page.getByText('Verified', { exact: true }).waitFor()
  await service.call('POST', `/operator/v1/brand/${id}/vet`, { trustScore: 82 }, { token })
  await page.getByText('Vetted · 82').waitFor()
  await page.getByText('82 of 100').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.goto(page.url().replace(/brands.*/, 'brands?status=VETTED'))
  await page.getByRole('link', { name: /Acme & <b>Sons<\/b>.*Vetted · 82/ }).waitFor()
  await fitsAcross(page)
})

test('problems are listed with links, and a draft survives a reload and a failure until the brand is created', async (t) => {
  const visited = await visit(t, { env })
  if (!visited) return
  const { page, enter, service } = visited
  await enter('brands')
  await page.getByText('No brands yet').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Create brand' }).click()
  await page.getByRole('button', { name: 'Create brand · free' }).click()
  const list = page.getByRole('alert')
  await list.getByText('11 fields need attention').waitFor()
  await assertAccessible(page)
  await list.getByRole('link', { name: 'EIN is required' }).click()
  await page.keyboard.type('123456789')
  await page.keyboard.press('Tab')
  await untilHolds(page.getByLabel('EIN'), '12-3456789') // both formats are accepted
  await page.getByLabel('ZIP code').fill('9410')
  await page.getByLabel('ZIP code').blur()
  await list.getByText('ZIP code must be five digits such as 94105').waitFor()

  await page.getByRole('button', { name: 'Fill with example data' }).click()
  await page.getByLabel('Legal name').fill('Kite <script>document.title=1</script> LLC')
  await page.getByText('Draft saved in this browser').waitFor()
  await reloadKept(page)
  await page.route('**/v1/brand/create', (route) =>
    route.fulfill({ status: 500, json: { error: 'Internal server error', requestId: 'req_1' } }),
  )
  await page.getByRole('button', { name: 'Create brand · free' }).click()
  await page.getByText('Retrying is safe').waitFor()
  await assertAccessible(page)
  await page.unroute('**/v1/brand/create')
  await page.getByRole('button', { name: 'Create brand · free' }).click()
  await page.getByText('In review').waitFor()
  const { brands } = (await service.get('/v1/brand/list')).body
  assert.deepEqual(
    brands.map((brand: { entityName: string }) => brand.entityName),
    ['Kite <script>document.title=1</script> LLC'],
  )
  assert.match(await page.title(), /^Blue Fern Bistro/, 'no script ran')
})

/** The typed name was restored. */
async function reloadKept(page: Page): Promise<void> {
  const read = "Object.values(localStorage).some((text) => text.includes('Kite'))"
  while (!(await page.evaluate(read))) await sleep(50)
  await page.reload()
  const name = await page.getByLabel('Legal name').inputValue()
  assert.equal(name, 'Kite <script>document.title=1</script> LLC')
}

test('a brand draft is saved, found in the list, and submitted later', async (t) => {
  const visited = await visit(t, { env })
  if (!visited) return
  const { page, enter, url } = visited
  await enter('brands/new')
  await page.getByLabel('Legal name').fill('A'.repeat(200))
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByText('Draft. Submit it for review. Review is free.').waitFor()
  await page.goto(`${url}brands`)
  await page.getByRole('link', { name: 'AAAA' }).click()
  await page.getByRole('link', { name: 'Continue editing' }).click()
  await page.getByRole('button', { name: 'Submit brand · free' }).click()
  await page.getByRole('alert').getByText('Website is required').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.goto(`${url}brands/brd_01km3v9w8m0000pqv3t5x7z9bd`)
  await page.getByText('Brand not found.').waitFor()
  await page.getByRole('link', { name: 'All brands' }).click()
  await page.getByRole('heading', { name: 'Brands' }).waitFor()
})
