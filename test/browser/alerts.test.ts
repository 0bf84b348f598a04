// Alerts in the console, in a real browser: raised and cleared while the page is open, and muted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addFinished } from '../finished-messages.js'
import { activeCampaign } from '../fixtures.js'
import { eventually } from '../harness.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross } from './until.js'

const ATT = /^AT&T: 25\.0% of 1,255 finished messages were delivered/

test('AT&T at 25% of 1,255 messages is an alert with a red bar, until deliveries are normal', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await addFinished(service, { campaignId, route: 'tmo', delivered: 1000, failed: 5 })
  await enter('overview')
  await page.getByText('Nothing needs your attention.').waitFor()
  await addFinished(service, { campaignId, route: 'att-sms', delivered: 314, failed: 941 })
  const line = page.getByRole('listitem').filter({ hasText: ATT })
  await line.filter({ hasText: 'Normal is 95.0%' }).waitFor()
  assert.equal(await page.getByText('Nothing needs your attention.').count(), 0)
  await page.reload()
  const row = page.getByRole('row').filter({ hasText: 'AT&T' })
  await row.getByText('25.0%').waitFor()
  assert.equal(await row.locator('.bg-bad-solid').count(), 1, 'the bar is red')
  assert.equal(await row.locator('.bg-ok-solid').count(), 0)
  await row.getByText('(low)').waitFor()
  await assertAccessible(page)

  await page.getByRole('link', { name: /^Alerts/ }).click()
  const open = page.getByRole('list', { name: 'Open alerts' }).getByRole('listitem')
  await open
    .filter({ hasText: /What to do: Send only what the campaign is registered for/ })
    .waitFor()
  assert.equal(await open.count(), 1, 'one cause is one alert')
  await assertAccessible(page)
  await addFinished(service, { campaignId, route: 'att-sms', delivered: 9000, failed: 0 })
  await page.getByText('No open alerts').waitFor()
  await page.getByRole('list', { name: 'Past alerts' }).getByText(ATT).waitFor()
  await assertAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await enter('overview')
  await page.getByText('Nothing needs your attention.').waitFor()
})

test('a muted kind is listed, but the overview does not show it', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await enter('alerts')
  await page.getByRole('checkbox', { name: 'Low delivery rate of a carrier' }).uncheck()
  await page.getByLabel('Days that the balance should last').fill('0')
  await page.getByText('Enter a whole number from 1 to 90.').waitFor()
  await page.getByLabel('Days that the balance should last').fill('7')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Alert settings saved').waitFor()
  const { body } = await service.get('/v1/alert/settings')
  assert.deepEqual(body.settings, { mutedKinds: ['network_delivery'], balanceDays: 7 })
  await addFinished(service, { campaignId, route: 'att-sms', delivered: 314, failed: 941 })
  // No event reports a muted alert.
  await eventually(
    async () => (await service.get('/v1/alert/list')).body.alerts.length > 0,
    'a muted alert',
  )
  await page.reload()
  await page.getByRole('list', { name: 'Open alerts' }).getByText('Muted').waitFor()
  await enter('overview')
  await page.getByText('Nothing needs your attention.').waitFor()
})
