// Changes of brands, campaigns, and numbers reach the live stream and the subscribed webhooks.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SUBSCRIBERS_PER_BRAND_MAX } from '../../src/events/subscription-queries.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { decideOnBrand, decideOnCampaign, newBrand, newCampaign } from '../api/campaign-bodies.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type Json, type TestService, testService } from '../harness.js'
import { heard, openStream, type Stream } from './event-stream.js'
import { createWebhook, type Received, webhookStage } from './webhook-receiver.js'

const CHANGES = ['brand.changed', 'campaign.changed', 'number.changed']

async function listen(t: TestContext, service: TestService): Promise<Stream> {
  const base = await service.app.listen({ port: 0, host: '127.0.0.1' })
  return openStream(t, service, base)
}

/** What a test checks: the kind, what happened, and the status before and after. */
function steps(stream: Stream): unknown[] {
  return stream.events.map(({ event, data: { data } }) => {
    const record = data.brand ?? data.campaign ?? data.number
    return [event, data.change, data.previousStatus ?? null, record.status]
  })
}

test('the stream gets every change of a brand and its campaign, with the reviewer’s notes', async (t) => {
  const service = await testService(t)
  const stream = await listen(t, service)
  const brandId = await newBrand(service)
  const notes = [{ field: 'ein', note: 'The tax records have another name.' }]
  await decideOnBrand(service, brandId, { kind: 'refuse', notes })
  await service.call('PATCH', `/v1/brand/${brandId}`, { ein: '98-7654321' })
  await service.post(`/v1/brand/${brandId}/submit`)
  await decideOnBrand(service, brandId, { kind: 'verify' })
  const { id } = await newCampaign(service, { brandId })
  const back = [{ field: 'sample1', note: 'Name the brand.' }]
  await decideOnCampaign(service, id as string, { kind: 'return', notes: back })
  await service.call('PATCH', `/v1/campaign/${id}`, { description: 'Offers of the week' })
  await service.post(`/v1/campaign/${id}/submit`)
  await decideOnCampaign(service, id as string, { kind: 'approve' })
  await decideOnCampaign(service, id as string, { kind: 'suspend', reason: 'operator' })
  await decideOnCampaign(service, id as string, { kind: 'resume' })
  await heard(stream, 12)
  assert.deepEqual(steps(stream), [
    ['brand.changed', 'created', null, 'PENDING'],
    ['brand.changed', 'refused', 'PENDING', 'UNVERIFIED'],
    ['brand.changed', 'updated', null, 'UNVERIFIED'],
    ['brand.changed', 'submitted', 'UNVERIFIED', 'PENDING'],
    ['brand.changed', 'verified', 'PENDING', 'VERIFIED'],
    ['campaign.changed', 'created', null, 'PENDING'],
    ['campaign.changed', 'returned', 'PENDING', 'DRAFT'],
    ['campaign.changed', 'updated', null, 'DRAFT'],
    ['campaign.changed', 'submitted', 'DRAFT', 'PENDING'],
    ['campaign.changed', 'approved', 'PENDING', 'ACTIVE'],
    ['campaign.changed', 'suspended', 'ACTIVE', 'SUSPENDED'],
    ['campaign.changed', 'resumed', 'SUSPENDED', 'ACTIVE'],
  ])
  const data = stream.events.map((event) => event.data.data)
  assert.deepEqual(data[1].brand.reviewNotes, notes)
  assert.deepEqual(data[1].changed, ['status', 'reviewNotes'])
  assert.deepEqual(data[2].changed, ['ein'])
  assert.deepEqual(data[6].campaign.reviewNotes, back)
  assert.deepEqual(data[7].changed, ['details'])
  assert.deepEqual(data[9].changed.toSorted(), ['limits', 'monthlyFee', 'renewsAt', 'status'])
  const { body } = await service.get(`/v1/campaign/${id}`)
  assert.deepEqual(data[11].campaign, body.campaign, 'the record as the API returns it')
})

test('an unchanged record and a refused change cause no event', async (t) => {
  const service = await testService(t, { balance: '20' })
  const campaign = await newCampaign(service)
  const stream = await listen(t, service)
  await service.call('PATCH', `/v1/campaign/${campaign.id}`, { displayName: campaign.displayName })
  const poor = await service.post('/v1/campaign/create', {
    ...campaign,
    ...(campaign.details as Json),
  })
  assert.equal(poor.status, 402)
  await service.call('PATCH', `/v1/campaign/${campaign.id}`, { displayName: 'Another' })
  await heard(stream, 1)
  assert.deepEqual(stream.events[0]!.data.data.changed, ['displayName'])
})

test('the stream gets changes of numbers: bought, made the default, forwarded, and released', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const stream = await listen(t, service)
  const first = await buyNumber(service, campaignId)
  const second = await buyNumber(service, campaignId)
  await service.post(`/v1/number/${second.slice(1)}/default`)
  await service.call('PATCH', `/v1/number/${first.slice(1)}/forwarding`, {
    forwardNumber: '+14155550188',
  })
  await service.call('DELETE', `/v1/number/${second.slice(1)}`)
  await heard(stream, 7)
  assert.deepEqual(
    stream.events.map(({ data: { data } }) => [
      data.change,
      data.number.phoneNumber,
      data.number.isDefault,
      data.number.forwardNumber,
    ]),
    [
      ['bought', first, true, null],
      ['bought', second, false, null],
      ['default', first, false, null],
      ['default', second, true, null],
      ['forwarding', first, false, '+14155550188'],
      ['released', second, true, null],
      ['default', first, true, '+14155550188'],
    ],
  )
  assert.equal(stream.events[0]!.data.campaignId, campaignId)
  assert.equal(stream.events[0]!.data.data.number.campaignId, campaignId)
})

