// Settings in the console, in a real browser: tokens that are shown once and revoked after a confirmation, the theme,
// and keyboard shortcuts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign } from '../fixtures.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross } from './until.js'

test('a token is created for a program, shown once, and works until it is revoked', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  await enter('settings')
  await page.getByRole('heading', { name: 'Settings: account' }).waitFor()
  await page.getByText(service.accountId).waitFor()
  await page.getByText('read, send, manage, billing').waitFor()
  await assertAccessible(page)
  await page.getByRole('navigation', { name: 'Settings' }).getByText('Tokens').click()
  const table = page.getByRole('table', { name: 'Access tokens' })
  await table.getByText('· this session').waitFor()
  await assertAccessible(page)

  await page.getByRole('button', { name: 'Create token' }).click()
  const form = page.getByRole('dialog', { name: 'Create token' })
  await form.getByLabel('Name').fill('<b>Orders</b> & more')
  await form.getByLabel('read').uncheck()
  await form.getByLabel('Expires').selectOption('7')
  await form.getByText('Draft saved in this browser').waitFor()
  await assertAccessible(page)
  await form.getByRole('button', { name: 'Create token' }).click()
  const once = page.getByRole('dialog', { name: 'Token “<b>Orders</b> & more” created' })
  const token = (await once.getByText(/^lc_/).textContent())!
  await page.keyboard.press('Escape')
  assert.equal(await once.getByRole('button', { name: 'Done' }).isEnabled(), false)
  await assertAccessible(page)
  assert.ok(await once.isVisible(), 'not before saving is confirmed')
  await once.getByLabel('I saved it').check()
  await once.getByRole('button', { name: 'Done' }).click()
  const row = table.getByRole('row', { name: /Orders/ })
  await row.getByText(/^Expires in/).waitFor()
  await row.getByText('never').waitFor()
  assert.equal((await service.get('/v1/account', { token })).status, 403, 'it can only send')

  await row.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Revoke…' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByText('refused within five seconds').waitFor()
  assert.equal(await question.getByText('You are signed in with this token').count(), 0)
  await question.getByRole('button', { name: 'Revoke token' }).click()
  await question.waitFor({ state: 'detached' }) // it hides everything else from role queries
  await row.waitFor({ state: 'detached' })
  await table.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Revoke…' }).click()
  await question.getByText('You are signed in with this token').waitFor()
  await question.getByText('It is the only token').waitFor()
  await assertAccessible(page)
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('list', { name: 'Access tokens' }).waitFor()
  await fitsAcross(page)
})

test('theme and shortcut settings are saved in this browser', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter } = visited
  await enter('settings/appearance')
  await page.getByRole('radio', { name: 'Dark' }).check()
  await assertAccessible(page)
  await page.reload()
  assert.equal(await page.getByRole('radio', { name: 'Dark' }).isChecked(), true)
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')

  await page.getByRole('link', { name: 'Shortcuts' }).click()
  await page.getByText('Copy the row’s ID').waitFor()
  await assertAccessible(page)
  await page.getByRole('switch', { name: 'Single-letter shortcuts' }).uncheck()
  await page.getByRole('heading', { name: 'Settings: keyboard shortcuts' }).focus()
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.getByRole('switch', { name: 'Single-letter shortcuts' }).check()
  await page.getByRole('heading', { name: 'Settings: keyboard shortcuts' }).focus()
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.getByRole('heading', { name: 'Billing' }).waitFor()
})

test('a token without the manage scope sees an explanation on the page', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, url, service } = visited
  await page.goto(`${url}sign-in?next=/settings/tokens`)
  await page.getByLabel('Access token').fill(await service.tokenWith(['read']))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Settings: tokens' }).waitFor()
  await page.getByText('Sign in with a token that has this scope.').waitFor()
  await assertAccessible(page)
})

test('a credential for an app written for Twilio is created, shown again, and replaced', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const read = async () => (await service.get('/v1/account/twilio')).body.twilio
  await enter('settings/tokens')
  await page.getByRole('button', { name: 'Create credential' }).click()
  await page.getByText('AccountSid').waitFor()
  const first = await read()
  await page.reload()
  await page.getByText(first.accountSid).waitFor()
  await page.getByRole('button', { name: 'Show AuthToken' }).click()
  await page.getByText(first.authToken).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Replace AuthToken…' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByRole('button', { name: 'Replace AuthToken' }).click()
  await question.waitFor({ state: 'detached' })
  const second = await read()
  assert.equal(second.accountSid, first.accountSid)
  assert.notEqual(second.authToken, first.authToken)
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
})

test('settings show the use of each quota, and what is refused without room', async (t) => {
  const env = {
    LONGCODE_QUOTA_QUEUED: '1000',
    LONGCODE_QUOTA_MEDIA_MB: '1',
    LONGCODE_QUOTA_WEBHOOKS: '1',
  }
  const visited = await visit(t, { env })
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  const hook = { url: 'https://example.com/hook', eventTypes: ['message.status'] }
  await service.post(`/v1/campaign/${campaignId}/webhooks`, hook)
  const content = Buffer.from('a,b\n'.repeat(215_000))
  const headers = { 'content-type': 'text/csv' }
  assert.equal((await service.call('POST', '/v1/media', content, { headers })).status, 200)
  await enter('settings')
  const quotas = page.getByRole('list', { name: 'Quotas' })
  await quotas.getByText('0 / 1,000').waitFor()
  await quotas.getByText('0 · no limit').waitFor()
  await quotas.getByText('860 kB / 1 MB').waitFor()
  await quotas.getByText('New webhooks are refused until one is deleted.').waitFor()
  assert.equal(
    await page.getByRole('meter', { name: 'Webhooks' }).getAttribute('aria-valuetext'),
    '1 of 1 webhook',
  )
  await enter('overview')
  const needs = page.getByText(
    'Webhooks: 1 of 1 used. New webhooks are refused until one is deleted.',
  )
  await needs.waitFor()
  await page.getByText('Media: 860 kB of 1 MB used.').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Show quotas' }).first().click()
  await quotas.getByText('860 kB / 1 MB').waitFor()
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height })
      await fitsAcross(page)
      await assertAccessible(page)
    }
  }
})
