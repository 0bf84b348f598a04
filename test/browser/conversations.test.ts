// Conversations in the console, in a real browser: messages, opt-out status, and a thread that never moves while
// someone reads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { correctAccount } from '../../src/ledger/credit-account.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import type { TestService } from '../harness.js'
import { assertAccessible } from './axe.js'
import { type Visit, visit } from './browser.js'
import { fitsAcross, nextDrawing, until, untilHolds } from './until.js'

const ANA = '+14155550101'
const BOX = `document.querySelector('[role=log]')`
const EMOJI = '🎉'.repeat(1_500)
const ARABIC = 'سلام عليكم، طاولتكم جاهزة'

async function begin({ service }: Visit) {
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const send = (body: string, to = ANA) =>
    service.post('/v1/message/send', { campaign: campaignId, to, body })
  const hear = (body: string, from = ANA) =>
    service.post('/sandbox/inbound', { from, to: number, body })
  return { campaignId, send, hear, place: `conversations/${campaignId}/${ANA.slice(1)}` }
}

test('STOP sent from a phone closes the composer of the conversation in another tab', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, context, enter, url } = visited
  const { place, send } = await begin(visited)
  await enter('conversations?view=all')
  await page.getByText('No conversations yet').waitFor()
  await assertAccessible(page)
  await send('Acme: your table is ready.')
  await page.getByRole('link', { name: /\(415\)\s555-0101/ }).click()
  await page.waitForURL(new RegExp(place)) // the URL has the open conversation
  const thread = page.getByRole('log')
  await thread.getByText('Acme: your table is ready.').waitFor()
  await thread.getByText('Delivered').waitFor()

  const composer = page.getByRole('textbox', { name: /^Message to/ })
  await composer.fill('See you at 8')
  await page.getByText('1 segment · GSM-7').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Send · $0.0079' }).click()
  await thread.getByText('See you at 8').waitFor()
  await untilHolds(composer, '')

  const phone = await context.newPage()
  await phone.goto(`${url}handset?phones=14155550101`)
  await phone
    .getByRole('region', { name: /^Phone/ })
    .getByText('See you at 8')
    .waitFor()
  await phone.getByRole('button', { name: 'STOP' }).click()
  await page.getByText('You can’t send messages here. This person opted out.').waitFor()
  await composer.waitFor({ state: 'detached' })
  await thread.getByText('Keyword STOP → opted out of this campaign').waitFor()
  await thread.getByText('Automatic reply to STOP · free').waitFor()
  const facts = page.getByRole('complementary', { name: 'Details' })
  await facts.getByText('Opted out').waitFor()
  await facts.getByText(/^STOP,/).waitFor()
  await assertAccessible(page)

  await page.getByRole('button', { name: 'Record consent…' }).click()
  const asked = page.getByRole('alertdialog')
  await asked.getByLabel('How they agreed').fill('At the counter')
  await asked.getByLabel('Type the last four digits, 0101').fill('0100')
  const record = asked.getByRole('button', { name: 'Record consent' })
  assert.equal(await record.getAttribute('aria-disabled'), 'true', 'wrong digits are not accepted')
  await assertAccessible(page)
  await asked.getByLabel('Type the last four digits, 0101').fill('0101')
  await record.click()
  await composer.waitFor()
  await thread.getByText('“At the counter”').waitFor()
  await facts.getByText('Yes', { exact: true }).waitFor()
  await facts.getByRole('link', { name: 'View as list', exact: true }).waitFor()
})

