// The inbox for a team, in real browsers: from an invitation to the first reply, two agents on one thread, and what
// people who only read see.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PASSWORD } from '../people-fixtures.js'
import { assertAccessible } from './axe.js'
import { ANA, BEN, visitInbox } from './inbox-visit.js'
import { fitsAcross } from './until.js'

test('an invited agent joins, sees who is waiting, replies, and nobody is waiting', async (t) => {
  const visited = await visitInbox(t)
  if (!visited) return
  const { page, url, personAt, send, hear, name } = visited
  await send('Acme: your order has shipped.')
  await send('Acme: your order has shipped.', BEN)
  await hear('When does it arrive?')
  await name(ANA, 'Ana Rivera')
  const owner = await personAt('owner', 'settings/people')
  await owner.getByRole('button', { name: 'Invite a person' }).click()
  const form = owner.getByRole('dialog', { name: 'Invite a person' })
  await form.getByLabel('Email').fill('ben@example.com')
  await form.getByLabel('Agent').check()
  await form.getByRole('button', { name: 'Invite', exact: true }).click()
  const link = (await owner.getByText(/#k=lci_/).textContent())!

  await page.goto(`${url}join#k=${link.split('#k=')[1]}`)
  await page.getByLabel('Your name').fill('Ben Okafor')
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('link', { name: 'Conversations' }).first().click()
  const views = page.getByRole('navigation', { name: 'Views' })
  await views.getByRole('link', { name: 'Waiting 1' }).waitFor()
  await views.getByRole('link', { name: 'Unread 1' }).waitFor()
  const list = page.getByRole('list', { name: 'Conversations' })
  await assertAccessible(page)
  assert.equal(await list.getByRole('link').count(), 1, 'those without a reply are not here')
  await list.getByRole('link', { name: /Ana Rivera/ }).click()
  await page.getByRole('heading', { name: 'Ana Rivera', level: 2 }).waitFor()
  await views.getByRole('link', { name: 'Unread', exact: true }).waitFor() // opening it read it
  await page.getByRole('textbox', { name: /^Message to/ }).fill('It arrives on Friday.')
  await page.getByRole('button', { name: 'Send · $0.0079' }).click()
  await page.getByRole('log').getByText('It arrives on Friday.').waitFor()
  await views.getByRole('link', { name: 'Waiting', exact: true }).waitFor()
  await list.getByText('It arrives on Friday.').waitFor() // the open one stays in its place

  await owner.goto(`${url}conversations`)
  await owner.getByText('Nobody is waiting').waitFor()
  await assertAccessible(owner)
  await owner.getByRole('link', { name: 'Show all conversations' }).click()
  await owner.getByRole('link', { name: /Ana Rivera/ }).waitFor()
  await owner.getByRole('link', { name: /555-0102/ }).waitFor()
  assert.match(owner.url(), /view=all/)
})

test('two agents on one thread see at once what the other does', async (t) => {
  const visited = await visitInbox(t)
  if (!visited) return
  const { personAt, hear, placeOf } = visited
  await hear('Is anyone there?')
  const one = await personAt('agent', placeOf(ANA))
  const two = await personAt('admin', placeOf(ANA))
  const assignee = two.getByRole('combobox', { name: 'Assigned to' })
  await assignee.waitFor()
  await one.getByRole('combobox', { name: 'Assigned to' }).selectOption('The agent (me)')
  const row = two.getByRole('list', { name: 'Conversations' }).getByRole('link')
  await row.getByText('The agent').waitFor()
  await two
    .getByRole('option', { name: 'The agent', selected: true })
    .waitFor({ state: 'attached' })
  await one.getByRole('link', { name: 'Assigned to me 1' }).waitFor()

  await one.getByRole('button', { name: 'Note', exact: true }).click()
  await one.getByRole('textbox', { name: 'Note' }).fill('I take this one.')
  await one.getByRole('button', { name: 'Add note' }).click()
  const log = two.getByRole('log')
  await log.getByText('Note by The agent').waitFor()
  await log.getByText('I take this one.').waitFor()
  await one.getByRole('button', { name: 'Reply', exact: true }).click()
  await one.getByRole('textbox', { name: /^Message to/ }).fill('Yes, hello.')
  await one.getByRole('button', { name: /^Send/ }).click()
  await log.getByText('Yes, hello.').waitFor()
  await two.getByRole('link', { name: 'Waiting', exact: true }).waitFor()
  await assertAccessible(two)
  await one.getByRole('button', { name: 'Close', exact: true }).click()
  await two.getByRole('button', { name: 'Reopen' }).waitFor()
  await row.getByText('Closed').waitFor()
  await two.getByRole('link', { name: 'Closed', exact: true }).click()
  await two.getByRole('list', { name: 'Conversations' }).getByRole('link').waitFor()

  await hear('Thanks. One more question.') // opens it again
  await two.getByText('No closed conversations').waitFor()
  await one.getByRole('button', { name: 'Close', exact: true }).waitFor()
  await one.getByRole('combobox', { name: 'Assigned to' }).selectOption('Unassigned')
  await one.getByRole('link', { name: 'Assigned to me', exact: true }).waitFor()
  await one.getByRole('log').getByRole('button', { name: 'Delete note' }).click()
  await one.getByRole('button', { name: 'Delete note' }).last().click()
  await one.getByText('I take this one.').waitFor({ state: 'detached' })
})

test('people who only read see everything and no buttons that would be refused', async (t) => {
  const visited = await visitInbox(t)
  if (!visited) return
  const { personAt, hear, name, placeOf, service, campaignId } = visited
  await hear('Hello?')
  await name(ANA, 'Ana Rivera', { orderNumber: '1042' })
  const path = `/v1/campaign/${campaignId}/conversations/${ANA.slice(1)}`
  await service.post(`${path}/notes`, { body: 'Wants a refund.', author: 'Cora' })
  await service.call('PATCH', path, { assignee: 'Robot 7' })
  const page = await personAt('read-only', placeOf(ANA))
  await page.getByRole('log').getByText('Wants a refund.').waitFor()
  const section = page.getByRole('region', { name: 'Conversation' })
  await section.getByText('Robot 7').waitFor()
  await page.getByText('You can’t send messages here. Your role allows reading only.').waitFor()
  await page.getByRole('complementary', { name: 'Details' }).getByText('1042').waitFor()
  await assertAccessible(page)
  for (const button of ['Close', 'Reply', 'Note', 'Delete note', 'Edit contact', 'More actions']) {
    assert.equal(await page.getByRole('button', { name: button, exact: true }).count(), 0, button)
  }
  assert.equal(await section.getByRole('combobox').count(), 0)
  await page.getByRole('link', { name: 'Unread 1' }).waitFor() // looking does not mark it as read
  await page.keyboard.press('e')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('heading', { name: 'Ana Rivera', level: 1 }).waitFor()
  await fitsAcross(page)
  const { body } = await service.get(path)
  assert.equal(body.conversation.status, 'OPEN')
})
