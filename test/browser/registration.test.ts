// The console with a provider that registers brands and campaigns, in a real browser: the forms require what it
// needs, and example data includes it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../harness.js'
import { fakeRegistrar } from '../providers/registering.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross } from './until.js'

test('the brand form requires industry, terms, and privacy policy, and the brand is registered with them', async (t) => {
  const { fake, env, follow } = await fakeRegistrar(t)
  const visited = await visit(t, { env, roles: ['schedule'] })
  if (!visited) return
  const { page, enter, service } = visited
  follow(service)
  await enter('brands')
  await page.getByRole('link', { name: 'Create brand' }).click()
  await page.getByRole('button', { name: 'Fill with example data' }).click()
  await page.getByLabel('Terms and conditions').fill('')
  await page.getByLabel('Terms and conditions').blur()
  await page.getByLabel('Industry').selectOption('')
  await page.getByLabel('Industry').blur()
  await page.getByText('Terms and conditions URL is required').waitFor() // and the layout is stable
  await page.getByRole('button', { name: 'Create brand · free' }).click()
  const list = page.getByRole('alert')
  await list.getByText('2 fields need attention').waitFor()
  await list.getByRole('link', { name: 'Industry is required' }).waitFor()
  await assertAccessible(page)
  await page.getByLabel('Industry').selectOption({ label: 'Real estate' })
  await page.getByLabel('Terms and conditions').fill('bluefern.example/terms')
  await page.getByLabel('Terms and conditions').blur()
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Create brand · free' }).click()
  await page.getByText('Verified', { exact: true }).waitFor()
  await page.getByRole('definition').getByText('REAL_ESTATE').waitFor()
  await fitsAcross(page)
  const { vertical, website } = fake.registry.brand
  assert.deepEqual([vertical, website], ['REAL_ESTATE', 'https://bluefern.example'])
})

test('the first-run steps include what the provider requires', async (t) => {
  const { fake, env, follow } = await fakeRegistrar(t)
  fake.registry.brandsAre = { status: 'REGISTRATION_PENDING' }
  const visited = await visit(t, { env, roles: ['schedule'] })
  if (!visited) return
  const { page, enter, service } = visited
  follow(service)
  await enter('start')
  await page.getByRole('button', { name: 'Create brand · free' }).click()
  await page.getByText('Review takes 2 to 5 business days on average').waitFor()
  await eventually(async () => fake.registry.brand, 'the provider has the brand')
  Object.assign(fake.registry.brand, { status: 'OK', identityStatus: 'VERIFIED' })
  await fake.notifyRegistration('brand', fake.registry.brand.brandId)
  await page.getByRole('button', { name: 'Create campaign · $20.00' }).click()
  await eventually(async () => fake.registry.campaigns.size === 1, 'the campaign is submitted')
})
