// Messages in the console, in a real browser: statuses, live updates, and filters in the URL.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { createWebhook, webhookReceiver } from '../flows/webhook-receiver.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross, until } from './until.js'

const ARABIC = 'سلام عليكم، طاولتكم جاهزة'
const SCRIPT = '<img src=x onerror="document.title=1"><script>document.title=2</script>'

test('a message appears automatically, shows why it failed, and is always shown as plain text', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const { url: hook } = await webhookReceiver(t)
  await createWebhook(service, campaignId, hook, { name: 'orders' })
  await enter('messages')
  await page.getByText('No messages yet').waitFor()
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
  await send('+14155550110', '🎉'.repeat(1_500))
  await page.getByRole('link', { name: 'Failed 1350' }).click()
  const open = page.getByRole('complementary', { name: 'Message details' })
  await open.getByText('This number can’t receive texts').waitFor()
  await open.getByText('Refunded.').waitFor()
  await open.getByText('Accepted and queued for sending').waitFor()
  await open.getByText('<b>1</b>').waitFor()
  await open.getByText(/message\.status → webhook “orders” 200 in \d+ ms/).waitFor()
  await assertAccessible(page)
  await page.waitForURL(/open=msg_/)

  await page.keyboard.press('Escape')
  await open.waitFor({ state: 'detached' })
  await until(page, "document.activeElement.textContent === 'Failed 1350'") // back to its row
  await page.getByLabel('Status').selectOption('FAILED')
  await page.getByRole('link', { name: 'Delivered' }).waitFor({ state: 'detached' })
  await page.waitForURL(/status=FAILED/)
  await page.getByLabel('Phone number or message ID').fill('(415) 555-0101')
  await page.keyboard.press('Enter')
  await page.getByText('No results').waitFor()
  await page.getByRole('link', { name: 'Clear filters' }).first().click()
  await page.getByRole('cell', { name: SCRIPT }).waitFor()
  assert.equal(await page.title(), 'Messages · Longcode', 'no script ran')

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('link', { name: /Failed 1350/ }).click()
  await page.getByRole('heading', { name: 'Message', exact: true }).waitFor()
  await page.getByText('This number can’t receive texts').waitFor()
  await fitsAcross(page)
})

test('new messages wait while someone reads, shortcuts move through rows, and live updates can be paused', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service, url } = visited
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const hear = (body: string) =>
    service.post('/sandbox/inbound', { from: '+14155550101', to: number, body })
  for (let i = 1; i <= 60; i += 1) await hear(i === 60 ? ARABIC : `Text ${i}`)
  await enter('messages?direction=INBOUND')
  await page.getByRole('cell', { name: ARABIC }).waitFor()
  await hear('At the top it appears')
  await page.getByRole('cell', { name: 'At the top it appears' }).waitFor()

  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const open = page.getByRole('complementary', { name: 'Message details' })
  await open.getByText(ARABIC).waitFor()
  await hear('This one waits')
  await page.getByRole('button', { name: '1 new message' }).waitFor()
  assert.equal(await page.getByRole('cell', { name: 'This one waits' }).count(), 0)
  await page.keyboard.press(']')
  await open.getByText('Text 59', { exact: true }).waitFor()
  await page.keyboard.press('[')
  await open.getByText(ARABIC).waitFor()
  await page.getByRole('button', { name: '1 new message' }).click()
  await page.getByRole('cell', { name: 'This one waits' }).waitFor()
  await page.keyboard.press('Escape')

  await page.mouse.wheel(0, 600)
  await until(page, 'scrollY > 100')
  const row = page.getByRole('cell', { name: 'Text 40', exact: false })
  const before = (await row.boundingBox())!.y
  await hear('So does this')
  await page.getByRole('button', { name: '1 new message' }).waitFor()
  assert.equal((await row.boundingBox())!.y, before, 'nothing moved')
  await page.keyboard.press('Home')
  await page.getByRole('cell', { name: 'So does this' }).waitFor()
  await until(page, 'scrollY === 0')

  await page.getByRole('button', { name: 'Live' }).click()
  await page.getByRole('button', { name: 'Paused' }).waitFor()
  await page.waitForURL(/direction=INBOUND/) // the filter is unchanged
  await hear('While it is paused')
  await page.getByRole('button', { name: '1 new message' }).waitFor()
  await page.keyboard.press('l')
  await page.getByRole('cell', { name: 'While it is paused' }).waitFor()

  await page.getByRole('button', { name: 'Export CSV' }).click()
  await page.getByText('64 messages', { exact: true }).waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const lines = readFileSync(await (await saved).path(), 'utf8').split('\r\n')
  assert.match(lines[0]!, /^id,createdAt,sentAt,campaignId,direction/)
  assert.equal(lines.length, 66, 'head, 64 texts, and the end of the last line')
  await page.getByLabel('Time').selectOption('1h')
  await page.waitForURL(/time=1h/)
  await page.getByRole('cell', { name: 'While it is paused' }).waitFor()
  await page.goto(`${url}messages?until=2020-01-01T00:00:00Z`)
  await page.getByText('No results').waitFor()
  await page
    .getByText(/^Before Jan 1/)
    .first()
    .waitFor()
  await assertAccessible(page)

  await page.goto(`${url}messages/latest`)
  await page.getByText('While it is paused').waitFor()
  await page.waitForURL(/messages\/msg_/)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${url}messages?direction=INBOUND&time=24h`)
  await page.getByRole('button', { name: 'Filters (2)' }).click()
  await page.getByLabel('Direction').selectOption('')
  await page.getByRole('button', { name: 'Filters (1)' }).waitFor()
  await assertAccessible(page)
  await fitsAcross(page)
})

test('a scheduled message is canceled and refunded', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const { body } = await service.post('/v1/message/send', {
    campaign: campaignId,
    to: '+14155550101',
    body: 'See you tomorrow',
    scheduledAt: new Date(service.world.clock.now().getTime() + 86_400_000).toISOString(),
  })
  const before = await service.balance()
  await enter(`messages?open=${body.id}`)
  const open = page.getByRole('complementary', { name: 'Message details' })
  await open.getByRole('button', { name: 'Cancel message…' }).click()
  const asked = page.getByRole('alertdialog')
  await asked.getByText('$0.0079 is refunded.').waitFor()
  await assertAccessible(page)
  await asked.getByRole('button', { name: 'Cancel message · refund $0.0079' }).click()
  await open.getByText('Canceled before sending').waitFor()
  assert.ok((await service.balance()) > before)
  await open.getByRole('button', { name: 'Cancel message…' }).waitFor({ state: 'detached' })
  await open.getByRole('link', { name: 'View conversation' }).click()
  await page.getByRole('log').getByText('Canceled before sending').waitFor()
})

test('the URL of an unknown message shows an error and a link to all messages', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, url } = visited
  await enter('messages/msg_01km3v9w8m0000pqv3t5x7z9bd')
  await page.getByText('Message not found.').waitFor()
  await page.getByRole('link', { name: 'All messages' }).click()
  await page.getByRole('heading', { name: 'Messages' }).waitFor()
  await page.goto(`${url}nowhere`)
  await page.getByText('The page may have moved').waitFor()
})
