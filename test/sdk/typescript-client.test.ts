// The client of sdk/typescript with a real service, from a brand to a verified webhook, and its types: what must not
// compile is marked and checked by `npm run check`.

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import {
  type Campaign,
  type CreateBrandBody,
  type CreateCampaignBody,
  Longcode,
  LongcodeError,
  type Message,
  type MessageStatusEvent,
  type StreamEvent,
  type WebhookEvent,
  WebhookVerifier,
} from '../../sdk/typescript/src/index.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { webhookReceiver } from '../flows/webhook-receiver.js'
import { eventually, type TestOptions, testService } from '../harness.js'
import { readmeBody } from '../readme-bodies.js'

const NUMBER = '+14152004000'
const PHONE = '+14155550123'

async function stage(t: TestContext, options?: TestOptions) {
  const service = await testService(t, options)
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = service.app.server.address() as AddressInfo
  const longcode = new Longcode({ token: service.token, baseUrl: `http://127.0.0.1:${port}` })
  return { service, longcode }
}

/** With the bodies of README. */
async function firstCampaign(longcode: Longcode): Promise<Campaign> {
  const brandBody = readmeBody('/v1/brand/create') as unknown as CreateBrandBody
  const { brand } = await longcode.brands.create(brandBody)
  const body = readmeBody('/v1/campaign/create', { BRAND: brand.id })
  const campaignBody = body as unknown as CreateCampaignBody
  assert.deepEqual((await longcode.campaigns.check(campaignBody)).warnings, [])
  const { campaign } = await longcode.campaigns.create(campaignBody)
  return eventually(async () => {
    const found = (await longcode.campaigns.get(campaign.id)).campaign
    return found.status === 'ACTIVE' && found
  }, 'the approval')
}

