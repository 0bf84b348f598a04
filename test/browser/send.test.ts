// Sending one message in the console, in a real browser: priced while it is written, sent once, and nothing typed is
// lost, whatever the service answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { activeCampaign, buyNumber } from '../fixtures.js'
import type { TestService } from '../harness.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross, until, untilHolds } from './until.js'

async function sent(service: TestService): Promise<Record<string, unknown>[]> {
  const { body } = await service.get('/v1/message/search?direction=OUTBOUND')
  return body.messages
}

/** The next send request gets this response instead of the service's. */
async function answerOnce(page: Page, status: number, body: object, headers = {}): Promise<void> {
  await page.route(
    '**/v1/message/send',
    (route) =>
      route.fulfill({
        status,
        headers,
        contentType: 'application/json',
        body: JSON.stringify(body),
      }),
    { times: 1 },
  )
}

test('a text is priced while typed, its costly character is removed, and it is sent with all its fields', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service, {
    campaign: { displayName: 'Club <b>news</b>' },
  })
  const number = await buyNumber(service, campaignId)
  await enter('send')
  const send = page.getByRole('button', { name: /^(Send|Schedule)/ })
  await page.getByLabel('To', { exact: true }).fill('415.555.0171')
  await page.getByText('Not opted out · no messages yet').waitFor()
  await assertAccessible(page)
  const text = page.getByLabel('Text')
  await text.fill('Acme: this week the dark roast is half the price 🎉')
  await page.getByText('🎉 reduces a segment from 160 to 70 characters.').waitFor()
  await text.fill(
    'Acme: don’t miss it – this week the dark roast is half the price for members of the club 🎉',
  )
  await page.getByText('🎉 makes this 2 segments instead of 1. Without it: $0.0079.').waitFor()
  await page.getByRole('button', { name: 'Send · $0.0158' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Remove 🎉' }).click()
  await page.getByRole('button', { name: 'Send · $0.0079' }).waitFor()
  await page.getByText('2 characters simplified').waitFor()
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  const looks = page.getByRole('region', { name: 'Preview' })
  await looks.getByText("Acme: don't miss it - this week").waitFor()
  await text.fill('Acme: half price')
  await page.getByText('Reviewers look for “Reply STOP” in the first message.').waitFor()

  await page.getByLabel('From').selectOption(number)
  await page.getByText('More options: media, metadata, validity').click()
  await page.getByRole('button', { name: 'Add metadata' }).click()
  await page.getByLabel('Name 1').fill('order')
  await page.getByLabel('Value 1').fill('<i>1042</i>')
  await page.getByLabel('Valid for').selectOption('1800')
  await page.getByRole('radio', { name: 'Schedule' }).click()
  const at = page.getByLabel('Date and time')
  await at.fill('2020-01-01T09:00')
  await page.getByText('This time is in the past.').waitFor()
  await send.click({ force: true })
  assert.deepEqual(await sent(service), [], 'nothing is sent while something is wrong')
  const due = new Date(Math.ceil(service.world.clock.now().getTime() / 60_000) * 60_000 + 7_200_000)
  await at.fill(await page.evaluate(localInput, due.toISOString()))
  await assertAccessible(page)
  await page.reload()
  await page.getByText('Draft saved in this browser').waitFor()
  assert.equal(await text.inputValue(), 'Acme: half price')
  await page.getByRole('button', { name: 'Show API request' }).click()
  await page.getByText('/v1/message/send').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Schedule · $0.0079' }).click()
  await page.getByText('Scheduled.', { exact: true }).waitFor()
  await assertAccessible(page)
  await until(page, "document.activeElement.textContent === 'Track message'")
  const [message] = await sent(service)
  assert.deepEqual(
    {
      to: message?.to,
      from: message?.from,
      metadata: message?.metadata,
      scheduledAt: message?.scheduledAt,
      validitySeconds: message?.validitySeconds,
    },
    {
      to: '+14155550171',
      from: number,
      metadata: { order: '<i>1042</i>' },
      scheduledAt: due.toISOString(),
      validitySeconds: 1800,
    },
  )

  await page.getByRole('button', { name: 'Send another message' }).click()
  await untilHolds(text, '') // the draft is gone
  await page.getByLabel('To', { exact: true }).fill('+1 (415) 555-0101')
  await text.fill('Now. Reply STOP to opt out.')
  await text.press('Control+Enter')
  await page.getByText('Queued.', { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Timeline').waitFor()
})

function localInput(iso: string): string {
  const moment = new Date(iso)
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

test('every error is shown with what to do, and pressing again sends once', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  await service.call('PUT', `/v1/campaign/${campaignId}/optouts/14155550109`, {
    reason: 'By phone',
  })
  await enter(`send?campaign=${campaignId}&to=%2B14155550109&body=Hello`)
  const text = page.getByLabel('Text')
  assert.equal(await text.inputValue(), 'Hello')
  await page.getByText('Opted out', { exact: true }).first().waitFor()
  const send = page.getByRole('button', { name: /^Send/ })
  await send.click()
  const alert = page.getByRole('alert')
  await alert.getByText('Recipient has opted out.').waitFor()
  await alert.getByText('the recipient must text START').waitFor()
  await assertAccessible(page)

  await page.getByLabel('To', { exact: true }).fill('(015) 555-0101')
  await page.getByText('This doesn’t look like a US mobile number.').waitFor()
  await page.getByLabel('To', { exact: true }).fill('(415) 555-0101')
  await answerOnce(page, 402, {
    success: false,
    error: 'Insufficient account balance',
    code: 'balance_insufficient',
  })
  await send.click()
  await alert.getByText('This costs $0.0079. Your balance is $').waitFor()
  await alert.getByText('npx longcode credit acc_').waitFor()
  await assertAccessible(page)

  const keys: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/message/send')) keys.push(request.headers()['idempotency-key'])
  })
  await answerOnce(page, 500, {
    success: false,
    error: 'Internal server error',
    requestId: 'req_1',
  })
  await send.click()
  await alert.getByText('Retrying is safe').waitFor()
  await alert.getByText('req_1').waitFor()
  assert.equal(await text.inputValue(), 'Hello', 'nothing is lost')
  await answerOnce(
    page,
    429,
    { success: false, error: 'Too many requests' },
    { 'retry-after': '1' },
  )
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Queued.', { exact: true }).waitFor()
  assert.equal(keys.length, 3, 'it was retried automatically after the wait')
  assert.equal(new Set(keys).size, 1, 'all with one key')
  assert.equal((await sent(service)).length, 1)
})

