// The inbox of one person, in a real browser: notes, contacts, saved replies, pictures, the keyboard, and a list that
// stays while someone reads it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { assertAccessible } from './axe.js'
import { ANA, BEN, CORA, visitInbox } from './inbox-visit.js'
import { fitsAcross, until, untilHolds } from './until.js'

test('a saved reply is filled in with the contact and sent with a picture', async (t) => {
  const visited = await visitInbox(t)
  if (!visited) return
  const { page, enter, hear, placeOf, service, campaignId } = visited
  await hear('Where is my order?')
  await enter(placeOf(ANA))
  const facts = page.getByRole('complementary', { name: 'Details' })
  await facts.getByRole('button', { name: 'Add contact' }).click()
  const form = page.getByRole('dialog', { name: /^Contact/ })
  await form.getByLabel('Name', { exact: true }).fill('Ana Rivera')
  await form.getByRole('button', { name: 'Add field' }).click()
  await form.getByLabel('Field 1 name').fill('order number')
  await form.getByText('A field name has letters, digits, and underscores').waitFor()
  await form.getByLabel('Field 1 name').fill('orderNumber')
  await form.getByLabel('Field 1 value').fill('1042')
  await assertAccessible(page)
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Ana Rivera', level: 2 }).waitFor()
  await page.getByRole('list', { name: 'Conversations' }).getByText('Ana Rivera').waitFor()

  await page.getByRole('button', { name: 'Saved replies' }).click()
  await page.getByText('No saved replies yet').waitFor()
  await page.getByRole('button', { name: 'New saved reply' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Order shipped')
  const text = 'Hi {{name}}, {{orderNumber}} arrives in {{days}} days.'
  await page.getByLabel('Text', { exact: true }).fill(text)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const choices = page.getByRole('dialog', { name: 'Saved replies' })
  await choices.getByText('Hi Ana Rivera, 1042 arrives in {{days}} days.').waitFor()
  await assertAccessible(page)
  await choices.getByRole('button', { name: /^Order shipped/ }).click()
  const composer = page.getByRole('textbox', { name: /^Message to/ })
  await untilHolds(composer, 'Hi Ana Rivera, 1042 arrives in {{days}} days.')
  await page.getByText('Fill in {{days}} before you send.').waitFor()
  const sending = page.getByRole('button', { name: /^Send ·/ })
  assert.equal(await sending.getAttribute('aria-disabled'), 'true')
  await composer.fill('Hi Ana Rivera, 1042 arrives in 2 days.')

  const picture = { width: 30, height: 20, channels: 3 as const, background: '#508c5a' }
  const buffer = await sharp({ create: picture }).png().toBuffer()
  const field = page.locator('[data-composer] input[type=file]')
  const junk = Buffer.from([0, 1, 2, 3])
  await field.setInputFiles({ name: 'a.bin', mimeType: 'image/png', buffer: junk })
  await page.getByRole('alert').waitFor()
  await field.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
  await page.getByRole('img', { name: 'Attachment 1' }).waitFor()
  await page.getByText('MMS · $0.02').waitFor()
  await assertAccessible(page)
  await sending.click()
  const thread = page.getByRole('log')
  await thread.getByText('Hi Ana Rivera, 1042 arrives in 2 days.').waitFor()
  await until(page, `document.querySelector('[role=log] img')?.naturalWidth === 30`)
  const { body } = await service.get(`/v1/message/list?campaign=${campaignId}&limit=1`)
  assert.equal(body.messages[0].type, 'MMS')

  await page.getByRole('button', { name: 'Saved replies' }).click()
  await choices.getByRole('button', { name: 'Actions for Order shipped' }).click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Shipped')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await choices.getByRole('button', { name: 'Actions for Shipped' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete saved reply' }).click()
  await page.getByText('No saved replies yet').waitFor()
})

