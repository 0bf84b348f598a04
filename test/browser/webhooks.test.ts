// Webhooks in the console, in a real browser, with real receivers on loopback: a failing endpoint that is fixed, a
// webhook that was off, and receivers that run the code on the page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { createWebhook, webhookReceiver } from '../flows/webhook-receiver.js'
import { eventually, type TestService } from '../harness.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross } from './until.js'

/** A campaign with a number that people text. */
async function texts(service: TestService) {
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const text = async (body: string) => {
    const from = '+14155550107'
    const { status } = await service.post('/sandbox/inbound', { from, to: number, body })
    assert.equal(status, 200)
  }
  return { campaignId, text }
}

const badge = (page: Page, name: string | RegExp) => page.getByText(name, { exact: true }).first()

test('a failing endpoint shows request and response, and gets its event after a fix and a replay', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  await texts(service)
  const receiver = await webhookReceiver(t, (response) => {
    response.writeHead(503).end('upstream <b>unavailable</b>')
  })
  await enter('webhooks')
  await page.getByText('No webhooks yet').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Create webhook' }).click()
  await page.getByLabel('URL').fill('10.0.0.5/hook')
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByText('url must start with http:// or https://.').waitFor()
  await assertAccessible(page)
  await page.getByLabel('URL').fill(receiver.url)
  await page.getByLabel('Name').fill('orders')
  await page.getByLabel('recipient.optout').uncheck()
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByText('Webhook “orders” created').waitFor()
  const { webhooks } = (await service.get('/v1/webhook/list')).body
  assert.deepEqual(webhooks[0].eventTypes, ['message.incoming', 'message.status'])
  await page.getByRole('button', { name: 'Show secret' }).click()
  await page.getByText(webhooks[0].secret).waitFor()
  await assertAccessible(page)

  await page.getByRole('link', { name: 'Go to webhook' }).click()
  await page.getByText('No deliveries yet').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Send test event' }).first().click()
  const open = page.getByRole('complementary', { name: 'Delivery details' })
  await open.getByText(/^Retry in \d min$/).waitFor()
  await page.getByText(/^Failing since/).waitFor()
  await page.getByText(/^Every delivery has failed since/).waitFor()
  await page.getByText(/^Last response: 503/).waitFor()
  await page.locator('figcaption').getByText('2 attempts, 2 failed').waitFor()
  const [sent] = receiver.received
  await open.getByLabel('Attempt', { exact: true }).selectOption('1')
  const shown = await eventually(async () => {
    const texts = await open.locator('pre').allInnerTexts()
    return texts[1] === sent!.text && texts
  }, 'the bytes that were sent')
  const names = sent!.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
  assert.deepEqual(
    shown[0]!.split('\n').map((line) => line.split(': ')[0]),
    names,
    'in the order sent',
  )
  await assertAccessible(page)
  await open.getByRole('tab', { name: 'Response' }).click()
  await open.getByText('upstream <b>unavailable</b>').waitFor()
  await open.getByRole('tab', { name: 'Attempts' }).click()
  await open.getByText(/^Later attempts, if it fails:/).waitFor()
  await assertAccessible(page)

  receiver.behave((response) => response.end('thanks'))
  await open.getByRole('button', { name: 'Replay' }).click()
  await open
    .getByText(/^200 · \d+ ms$/)
    .first()
    .waitFor()
  await badge(page, 'Enabled').waitFor()
  const count = receiver.received.length
  await page.keyboard.press('r')
  await eventually(async () => receiver.received.length > count, 'replayed with the shortcut too')
  await open.getByRole('tab', { name: 'Verify' }).click()
  await open.getByText(/^Valid, signed/).waitFor()
  await assertAccessible(page)

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('heading', { name: 'Delivery' }).waitFor()
  await fitsAcross(page)
  await page.getByRole('link', { name: 'All deliveries' }).click()
  await page.getByRole('link', { name: /^200/ }).waitFor()
  await fitsAcross(page)
})

test('events held while a webhook was off are counted and recovered', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId, text } = await texts(service)
  const receiver = await webhookReceiver(t)
  const webhook = await createWebhook(service, campaignId, receiver.url, { name: 'orders' })
  await enter(`webhooks/${webhook.id}`)
  await page.getByRole('button', { name: 'Disable' }).click()
  await badge(page, 'Disabled').waitFor()
  for (const body of ['one', 'two', 'سلام']) await text(body)
  await page.getByText('3 deliveries were held or failed').waitFor()
  await page.getByRole('button', { name: 'Held 3' }).click()
  await page.waitForURL(/state=held/)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Enable without resending' }).click()
  await badge(page, 'Enabled').waitFor()
  assert.equal(receiver.received.length, 0, 'nothing is sent automatically')

  await page.getByRole('button', { name: 'Recover…' }).click()
  await page
    .getByText(
      '3 deliveries, oldest first. Events that have since been delivered are not included.',
    )
    .waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Resend 3' }).click()
  await page.getByText('3 deliveries resent. None left.').waitFor()
  await page.getByText('No results').waitFor()
  assert.deepEqual(
    receiver.received.map(({ event }) => event.data.message.body),
    ['one', 'two', 'سلام'],
    'oldest first',
  )
  await page.getByLabel('Event', { exact: true }).selectOption('message.incoming')
  await page.getByRole('button', { name: 'Delivered', exact: true }).click()
  await page.getByRole('link', { name: /^200/ }).first().waitFor()
  await assertAccessible(page)
})