test('1,500 emoji are counted and drawn, longer text is refused with a reason, and nothing is truncated', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  await enter('send')
  await page.getByLabel('To', { exact: true }).fill('4155550101')
  const text = page.getByLabel('Text')
  await text.fill('🎉'.repeat(1500))
  await page.getByText('43 segments · UCS-2 · $0.3397').waitFor()
  await page.getByText('+33', { exact: true }).waitFor()
  await page.getByText('Most carriers split a text this long into several messages.').waitFor()
  await text.fill('🎉'.repeat(1512))
  await page.getByText('1,512 characters (limit 1,500). Remove 12.').first().waitFor()
  await page.getByRole('button', { name: /^Send/ }).click({ force: true })
  await page.getByText('12 characters too long.').waitFor()
  assert.equal((await text.inputValue()).length, 3024, 'what was pasted is kept whole')
  assert.deepEqual(await sent(service), [])
  await page.setViewportSize({ width: 390, height: 844 })
  await assertAccessible(page)
  await fitsAcross(page)
})

test('without an active campaign, the page explains why nothing can be sent', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter } = visited
  await enter('send')
  await page.getByText('You need an active campaign to send').waitFor()
  await page.getByRole('link', { name: 'Create campaign · $20.00' }).waitFor()
  await assertAccessible(page)
})
