// An operator stops the call forwarding of a customer's number on the console's Numbers page, and allows it again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { assertAccessible } from './axe.js'
import { operatorVisit } from './operator-visit.js'
import { fitsAcross } from './until.js'

const TARGET = '+16282000100'

test('an operator stops the forwarding of a number with a reason and allows it again', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, service, openOperatorPage, operate } = visited
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const setTarget = () =>
    service.call('PATCH', `/v1/number/${number.slice(1)}/forwarding`, { forwardNumber: TARGET })
  assert.equal((await setTarget()).status, 200)

  await openOperatorPage('numbers')
  const card = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Call forwarding' }) })
  const dialog = page.getByRole('alertdialog')
  await card.getByLabel('Number').fill('+14152999999')
  await card.getByRole('button', { name: 'Stop forwarding' }).click()
  await dialog.getByLabel('Reason').fill('Toll fraud')
  await dialog.getByRole('button', { name: 'Stop forwarding' }).click()
  await dialog.getByText('Number not found').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await card.getByLabel('Number').fill(number)
  await card.getByRole('button', { name: 'Stop forwarding' }).click()
  await dialog.getByText('The removed target stays in the audit log.').waitFor()
  await assertAccessible(page)
  await dialog.getByLabel('Reason').fill('Toll fraud')
  await dialog.getByRole('button', { name: 'Stop forwarding' }).click()
  await card.getByText('are no longer forwarded.').waitFor()
  await assertAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  assert.equal((await setTarget()).status, 403)

  await card.getByLabel('Number').fill(number)
  await card.getByRole('button', { name: 'Allow forwarding' }).click()
  await dialog.getByLabel('Reason').fill('The customer changed their password')
  await dialog.getByRole('button', { name: 'Allow forwarding' }).click()
  await card.getByText('The customer can forward calls').waitFor()
  assert.equal((await setTarget()).status, 200)

  const { body } = await operate('GET', '/audit/list?limit=20')
  const acts: Record<string, unknown>[] = body.acts
  assert.deepEqual(
    acts
      .filter(({ act }) => /^number\.(stop|allow)_forwarding$/.test(String(act)))
      .map(({ act, after }) => [act, after]),
    [
      [
        'number.allow_forwarding',
        { isStopped: false, forwardNumber: null, reason: 'The customer changed their password' },
      ],
      ['number.stop_forwarding', { isStopped: true, forwardNumber: null, reason: 'Toll fraud' }],
    ],
  )
})
