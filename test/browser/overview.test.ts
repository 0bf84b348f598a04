// Overview in the console, in a real browser: numbers that link to their messages, and what needs attention.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross } from './until.js'

test('numbers update automatically, link to their messages, and are also a table', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  await enter('overview')
  await page.getByText('No messages in the last 24 hours').waitFor()
  await page.getByText('Nothing needs your attention.').waitFor()
  await assertAccessible(page)
  for (const to of ['+14155550101', '+14155550110']) {
    await service.post('/v1/message/send', { campaign: campaignId, to, body: 'Hello' })
  }
  await page.getByText('2 sent, 1 failed, 0 received').waitFor()
  await page.getByText('50.0%').first().waitFor()
  await page.getByText('can’t receive texts: 1').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Show table' }).click()
  await page.getByRole('columnheader', { name: 'Received' }).waitFor()
  await page.getByLabel('Time range').selectOption('7d')
  await page.getByText('Traffic by day (UTC)').waitFor()
  await page.waitForURL(/range=7d/)
  await service.call('PATCH', '/v1/account', { lowBalanceThreshold: 1000 })
  await page.reload()
  await page
    .getByRole('listitem')
    .filter({ hasText: /balance/i })
    .waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.getByRole('link', { name: 'Failed', exact: true }).click()
  await page.getByRole('link', { name: /Failed 1350/ }).waitFor()
})

test('production has no sandbox pages, and signing in opens the overview', async (t) => {
  const visited = await visit(t, {
    env: {
      LONGCODE_MODE: 'production',
      DATABASE_URL: 'postgres://database.invalid/longcode', // each test has its own
      LONGCODE_PUBLIC_URL: 'http://127.0.0.1',
    },
  })
  if (!visited) return
  const { page, enter, url } = visited
  await enter('')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Handset' }).count(), 0)
  assert.equal(await page.getByText('simulated carrier').count(), 0)
  await page.goto(`${url}handset`)
  await page.getByText('The handset is available only in the sandbox').waitFor()
})