test('a secret is rotated, and a webhook is edited and then deleted by typing its name', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service, url } = visited
  const { campaignId } = await texts(service)
  const webhook = await createWebhook(service, campaignId, 'http://127.0.0.1:9/hook')
  await enter(`webhooks/${webhook.id}`)
  const more = page.getByRole('button', { name: 'More actions' })
  await more.click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  await page.getByLabel('Name').fill('<i>orders</i>')
  await page.getByLabel('number.changed').check()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('heading', { name: '<i>orders</i>' }).waitFor()
  await page.getByText('recipient.optout, number.changed').waitFor()

  await page.getByRole('button', { name: 'Rotate…' }).click()
  await page.getByText(/^A new secret is created. For 24 hours, until/).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByText(/^Deliveries are also signed with the previous secret until/).waitFor()
  const { secret } = (await service.get(`/v1/webhook/${webhook.id}`)).body.webhook
  assert.notEqual(secret, webhook.secret)
  await page.getByRole('button', { name: 'Show secret' }).click()
  await page.getByText(secret).waitFor()

  await more.click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  const verb = page.getByRole('button', { name: 'Delete webhook' })
  await page.getByRole('textbox', { name: /^Type/ }).fill('orders')
  await page.keyboard.press('Enter')
  assert.equal(
    (await service.get(`/v1/webhook/${webhook.id}`)).status,
    200,
    'not by part of the name',
  )
  await assertAccessible(page)
  await page.getByRole('textbox', { name: /^Type/ }).fill('<i>orders</i>')
  await verb.click()
  await page.getByText('No webhooks yet').waitFor()
  assert.equal((await service.get(`/v1/webhook/${webhook.id}`)).status, 404)
  await page.goto(`${url}webhooks/${webhook.id}`)
  await page.getByText('Webhook not found.').waitFor()
})

test('an automatically disabled webhook shows why and offers the missed events', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId, text } = await texts(service)
  const receiver = await webhookReceiver(t, (response) => response.writeHead(503).end())
  const webhook = await createWebhook(service, campaignId, receiver.url, { name: 'orders' })
  await text('the first')
  await eventually(async () => receiver.received.length > 0, 'a first failure')
  await enter('overview')
  await page.getByText(/^Webhook “orders” has been failing since/).waitFor()
  await service.post('/sandbox/clock/advance', { seconds: 5 * 86_400 + 60 })
  const isOff = async () => !(await service.get(`/v1/webhook/${webhook.id}`)).body.webhook.enabled
  await eventually(isOff, 'turned off')
  await text('the second')
  await page.reload()
  await page
    .getByText('Webhook “orders” is disabled. Every delivery has failed for 5 days.')
    .waitFor()
  await page.getByRole('link', { name: 'View webhook' }).click()
  await page.getByText('Disabled after 5 days of failures').waitFor()
  await page.getByText(/^Last response: 503/).waitFor()
  await page.getByText('2 deliveries were held or failed').waitFor()
  await badge(page, 'Disabled').waitFor()
  await assertAccessible(page)
  receiver.behave((response) => response.end())
  const before = receiver.received.length
  await page.getByRole('button', { name: 'Enable and send missed events' }).click()
  await page.getByText('2 deliveries resent. None left.').waitFor()
  await badge(page, 'Enabled').waitFor()
  assert.deepEqual(
    receiver.received.slice(before).map(({ event }) => event.data.message.body),
    ['the first', 'the second'],
  )
})

test('in production a private address is refused with the API’s error and a hint for local development', async (t) => {
  const visited = await visit(t, {
    env: {
      LONGCODE_MODE: 'production',
      DATABASE_URL: 'postgres://database.invalid/longcode', // each test has its own
      LONGCODE_PUBLIC_URL: 'http://127.0.0.1',
    },
  })
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await enter(`webhooks/new?campaign=${campaignId}`)
  await page.getByLabel('URL').fill('http://10.0.0.5/hook')
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByText('url must point to a public address.').waitFor()
  await page.getByText('In production, webhooks go only to public addresses').waitFor()
  await page.getByText('npx longcode listen --forward').first().waitFor()
  await assertAccessible(page)
  await page.getByText('Draft saved in this browser').waitFor()
  await page.reload()
  await page.getByText('Draft saved in this browser').waitFor()
  assert.equal(await page.getByLabel('URL').inputValue(), 'http://10.0.0.5/hook')
})
