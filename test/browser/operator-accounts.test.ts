// Accounts, prices, numbers, webhooks, tokens, and the audit log as the operator manages them in the console, in a
// real browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disableWebhook } from '../../src/webhooks/disable-webhook.js'
import { activeCampaign } from '../fixtures.js'
import { assertAccessible } from './axe.js'
import { operatorVisit } from './operator-visit.js'
import { fitsAcross } from './until.js'

test('an account is created, credited after a confirmation, suspended, and deleted by typing its name', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, openOperatorPage, operate, service } = visited
  await openOperatorPage('accounts')
  await page.getByRole('cell', { name: 'Test' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Acme <i>Telecom</i>')
  await page.getByLabel('Credit in dollars').fill('78.41')
  await page.getByRole('button', { name: 'Create account with $78.41' }).click()
  const dialog = page.getByRole('dialog', { name: /^First token for Acme/ })
  const token = await dialog.getByText(/^lc_/).innerText()
  await assertAccessible(page)
  await dialog.getByLabel('I saved it').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('heading', { name: 'Acme <i>Telecom</i>' }).waitFor()
  const account = await service.get('/v1/account', { token })
  assert.equal(account.body.account.balance, 78.41)

  await page.getByLabel('Amount in dollars').fill('100')
  await page.getByLabel('Note', { exact: true }).fill('Payment received')
  await page.getByRole('button', { name: 'Add credit · $100.00' }).click()
  const look = page.getByRole('alertdialog')
  await look.getByText('Add $100.00 to Acme <i>Telecom</i>? New balance: $178.41.').waitFor()
  await assertAccessible(page)
  await look.getByRole('button', { name: 'Add credit' }).click()
  await page.getByText('$178.4100').waitFor()
  await page.getByText('No custom prices. Default prices apply.').waitFor()
  await page.getByLabel('Price in dollars').fill('0.0065')
  await page.getByRole('button', { name: 'Set price' }).click()
  await look.getByRole('button', { name: 'Set price' }).click()
  await page
    .getByRole('list', { name: 'Price history, newest first' })
    .getByText('$0.0065')
    .waitFor()
  await assertAccessible(page)

  await page.getByRole('button', { name: 'Suspend account' }).click()
  await look.getByLabel('Reason').fill('Unpaid invoice')
  await look.getByLabel(/^Type Acme/).fill('Acme <i>Telecom</i>')
  await look.getByRole('button', { name: 'Suspend account' }).click()
  await page.getByRole('button', { name: 'Delete account' }).click()
  await look.getByLabel('Reason').fill('Requested by the customer')
  await look.getByLabel(/^Type Acme/).fill('Acme')
  const deletes = look.getByRole('button', { name: 'Delete account' })
  assert.equal(
    await deletes.getAttribute('aria-disabled'),
    'true',
    'part of the name is not enough',
  )
  await look.getByLabel(/^Type Acme/).fill('Acme <i>Telecom</i>')
  await deletes.click()
  await page.getByRole('heading', { name: 'Accounts' }).waitFor()
  const deleted = await operate('GET', '/account/list?status=DELETED')
  assert.equal(deleted.body.accounts.length, 1)

  await page.getByLabel('Name or ID').fill('nobody')
  await page.keyboard.press('Enter')
  await page.getByText('No results').waitFor()
  await page.waitForURL(/search=nobody/)
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await page.getByRole('cell', { name: 'Test' }).waitFor()

  await page.keyboard.press('g')
  await page.keyboard.press('l')
  const acts = page.getByRole('list', { name: 'Audit entries, newest first' })
  await acts.getByText('account.delete').waitFor()
  await assertAccessible(page)
  await acts.getByRole('link', { name: 'account.credit' }).click()
  await acts.getByText('account.delete').waitFor({ state: 'detached' })
  await page.waitForURL(/act=account\.credit/)
  await acts.getByText('178.41').waitFor()
})