test('a webhook gets the changes it subscribes to, of its campaign, its numbers, and its brand', async (t) => {
  const stage = await webhookStage(t, undefined, { fields: { eventTypes: CHANGES } })
  const { service, campaignId, receiver, webhook } = stage
  const { body: own } = await service.get(`/v1/campaign/${campaignId}`)
  // Another campaign of another brand, and a webhook with message events only.
  const other = await activeCampaign(service)
  await createWebhook(service, campaignId, `${receiver.url}/messages`)
  const number = await buyNumber(service, campaignId)
  await buyNumber(service, other.campaignId)
  await service.call('PATCH', `/v1/campaign/${campaignId}`, { displayName: 'Offers' })
  await service.call('PATCH', `/v1/campaign/${other.campaignId}`, { displayName: 'Other' })
  await decideOnBrand(service, own.campaign.brandId, { kind: 'vet', trustScore: 0 })
  await decideOnBrand(service, other.brandId, { kind: 'vet', trustScore: 0 })
  const received = await stage.arrived(3)
  const [bought, renamed, vetted] = CHANGES.toReversed().map(
    (type) => received.find(({ event }) => event.eventType === type)!.event,
  )
  assert.deepEqual(
    received.map(({ path }: Received) => path),
    ['/hook', '/hook', '/hook'],
  )
  for (const event of [bought, renamed, vetted]) {
    assert.equal(event.campaignId, campaignId)
    assert.equal(event.webhookId, webhook.id)
    assert.equal(event.signature, webhook.signature)
  }
  assert.equal(bought.data.number.phoneNumber, number)
  assert.equal(renamed.data.campaign.displayName, 'Offers')
  assert.deepEqual([vetted.data.brand.trustScore, vetted.data.previousStatus], [0, 'VERIFIED'])
})

test('`numbers` filters changes of numbers and nothing else', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const wanted = await buyNumber(service, campaignId)
  const unwanted = await buyNumber(service, campaignId)
  await createWebhook(service, campaignId, 'https://hook.invalid/', {
    eventTypes: CHANGES,
    numbers: [wanted],
  })
  for (const number of [wanted, unwanted]) {
    const path = `/v1/number/${number.slice(1)}/forwarding`
    await service.call('PATCH', path, { forwardNumber: '+14155550188' })
  }
  await service.call('PATCH', `/v1/campaign/${campaignId}`, { displayName: 'Offers' })
  const rows = await service.world.db.query<Json>(sql`
    select d.event_type as type, e.number from event_deliveries d
    join events e on e.account_id = d.account_id and e.id = d.event_id order by d.id`)
  assert.deepEqual(rows, [
    { type: 'number.changed', number: wanted },
    { type: 'campaign.changed', number: null },
  ])
})

test('a draft that moves to another brand takes its webhook subscriptions along', async (t) => {
  const service = await testService(t)
  const [first, second] = [await newBrand(service), await newBrand(service)]
  const { body } = await service.post('/v1/campaign/draft', { brandId: first })
  const { id } = body.campaign
  await createWebhook(service, id, 'https://hook.invalid/', { eventTypes: ['brand.changed'] })
  await service.call('PATCH', `/v1/campaign/${id}`, { brandId: second })
  await decideOnBrand(service, first, { kind: 'verify' })
  await decideOnBrand(service, second, { kind: 'verify' })
  const rows = await service.world.db.query<Json>(sql`
    select e.data -> 'brand' ->> 'id' as id from event_deliveries d
    join events e on e.account_id = d.account_id and e.id = d.event_id`)
  assert.deepEqual(rows, [{ id: second }])
})

test('the number of webhooks that subscribe to a brand is limited', async (t) => {
  const service = await testService(t)
  const { campaignId, brandId } = await activeCampaign(service)
  await service.world.db.query(sql`
    insert into event_subscriptions (account_id, subscriber_id, campaign_id, event_types, brand_id)
    select ${service.accountId}, 'whk_' || n, 'cmp_' || n, '{brand.changed}', ${brandId}
    from generate_series(1, ${SUBSCRIBERS_PER_BRAND_MAX}) n`)
  const wanted = { url: 'https://hook.invalid/', eventTypes: ['brand.changed'] }
  const { status, body } = await service.post(`/v1/campaign/${campaignId}/webhooks`, wanted)
  assert.deepEqual([status, body.code], [409, 'webhooks_too_many'])
  const quiet = await createWebhook(service, campaignId, wanted.url)
  const patched = await service.call('PATCH', `/v1/webhook/${quiet.id}`, wanted)
  assert.deepEqual([patched.status, patched.body.code], [409, 'webhooks_too_many'])
})
