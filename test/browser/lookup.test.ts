// Support looks up a message in the operator pages, and the customer sees the look-up, in a real browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { assertAccessible } from './axe.js'
import { operatorVisit } from './operator-visit.js'
import { fitsAcross } from './until.js'

test('an operator finds a message by phone, reads why it failed, and the customer sees the look-up', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, service, enter, openOperatorPage, operate } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const message = { campaign: campaignId, to: '+14155550110', body: 'Your <b>table</b> is ready' }
  const { body } = await service.post('/v1/message/send', message)
  await openOperatorPage('messages')
  await assertAccessible(page)
  await page.getByLabel('Message ID or phone number').fill('(415) 555-0110')
  await page.getByRole('button', { name: 'Look up' }).click()
  const table = page.getByRole('table', { name: 'Messages found' })
  await table.getByText('Hidden').waitFor()
  await assertAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await table.getByRole('link').first().click()
  await page.getByText('This number can’t receive texts').waitFor()
  await page.getByText('1350').first().waitFor()
  assert.equal(await page.getByText('table').count(), 0, 'the text is hidden')
  await page.getByLabel('Reason').fill('Ticket <i>4711</i>')
  await page.getByRole('button', { name: 'Show text' }).click()
  await page.getByText('Your <b>table</b> is ready').waitFor()
  await assertAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  const audit = await operate('GET', '/audit/list?act=message.lookup')
  assert.deepEqual(
    audit.body.acts.map(({ subject }: { subject: string }) => subject),
    [body.id, body.id, '+14155550110'],
    'one entry for each request, and no more',
  )
  await enter('settings/activity')
  await page.getByText(`Looked up 1 message with texts: ${body.id}`).waitFor()
  await page.getByText('Reason: Ticket <i>4711</i>').waitFor()
  await page.getByText(/Looked up 1 message without texts: \(415\)/).waitFor()
  await assertAccessible(page)
})
