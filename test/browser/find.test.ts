// Finding things in the console, in a real browser: filters, views, exports, paging while scrolling, and ⌘K.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { plantMessages } from '../message-rows.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { operatorVisit } from './operator-visit.js'
import { fitsAcross, until } from './until.js'

const ROWS = 100_000

test('a view of 100,000 messages is exported with progress, and the list loads while scrolling', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service } = visited
  const { campaignId } = await activeCampaign(service)
  await plantMessages(service, { campaignId, count: ROWS, body: 'Sale' })
  await plantMessages(service, { campaignId, count: 1, body: '=Other', createdAt: new Date(0) })
  await enter('messages?text=sale')
  await page.getByText(`Sale ${ROWS}`).first().waitFor()
  const height = 'document.documentElement.scrollHeight' // of a long list, only what is near is rendered
  const before = await page.evaluate(height)
  await page.keyboard.press('End')
  await until(page, `${height} > ${before}`)
  await page.keyboard.press('Home')

  await page.getByRole('button', { name: 'Export CSV' }).click()
  await page.getByText(/^[\d,]+ messages so far/).waitFor()
  await assertAccessible(page)
  await page.getByText('100,000 messages', { exact: true }).waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const lines = readFileSync(await (await saved).path(), 'utf8').split('\r\n')
  const bodies = new Set(lines.slice(1, -1).map((line) => line.split(',')[13]))
  assert.equal(lines.length, ROWS + 2)
  assert.equal(bodies.size, ROWS, 'each once')
  assert.ok(bodies.has('Sale 1') && !bodies.has("'=Other 1"))
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Exports (1)').waitFor({ state: 'detached' })
})

test('filters apply together, and a saved view is in the menu and in the URL', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service, url } = visited
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const send = (body: string, metadata: object) =>
    service.post('/v1/message/send', { campaign: campaignId, to: '+14155550101', body, metadata })
  await send('Spring sale', { batch: 'spring', order: '1' })
  await send('Spring shoes', { batch: 'spring', order: '2' })
  await send('Fall sale', { batch: 'fall', order: '3' })
  await enter('messages')
  await page.getByRole('cell', { name: 'Fall sale' }).waitFor()
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByLabel('Text contains').fill('SALE')
  await page.getByLabel('Batch').fill('spring')
  await page.getByLabel('Price to ($)').fill('0.5')
  await page.getByRole('button', { name: 'Apply filters' }).click()
  await page.getByRole('cell', { name: 'Fall sale' }).waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: 'Spring sale' }).waitFor()
  assert.equal(await page.getByRole('cell', { name: 'Spring shoes' }).count(), 0)
  await page.getByRole('link', { name: 'Remove filter: Batch: spring' }).waitFor()
  await assertAccessible(page)

  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save this view…' }).click()
  await page.getByLabel('Name').fill('Spring sales')
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.waitForURL(/viewName=Spring/)
  await page.getByRole('button', { name: 'View: Spring sales' }).waitFor()

  await page.goto(`${url}messages`)
  await page.getByRole('cell', { name: 'Fall sale' }).waitFor()
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Spring sales' }).click()
  await page.getByRole('cell', { name: 'Fall sale' }).waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: 'Spring sale' }).waitFor()
  await page.getByRole('button', { name: 'View: Spring sales' }).click()
  await page.getByRole('menuitem', { name: 'Delete “Spring sales”' }).click()
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Scheduled' }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: 'Spring sales' }).count(), 0)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
})

test('⌘K finds webhooks, numbers, contacts, error codes, and texts of messages', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, enter, service, url } = visited
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  await service.call('PUT', '/v1/contact/14155550101', { name: 'Zoë Quill' })
  const webhook = {
    name: 'Orders hook',
    url: 'http://127.0.0.1:1/hook',
    eventTypes: ['message.status'],
  }
  const { body } = await service.post(`/v1/campaign/${campaignId}/webhooks`, webhook)
  await enter('overview')
  const pick = async (text: string, option: string | RegExp, destination: RegExp) => {
    await page.goto(`${url}overview`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByLabel('Search or jump to', { exact: true }).fill(text)
    await page.getByRole('option', { name: option }).click()
    await page.waitForURL(destination)
  }
  await pick('orders', /^Orders hook/, new RegExp(`/webhooks/${body.webhook.id}`))
  await pick(number.slice(2, 5), /Number$/, new RegExp(`/numbers/${number.slice(1)}`))
  await pick('zoë', /^Zoë Quill/, /messages\?number=%2B14155550101/)
  await pick('1350', /^Messages with error 1350/, /messages\?errorCode=1350/)
  await pick('table is ready', 'Messages that contain “table is ready”', /messages\?text=/)
  await page.getByText('Text: “table is ready”').first().waitFor()
})

test('⌘K leads operators to accounts and to the look-up of a message or number', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, openOperatorPage, operate, service } = visited
  const named = await operate('POST', '/account/create', { name: 'Quillon Coffee' })
  assert.equal(named.status, 200)
  await openOperatorPage('reviews')
  const open = async (text: string) => {
    await page.keyboard.press('Control+k')
    await page.getByLabel('Search or jump to', { exact: true }).fill(text)
  }
  await open('Quillon')
  await page.getByRole('option', { name: /^Quillon Coffee/ }).click()
  await page.waitForURL(/operator\/accounts\/acc_/)
  await open('(415) 555-0101')
  await assertAccessible(page)
  await page.getByRole('option', { name: /^Look up messages with/ }).click()
  await page.waitForURL(/operator\/messages\?what=/)
  assert.equal(await page.getByLabel('Message ID or phone number').inputValue(), '+14155550101')
  const { body } = await service.get('/v1/account/activity')
  assert.ok(!JSON.stringify(body).includes('+14155550101'), 'nothing is looked up yet')
})
