// What each role sees in the console: every link that is shown opens a page that the role may read, and no page requests
// what the role is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { ACCOUNT_ROLES } from '../../src/accounts/role.js'
import { INSTALLATION_ROLES } from '../../src/people/user.js'
import { OPERATOR_TOKEN, operatorWith, personWith, signInAs } from '../people-fixtures.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'

/** Opens every link of the main navigation and of the tabs on its pages. Returns their names, and what was refused. */
async function openAll(page: Page): Promise<{ names: string[]; refused: string[] }> {
  const refused: string[] = []
  page.on('response', (response) => {
    if ([401, 403].includes(response.status())) {
      refused.push(`${page.url()} requests ${response.url()}`)
    }
  })
  const main = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
  await main.first().waitFor()
  const names: string[] = []
  for (const link of await main.all()) {
    names.push((await link.getAttribute('title'))!)
    await link.click()
    await settle(page)
    const tabs = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
    for (const tab of await tabs.all()) {
      names.push((await tab.textContent())!)
      await tab.click()
      await settle(page)
    }
  }
  return { names, refused }
}

async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
  assert.equal(await page.getByText('does not allow').count(), 0, page.url())
}

test('every link that a role in an account sees opens without a refusal', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { context, url, service } = visited
  const seen: Record<string, string[]> = {}
  for (const role of ACCOUNT_ROLES) {
    await signInAs(context, url, await personWith(service, role))
    const page = await context.newPage()
    await page.goto(url)
    const { names, refused } = await openAll(page)
    assert.deepEqual(refused, [], role)
    seen[role] = names
    await assertAccessible(page)
    await page.close()
  }
  assert.deepEqual(seen.billing, ['Billing', 'Settings', 'Account', 'Appearance', 'Shortcuts'])
  for (const hidden of ['Billing', 'Tokens', 'Activity']) {
    assert.ok(!seen.agent!.includes(hidden), hidden)
    assert.ok(seen.owner!.includes(hidden), hidden)
  }
  assert.ok(!seen['read-only']!.includes('Send message'))
})

test('a page that is open while the role changes says so, and continues with what is left', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { context, page, url, service } = visited
  const owner = await personWith(service, 'owner')
  const person = await personWith(service, 'admin')
  await signInAs(context, url, person)
  await page.goto(`${url}messages`)
  await page.getByText('Live', { exact: true }).first().waitFor()
  const place = `/console/people/${person.userId}`
  assert.equal((await owner.request('PATCH', place, { role: 'billing' })).status, 200)
  const dialog = page.getByRole('dialog', { name: 'Your access has changed' })
  await dialog.getByText(/^Your role in .+ is now Billing\.$/).waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor()
  assert.equal((await owner.request('DELETE', place)).status, 200)
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await dialog.getByText(/^You no longer have access to .+\.$/).waitFor()
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { level: 1, name: 'My profile' }).waitFor()
})

test('every link that a role of the installation sees opens without a refusal', async (t) => {
  const visited = await visit(t, { env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN } })
  if (!visited) return
  const { context, url, service } = visited
  const seen: Record<string, string[]> = {}
  for (const role of INSTALLATION_ROLES) {
    await signInAs(context, url, await operatorWith(service, role))
    const page = await context.newPage()
    await page.goto(`${url}operator`)
    const { names, refused } = await openAll(page)
    assert.deepEqual(refused, [], role)
    seen[role] = names
    await page.close()
  }
  assert.deepEqual(seen.finance, ['Accounts', 'Prices'])
  assert.deepEqual(seen.reviewer, ['Reviews', 'Accounts'])
  assert.ok(seen.support!.includes('Look up messages') && !seen.support!.includes('Reviews'))
  assert.ok(seen.operator!.includes('Audit log'))
})