test('a number file with an invalid row changes nothing and names the row, and the fixed file is imported', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, openOperatorPage } = visited
  await openOperatorPage('numbers')
  await page.getByRole('cell', { name: '201', exact: true }).waitFor()
  await assertAccessible(page)
  const good = 'number,monthlyPrice,location\n+13072004000,1.25,"Casper, WY"\n'
  const csv = `${good}+1307,1.00,\n`
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'numbers.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByText('Nothing was imported: 1 row is invalid.').waitFor()
  const rows = page.getByRole('list', { name: 'Invalid rows' })
  await rows.getByText('row 3').waitFor()
  await rows.getByText('+1307,1.00,').waitFor()
  await assertAccessible(page)
  await page.getByLabel('Or paste CSV').fill(good)
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await page.getByText('1 number imported').waitFor()
  await page.getByLabel('Numbers', { exact: true }).fill('(307) 200-4000')
  await page.getByRole('button', { name: 'Withdraw 1 number' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw 1 number' }).click()
  await page.getByText('1 number withdrawn').waitFor()
})

test('an operator limits and suspends a campaign, enables a webhook, and creates and revokes an operator token', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, openOperatorPage, service, url } = visited
  const { campaignId } = await activeCampaign(service)
  const hook = await service.post(`/v1/campaign/${campaignId}/webhooks`, {
    url: 'https://example.com/hook',
    eventTypes: ['message.status'],
  })
  await disableWebhook(service.world, service.accountId, hook.body.webhook.id, 'gone')
  await openOperatorPage(`reviews/campaign/${campaignId}`)
  await page.getByLabel('AT&T, SMS').fill('10')
  await page.getByRole('button', { name: 'Save limits' }).click()
  await page.getByRole('button', { name: 'Follow brand score' }).waitFor()
  await page.getByRole('button', { name: 'Suspend campaign' }).click()
  const asked = page.getByRole('alertdialog')
  await asked.getByLabel('Reason').fill('Complaints')
  await asked.getByRole('button', { name: 'Suspend campaign' }).click()
  await page.getByText('Suspended by an operator').waitFor()
  await assertAccessible(page)
  const { body } = await service.get(`/v1/campaign/${campaignId}`)
  assert.deepEqual([body.campaign.status, body.campaign.limits.smsTpmAtt], ['SUSPENDED', 10])

  await page.goto(`${url}operator/webhooks`)
  await page.getByText('The endpoint returned 410 Gone').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('No disabled webhooks').waitFor()

  await page.goto(`${url}operator/settings`)
  await page.getByText('No operator tokens yet').waitFor()
  await page.getByRole('button', { name: 'Create operator token' }).click()
  await page.getByLabel('Name').fill('dana')
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByText(/^lco_/).waitFor()
  await page.getByLabel('I saved it').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Revoke dana' }).click()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Revoke token' }).click()
  await page.getByText('No operator tokens yet').waitFor()

  await page.setViewportSize({ width: 390, height: 844 })
  const places = ['accounts', `accounts/${service.accountId}`, 'prices', 'health', 'audit', 'more']
  for (const place of places) {
    await page.goto(`${url}operator/${place}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await assertAccessible(page)
    await fitsAcross(page)
  }
})

test('the quotas of an account are shown, set, and restored', async (t) => {
  const visited = await operatorVisit(t, { LONGCODE_QUOTA_WEBHOOKS: '50' })
  if (!visited) return
  const { page, openOperatorPage, operate, service } = visited
  const limits = async () => {
    const { body } = await operate('GET', `/account/${service.accountId}/quotas`)
    return body.quotas.map(({ ownLimit }: { ownLimit: number | null }) => ownLimit)
  }
  await openOperatorPage(`accounts/${service.accountId}`)
  await page.getByText('0 / 50').waitFor()
  await page.getByText('Default: 50').waitFor()
  await page.getByLabel('Queued messages limit').fill('1,000')
  await page.getByLabel('Media limit (MB)').fill('2.5')
  await page.getByLabel('Webhooks limit').fill('x')
  await page.getByRole('button', { name: 'Save quotas' }).click()
  await page.getByText('must be a whole number, 0 or more, or null').waitFor()
  assert.deepEqual(await limits(), [null, null, null, null])
  await page.getByLabel('Webhooks limit').fill('0')
  await page.getByRole('button', { name: 'Save quotas' }).click()
  await page.getByText('0 / 1,000').waitFor()
  await page.getByText('0 bytes / 2.5 MB').waitFor()
  assert.deepEqual(await limits(), [1_000, null, 2_500_000, 0])
  await assertAccessible(page)
  await page.getByLabel('Queued messages limit').fill('')
  await page.getByRole('button', { name: 'Save quotas' }).click()
  await page.getByText('0 / 1,000').waitFor({ state: 'detached' })
  assert.deepEqual(await limits(), [null, null, 2_500_000, 0])
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
})