test('a note stays internal, and contacts are found by name', async (t) => {
  const visited = await visitInbox(t)
  if (!visited) return
  const { page, enter, hear, send, name, placeOf } = visited
  await send('Acme: hello.', BEN)
  await hear('Please call me')
  await name(BEN, 'Ben Okafor')
  await enter(placeOf(ANA))
  await page.getByRole('log').getByText('Please call me').waitFor()
  await page.keyboard.press('n')
  const note = page.getByRole('textbox', { name: 'Note' })
  await note.fill('Called. No answer.')
  await assertAccessible(page)
  await note.press('Control+Enter')
  await page.getByRole('log').getByText('Called. No answer.').waitFor()
  await untilHolds(note, '')
  await page.getByText('0 sent · 1 received').waitFor()

  await page.getByRole('searchbox', { name: 'Name or phone number' }).fill('ben')
  await page.keyboard.press('Enter')
  await page.getByRole('list', { name: 'Contacts' }).getByRole('link').click()
  await page.getByRole('list', { name: 'Conversations' }).getByText('Ben Okafor').waitFor()
  assert.match(page.url(), /number=%2B14155550102/)
  await assertAccessible(page)
  await page.getByRole('searchbox', { name: 'Name or phone number' }).fill('415 555 0101')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: /555-0101/ }).waitFor()
})

test('the inbox works without a mouse', async (t) => {
  const visited = await visitInbox(t)
  if (!visited) return
  const { personAt, hear, name } = visited
  await hear('First', CORA)
  await hear('Second', BEN)
  await hear('Third', ANA)
  await name(ANA, 'Ana')
  await name(BEN, 'Ben')
  await name(CORA, 'Cora')
  const page = await personAt('agent', 'conversations')
  const focused = (text: string) =>
    until(page, `document.activeElement.textContent.includes('${text}')`)
  await page.getByRole('link', { name: /Ana/ }).waitFor()
  await page.keyboard.press('j')
  await focused('Third')
  await page.keyboard.press('ArrowDown')
  await focused('Second')
  await page.keyboard.press('j')
  await focused('First')
  await page.keyboard.press('k')
  await focused('Second')
  await page.keyboard.press('e') // closes Ben without opening it
  await page.getByRole('link', { name: 'Waiting 2' }).waitFor()
  await focused('First')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Cora', level: 2 }).waitFor()
  await page.keyboard.press('a')
  await page.getByRole('link', { name: 'Assigned to me 1' }).waitFor()
  await page.keyboard.press('r')
  await page.keyboard.type('re')
  await untilHolds(page.getByRole('textbox', { name: /^Message to/ }), 're')
  await page.keyboard.press('Escape') // leaves the field, so letters are shortcuts again
  await page.keyboard.press('e')
  await page.getByRole('button', { name: 'Reopen' }).waitFor()
  await page.keyboard.press('e')
  await page.getByRole('button', { name: 'Close', exact: true }).waitFor()
  await page.keyboard.press('/')
  await until(page, `document.activeElement.type === 'search'`)
  await page.keyboard.press('Tab')
  await page.keyboard.press('?')
  await page.getByText('Close or reopen a conversation').waitFor()
  await page.getByText('Write a note in a conversation').waitFor()
  await assertAccessible(page)
})

test('a large send does not fill the inbox, and rows stay while someone reads further down', async (t) => {
  const visited = await visitInbox(t)
  if (!visited) return
  const { page, enter, hear, send, url } = visited
  for (let i = 10; i < 40; i += 1) await hear(`Question ${i}`, `+141555501${i}`)
  await send('Acme: sale.', '+14155550177')
  await enter('conversations')
  await page.getByRole('link', { name: 'Waiting 30' }).waitFor()
  const list = page.getByRole('list', { name: 'Conversations' })
  assert.equal(await list.getByText('555-0177').count(), 0)
  const row = list.getByRole('link', { name: /555-0110/ })
  await row.scrollIntoViewIfNeeded()
  await page.mouse.move(5, 5)
  const before = (await row.boundingBox())!.y
  await hear('Me too', CORA)
  await page.getByRole('button', { name: '1 new' }).waitFor()
  assert.equal((await row.boundingBox())!.y, before, 'nothing moved')
  await assertAccessible(page)
  await page.getByRole('button', { name: '1 new' }).click()
  await list.getByText('Me too').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  await page.goto(`${url}conversations?view=all`)
  await list.getByText('555-0177').waitFor()
  await assertAccessible(page)
})