test('a thread keeps its position when messages arrive, and older messages load while scrolling up', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter } = visited
  const { place, hear } = await begin(visited)
  for (let i = 1; i <= 70; i += 1) await hear(`Line ${i} of what I have to say`)
  await enter(place)
  const thread = page.getByRole('log')
  await thread.getByText('Line 70 of').waitFor()
  const top = await page.evaluate(`${BOX}.scrollTop`)
  assert.ok((top as number) > 0, 'it starts at the end')
  assert.equal(await thread.getByText('Line 1 of').count(), 0, 'only the newest page is loaded')

  await page.evaluate(`${BOX}.scrollTop = 0`)
  await thread.getByText('Line 1 of').waitFor({ state: 'attached' })
  const first = thread.getByText('Line 21 of')
  await nextDrawing(page)
  await nextDrawing(page)
  const before = (await first.boundingBox())!.y
  await hear('Something new')
  await page.getByRole('button', { name: '1 new' }).waitFor()
  await hear('And one more')
  await page.getByRole('button', { name: '2 new' }).waitFor()
  assert.equal((await first.boundingBox())!.y, before, 'nothing moved')
  await assertAccessible(page)
  await page.getByRole('button', { name: '2 new' }).click()
  await thread.getByText('And one more').waitFor()
  await hear('At the end it follows')
  await thread.getByText('At the end it follows').waitFor()
  const rest = `${BOX}.scrollHeight - ${BOX}.scrollTop - ${BOX}.clientHeight`
  await until(page, `${rest} < 2`)
})

/** Deducts or credits dollars. */
async function move({ world, accountId }: TestService, dollars: number): Promise<void> {
  const amountMicros = BigInt(Math.round(dollars * 1e6))
  const correction = { amountMicros, note: 'for the test', reference: `test ${dollars}` }
  await world.db.transaction((tx) => correctAccount(tx, accountId, correction, world.clock.now()))
}

test('a message that cannot be sent stays with its reason, and no text breaks a row', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service, url } = visited
  const { place, hear, send, campaignId } = await begin(visited)
  await hear(EMOJI)
  await hear(ARABIC)
  await hear('<b>bold</b>')
  await send('x'.repeat(300), '+14155550110')
  await enter(place)
  const thread = page.getByRole('log')
  await thread.getByText(ARABIC).waitFor()
  await thread.getByText('<b>bold</b>').waitFor()
  await thread.getByText(EMOJI).waitFor()
  const composer = page.getByRole('textbox', { name: /^Message to/ })
  await composer.fill(`${EMOJI}🎉`)
  await page.getByText('1,501 characters (limit 1,500). Remove 1.').waitFor()

  await move(service, -(await service.balance()))
  await composer.fill('Too expensive')
  await page.getByRole('button', { name: /^Send/ }).click()
  await thread.getByText('Not sent: Insufficient account balance.').waitFor()
  await assertAccessible(page)
  await page.reload()
  await thread.getByText('Too expensive').waitFor()
  await thread.getByRole('button', { name: 'Edit' }).click()
  await untilHolds(composer, 'Too expensive')
  await page.getByRole('button', { name: /^Send/ }).click()
  await thread.getByText('Not sent: Insufficient').waitFor()
  await move(service, 5)
  await thread.getByRole('button', { name: 'Try again' }).click()
  await thread.getByText('Delivered').waitFor()
  await thread.getByText('Not sent:').waitFor({ state: 'detached' })

  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${url}conversations?view=all`)
  assert.equal(await page.getByRole('log').count(), 0, 'list and thread are two pages')
  await page.getByRole('link', { name: /555-0110/ }).click()
  await page.getByRole('heading', { name: /555-0110/, level: 1 }).waitFor()
  await thread.getByText('This number can’t receive texts').waitFor()
  await fitsAcross(page)
  await page.getByRole('button', { name: 'Details' }).click()
  await page.getByRole('dialog').getByText('Can receive messages').waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await thread.getByRole('link', { name: 'Why?' }).click()
  await page.getByRole('heading', { name: 'Message', exact: true }).waitFor()

  await page.goto(`${url}conversations?number=%2B14155550101&campaign=${campaignId}`)
  await page.getByRole('link', { name: /555-0101/ }).waitFor()
  assert.equal(await page.getByRole('link', { name: /555-0110/ }).count(), 0)
})
