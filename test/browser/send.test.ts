// Sending one message in the console, in a real browser: counted and priced while it is written, sent once,
// and nothing lost that was typed, whatever the service answers.

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

/** The next call to send is answered so, by nobody of the service. */
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

test('a text is counted while it is written, its costly character named and removed, and sent with all it was given', async (t) => {
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
  await page.getByText('not opted out · no messages yet').waitFor()
  await assertAccessible(page)
  const text = page.getByLabel('Text')
  await text.fill('Acme: this week the house blend is half the price 🎉')
  await page.getByText('🎉 leaves 70 characters to a segment instead of 160.').waitFor()
  await text.fill(
    'Acme: don’t miss it – this week the house blend is half the price for members of the club 🎉',
  )
  await page.getByText('🎉 makes this 2 segments instead of 1. Without it: $0.0079.').waitFor()
  await page.getByRole('button', { name: 'Send · $0.0158' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Remove 🎉' }).click()
  await page.getByRole('button', { name: 'Send · $0.0079' }).waitFor()
  await page.getByText('2 characters simplified').waitFor()
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  const looks = page.getByRole('region', { name: 'How it will look' })
  await looks.getByText("Acme: don't miss it - this week").waitFor()
  await text.fill('Acme: half price')
  await page.getByText('Reviewers look for STOP in the first message.').waitFor()

  await page.getByLabel('From').selectOption(number)
  await page.getByText('More: media, metadata, validity').click()
  await page.getByRole('button', { name: 'Add metadata pair' }).click()
  await page.getByLabel('Name 1').fill('order')
  await page.getByLabel('Value 1').fill('<i>1042</i>')
  await page.getByLabel('Worth sending for').selectOption('1800')
  await page.getByRole('radio', { name: 'At a time' }).click()
  const at = page.getByLabel('Day and time')
  await at.fill('2020-01-01T09:00')
  await page.getByText('This time has passed.').waitFor()
  await send.click({ force: true })
  assert.deepEqual(await sent(service), [], 'nothing is sent while something is wrong')
  const due = new Date(Math.ceil(service.world.clock.now().getTime() / 60_000) * 60_000 + 7_200_000)
  await at.fill(await page.evaluate(localInput, due.toISOString()))
  await assertAccessible(page)
  await page.reload()
  await page.getByText('Draft kept in this browser').waitFor()
  assert.equal(await text.inputValue(), 'Acme: half price')
  await page.getByRole('button', { name: 'Show as API call' }).click()
  await page.getByText('/v1/message/send').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Schedule · $0.0079' }).click()
  await page.getByText('Scheduled.', { exact: true }).waitFor()
  await assertAccessible(page)
  await until(page, "document.activeElement.textContent === 'Watch it'")
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

  await page.getByRole('button', { name: 'Send another' }).click()
  await untilHolds(text, '') // the draft is gone
  await page.getByLabel('To', { exact: true }).fill('+1 (415) 555-0101')
  await text.fill('Now. Reply STOP to opt out.')
  await text.press('Control+Enter')
  await page.getByText('Queued.', { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('What happened').waitFor()
})

function localInput(iso: string): string {
  const moment = new Date(iso)
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

test('whatever the service answers is said with what to do, and pressing again sends once', async (t) => {
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
  await alert.getByText('Only a START from that phone').waitFor()
  await assertAccessible(page)

  await page.getByLabel('To', { exact: true }).fill('(015) 555-0101')
  await page.getByText('This looks like no US mobile number.').waitFor()
  await page.getByLabel('To', { exact: true }).fill('(415) 555-0101')
  await answerOnce(page, 402, {
    success: false,
    error: 'Insufficient account balance',
    code: 'balance_insufficient',
  })
  await send.click()
  await alert.getByText('This costs $0.0079; the balance is $').waitFor()
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
  await alert.getByText('Trying again is safe').waitFor()
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
  assert.equal(keys.length, 3, 'after the wait it was tried by itself')
  assert.equal(new Set(keys).size, 1, 'all with one key')
  assert.equal((await sent(service)).length, 1)
})

test('1,500 emoji are counted and drawn, one more is refused with the reason, and nothing is cut', async (t) => {
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
  await page.getByText('Most carriers show so long a text as several.').waitFor()
  await text.fill('🎉'.repeat(1512))
  await page.getByText('1,512 characters; the limit is 1,500. Remove 12.').first().waitFor()
  await page.getByRole('button', { name: /^Send/ }).click({ force: true })
  await page.getByText('12 characters too long.').waitFor()
  assert.equal((await text.inputValue()).length, 3024, 'what was pasted is kept whole')
  assert.deepEqual(await sent(service), [])
  await page.setViewportSize({ width: 390, height: 844 })
  await assertAccessible(page)
  await fitsAcross(page)
})

test('without a campaign that may send the page says so, and why the others may not', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter } = visited
  await enter('send')
  await page.getByText('You need an active campaign to send.').waitFor()
  await page.getByRole('link', { name: 'Create campaign · $20.00' }).waitFor()
  await assertAccessible(page)
})