test('the client does what a customer needs, from a brand to a verified event', async (t) => {
  const { service, longcode } = await stage(t, { roles: ['schedule', 'dispatch', 'deliver'] })
  const campaign = await firstCampaign(longcode)
  await addInventory(service, [NUMBER])
  const { numbers } = await longcode.numbers.search({ areaCode: '415', limit: 1 })
  assert.equal(numbers[0]!.number, NUMBER)
  await longcode.numbers.buy({ number: NUMBER, campaign: campaign.id })
  assert.equal((await longcode.numbers.get(NUMBER)).number.campaignId, campaign.id)

  const hook = await webhookReceiver(t)
  const { webhook } = await longcode.webhooks.create(campaign.id, {
    url: hook.url,
    eventTypes: ['message.incoming', 'message.status', 'recipient.optout'],
  })
  const sent = await longcode.messages.send(
    { campaign: campaign.id, to: PHONE, body: 'Your table is ready.', metadata: { order: '1042' } },
    { idempotencyKey: 'order-1042' },
  )
  await eventually(
    async () => (await longcode.messages.get(sent.id)).message.status === 'DELIVERED',
    'the delivery',
  )
  assert.ok((await longcode.messages.timeline(sent.id)).timeline.length > 1)
  const inbound = await longcode.sandbox.inbound({ from: PHONE, to: NUMBER, body: 'STOP' })
  assert.match(inbound.id!, /^msg_/)
  assert.equal((await longcode.sandbox.handset(PHONE)).number, PHONE)

  const kinds = await eventually(async () => {
    const seen = new Set(hook.received.map(({ event }) => event.eventType))
    return seen.size === 3 && seen
  }, 'an event of each type')
  assert.ok(kinds.has('recipient.optout'))
  const verifier = new WebhookVerifier(webhook.secret!)
  for (const { text, headers } of hook.received) {
    const event = await verifier.verify(text, headers)
    if (event.eventType === 'message.status' && event.data.message.id === sent.id) {
      assert.equal(event.data.message.metadata.order, '1042')
    }
  }
  const [delivery] = await longcode.webhooks.listDeliveries(webhook.id, { limit: 1 }).toArray()
  assert.equal(delivery!.id.slice(0, 4), 'dlv_')

  const refused = await longcode.messages
    .send({ campaign: campaign.id, to: PHONE, body: 'Again' })
    .catch((error: unknown) => error)
  assert.ok(refused instanceof LongcodeError)
  assert.deepEqual([refused.code, refused.status], ['recipient_opted_out', 422])
  assert.match(refused.help!, /\/docs\/errors#recipient_opted_out$/)
  assert.match(refused.requestId!, /^req_/)
  const optouts = await longcode.optouts.list(campaign.id).toArray()
  assert.deepEqual(
    optouts.map(({ recipient }) => recipient),
    [PHONE],
  )
  await longcode.optouts.remove(campaign.id, PHONE, { reason: 'Asked in the shop' })
  assert.equal((await longcode.optouts.changes(campaign.id, PHONE)).changes.length, 2)
})

test('lists read all pages, unknown names are refused, and files are uploaded', async (t) => {
  const { service, longcode } = await stage(t, { roles: ['schedule'] })
  const campaign = await firstCampaign(longcode)
  await addInventory(service, [NUMBER])
  await longcode.numbers.buy({ number: NUMBER, campaign: campaign.id })
  const messages = ['1', '2', '3', '4', '5'].map((body) => ({
    campaign: campaign.id,
    to: PHONE,
    body,
  }))
  const { results } = await longcode.messages.sendBatch({ messages })
  assert.equal(results.filter(({ success }) => success).length, 5)
  const bodies: string[] = []
  for await (const { body } of longcode.messages.list({ campaign: campaign.id, limit: 2 })) {
    bodies.push(body)
  }
  assert.deepEqual(bodies.sort(), ['1', '2', '3', '4', '5'])
  const page = await longcode.messages.list({ campaign: campaign.id, limit: 2 }).page()
  assert.deepEqual([page.messages.length, page.hasMore], [2, true])
  const found = longcode.messages.search({ number: PHONE, limit: 2 })
  assert.equal((await found.toArray()).length, 5)
  assert.equal((await longcode.conversations.list().toArray()).length, 1)
  assert.equal((await longcode.numbers.list({ limit: 1 }).toArray()).length, 1)
  assert.equal((await longcode.numbers.listForCampaign(campaign.id).toArray()).length, 1)
  assert.ok((await longcode.account.ledger({ limit: 3 }).toArray()).length >= 7)
  assert.equal((await longcode.account.get()).account.balance < 100, true)

  const wrong = { campaign: campaign.id, to: PHONE, body: 'x', sendAt: '2026-12-01T00:00:00Z' }
  await assert.rejects(longcode.messages.send(wrong), { code: 'field_unknown' })
  const { warnings } = await longcode.messages.send(wrong, { strict: false })
  assert.match(warnings![0]!, /scheduledAt/)

  const { media } = await longcode.media.upload(new TextEncoder().encode('a,b\n1,2\n'), {
    contentType: 'text/csv',
  })
  assert.equal(media.type, 'text/csv')
  const { now } = await longcode.sandbox.clock.get()
  const later = await longcode.sandbox.clock.advance(3_600)
  assert.ok(Date.parse(later.now) - Date.parse(now) >= 3_600_000)
  const { brands } = await longcode.request('GET /v1/brand/list', { query: { limit: 1 } })
  assert.equal(brands.length, 1)
})

/** Compiled, and called with a sample only to be used. */
function statusOf(event: WebhookEvent): Message['status'] | null {
  if (event.eventType === 'message.status') {
    const narrowed: MessageStatusEvent = event
    return narrowed.data.message.status
  }
  if (event.eventType === 'recipient.optout') {
    // @ts-expect-error an opt-out has no message
    assert.equal(event.data.message, undefined)
    return null
  }
  // @ts-expect-error there is no such type of event
  if (event.eventType === 'message.lost') throw new Error('unreachable')
  return null
}

test('types follow the API: wrong fields, values, and records do not compile', async () => {
  const longcode = new Longcode({
    token: 'lc_test',
    baseUrl: 'http://sms.test',
    retries: 0,
    fetch: async () => Response.json({ success: true, id: 'msg_1' }),
  })
  const { id }: { id: string } = await longcode.messages.send({ to: PHONE, body: 'x' })
  assert.equal(id, 'msg_1')
  // @ts-expect-error a send needs a recipient
  await longcode.messages.send({ body: 'x' })
  // @ts-expect-error there is no field sendAt
  await longcode.messages.send({ to: PHONE, body: 'x', sendAt: '' })
  // @ts-expect-error a list of messages names a campaign
  longcode.messages.list({})
  // @ts-expect-error a status has one of the known values
  longcode.messages.search({ status: 'LOST' })
  // @ts-expect-error operators have their own API
  assert.equal(longcode.operator, undefined)
  // @ts-expect-error a route has its own body
  await longcode.request('POST /v1/message/send', { body: { seconds: 1 } })
  const event = { eventType: 'recipient.optout', data: {} } as unknown as WebhookEvent
  assert.equal(statusOf(event), null)
})

test('the stream yields typed events and continues after the last one', async (t) => {
  const { service, longcode } = await stage(t)
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const stream = longcode.events.stream()
  assert.equal((await stream.next()).value?.eventType, 'balance.changed')
  await longcode.sandbox.inbound({ from: PHONE, to: number, body: 'Are you open?' })
  let lastEventId = ''
  for await (const event of stream) {
    if (event.eventType !== 'message.incoming') continue
    assert.equal(event.data.message.body, 'Are you open?')
    lastEventId = event.id
    break
  }
  await longcode.sandbox.inbound({ from: PHONE, to: number, body: 'Hello?' })
  const types: StreamEvent['eventType'][] = []
  for await (const event of longcode.events.stream({ lastEventId })) {
    types.push(event.eventType)
    if (event.eventType === 'message.incoming') assert.equal(event.data.message.body, 'Hello?')
    if (event.eventType !== 'resumed') continue
    assert.ok(event.isComplete)
    break
  }
  assert.ok(types.includes('message.incoming'))
  const { port } = service.app.server.address() as AddressInfo
  const stranger = new Longcode({ token: 'lc_x', baseUrl: `http://127.0.0.1:${port}` })
  await assert.rejects(stranger.events.stream().next(), { code: 'token_unknown', status: 401 })
})

test('the credential for apps written for Twilio is created, shown, and deleted', async (t) => {
  const { longcode } = await stage(t)
  assert.equal((await longcode.account.getTwilioCredential()).twilio, null)
  const { twilio } = await longcode.account.createTwilioCredential()
  assert.deepEqual((await longcode.account.getTwilioCredential()).twilio, twilio)
  await longcode.account.deleteTwilioCredential()
  assert.equal((await longcode.account.getTwilioCredential()).twilio, null)
})

test('a team answers: the inbox, notes, contacts, and saved replies', async (t) => {
  const { service, longcode } = await stage(t)
  const { campaignId } = await activeCampaign(service)
  const to = await buyNumber(service, campaignId)
  await longcode.sandbox.inbound({ from: PHONE, to, body: 'Where is my order?' })
  await longcode.contacts.put(PHONE, { name: 'Ana', fields: { order: '7' } })
  const [waiting] = await longcode.conversations.inbox({ view: 'waiting' }).toArray()
  assert.deepEqual([waiting?.recipient, waiting?.contact?.name], [PHONE, 'Ana'])
  assert.equal((await longcode.conversations.counts()).counts.waiting, 1)
  const { note } = await longcode.conversations.addNote(campaignId, PHONE, { body: 'Called' })
  const notes = () => longcode.conversations.notes(campaignId, PHONE).toArray()
  assert.deepEqual(await notes(), [note])
  await longcode.conversations.deleteNote(campaignId, PHONE, note.id)
  assert.deepEqual(await notes(), [])
  await longcode.conversations.update(campaignId, PHONE, { status: 'CLOSED', assignee: 'ana' })
  const { conversation } = await longcode.conversations.get(campaignId, PHONE)
  assert.deepEqual([conversation.status, conversation.assignee], ['CLOSED', 'ana'])

  const found = await longcode.contacts.list({ numbers: PHONE }).toArray()
  assert.deepEqual(found, [(await longcode.contacts.get(PHONE)).contact])
  await longcode.contacts.delete(PHONE)
  assert.deepEqual(await longcode.contacts.list().toArray(), [])
  const { savedReply } = await longcode.savedReplies.create({ name: 'Hi', body: 'Hi {{name}}' })
  await longcode.savedReplies.update(savedReply.id, { name: 'Hello' })
  assert.equal((await longcode.savedReplies.list()).savedReplies[0]?.name, 'Hello')
  await longcode.savedReplies.delete(savedReply.id)
  assert.deepEqual((await longcode.savedReplies.list()).savedReplies, [])
})

test('messages are exported as a CSV file, and alerts are listed and muted', async (t) => {
  const { service, longcode } = await stage(t, { roles: ['schedule'] })
  const { campaignId } = await activeCampaign(service)
  const to = await buyNumber(service, campaignId)
  await longcode.sandbox.inbound({ from: PHONE, to, body: 'Where is my order?' })
  const { export: created } = await longcode.exports.create({ filter: { text: 'order' } })
  await eventually(
    async () => (await longcode.exports.get(created.id)).export.status === 'DONE',
    'the file',
  )
  const file = await longcode.exports.download(created.id)
  assert.match(file, /^id,createdAt,.*\r\n.*,Where is my order\?,,\r\n$/)
  assert.equal((await longcode.exports.list()).exports[0]?.id, created.id)
  await longcode.exports.delete(created.id)
  const gone = longcode.exports.download(created.id)
  await assert.rejects(gone, ({ code }: LongcodeError) => code === 'export_missing')

  assert.deepEqual(await longcode.alerts.list({ state: 'open' }).toArray(), [])
  await longcode.alerts.updateSettings({ mutedKinds: ['error_spike'], balanceDays: 7 })
  const { settings } = await longcode.alerts.settings()
  assert.deepEqual([settings.mutedKinds, settings.balanceDays], [['error_spike'], 7])
})
