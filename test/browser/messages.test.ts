// Messages in the console, in a real browser: what came of each, live, found by what stands in the address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'

const SCRIPT = '<img src=x onerror="document.title=1"><script>document.title=2</script>'

test('a message appears by itself, says why it failed, and is shown as text whatever it says', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  await enter('messages')
  await page.getByText('No messages yet.').waitFor()
  await assertAccessible(page)
  const send = (to: string, body: string) =>
    service.post('/v1/message/send', {
      campaign: campaignId,
      to,
      body,
      metadata: { order: '<b>1</b>' },
    })
  await send('+14155550101', SCRIPT)
  await page.getByRole('link', { name: 'Delivered' }).waitFor()
  await send('+14155550110', '🎉'.repeat(300))
  await page.getByRole('link', { name: 'Failed 1350' }).click()
  const open = page.getByRole('complementary', { name: 'The open message' })
  await open.getByText('This number can’t receive texts').waitFor()
  await open.getByText('Not charged.').waitFor()
  await open.getByText('Accepted and queued for sending').waitFor()
  await open.getByText('<b>1</b>').waitFor()
  await assertAccessible(page)
  assert.match(page.url(), /open=msg_/)

  await page.keyboard.press('Escape')
  await open.waitFor({ state: 'detached' })
  await page.getByLabel('Status').selectOption('FAILED')
  await page.getByRole('link', { name: 'Delivered' }).waitFor({ state: 'detached' })
  assert.match(page.url(), /status=FAILED/)
  await page.getByLabel('Number or id').fill('(415) 555-0101')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing matches.').waitFor()
  await page.getByRole('link', { name: 'Clear filters' }).first().click()
  await page.getByRole('cell', { name: SCRIPT }).waitFor()
  assert.equal(await page.title(), 'Messages · Longcode', 'no script ran')

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('link', { name: /Failed 1350/ }).click()
  await page.getByRole('heading', { name: 'Message', exact: true }).waitFor()
  await page.getByText('This number can’t receive texts').waitFor()
  const sideways = 'document.documentElement.scrollWidth - innerWidth'
  assert.equal(await page.evaluate(sideways), 0, 'nothing scrolls sideways on a phone')
})

test('the address of a message that is not ours says so, and the way back is there', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, url } = visited
  await enter('messages/msg_01km3v9w8m0000pqv3t5x7z9bd')
  await page.getByText('Message not found.').waitFor()
  await page.getByRole('link', { name: 'All messages' }).click()
  await page.getByRole('heading', { name: 'Messages' }).waitFor()
  await page.goto(`${url}nowhere`)
  await page.getByText('This address leads nowhere.').waitFor()
})
