// The end of a campaign while other things happen: messages in progress, sends, purchases, renewals, a process that
// dies, and its webhooks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { terminationLoop } from '../../src/termination/continue-terminations.js'
import { endCampaign } from '../../src/termination/end-campaign.js'
import { decideOnBrand } from '../api/campaign-bodies.js'
import { advanceTo, listRenewalCharges } from '../billing-fixtures.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { eventually, type Json, type TestService, testService } from '../harness.js'
import { ATT, type Sending, sendingService, TMO, VZW } from '../sending.js'
import { webhookStage } from './webhook-receiver.js'

function end(service: TestService, id: string, body: Json = {}) {
  return service.post(`/v1/campaign/${id}/end`, { confirm: id, ...body })
}

async function countByOutcome({ world }: TestService): Promise<Record<string, number>> {
  const rows = await world.db.query<{ outcome: string; count: number }>(sql`
    select status || coalesce(' ' || error_code, '') as outcome, count(*)::int as count
    from messages group by 1`)
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]))
}

async function isFinished({ world }: TestService): Promise<boolean> {
  const open = await world.db.query(sql`
    select 1 from campaign_endings where look_at is not null`)
  return open.length === 0
}

/** Schedules this many messages an hour ahead. */
async function schedule({ service, campaignId }: Sending, count: number): Promise<void> {
  const scheduledAt = new Date(service.world.clock.now().getTime() + 3_600_000).toISOString()
  const one = { campaign: campaignId, to: VZW, body: 'Hello', scheduledAt }
  for (let left = count; left > 0; left -= 1_000) {
    const messages = Array.from({ length: Math.min(left, 1_000) }, () => one)
    const { body } = await service.post('/v1/message/batch', { messages })
    assert.ok(body.results.every((result: Json) => result.success))
  }
}

test('a message at the carrier continues, and one between two attempts is canceled', async (t) => {
  const { service, campaignId, send, message, until, advance } = await sendingService(t)
  let answer = (_kind: 'sent'): void => {}
  const carrier = fakeCarrier(({ to }) =>
    to === TMO
      ? { kind: 'slow_down' }
      : new Promise((resolve) => {
          answer = (kind) => resolve({ kind })
        }),
  )
  const room = fakeRoom(service.world, carrier)
  room.run()
  const [underWay, delayed] = [await send({ to: ATT }), await send({ to: TMO })]
  await eventually(async () => {
    const { body } = await service.get(`/v1/message/${delayed}/timeline`)
    return carrier.submitted.length >= 2 && body.timeline.some((one: Json) => one.kind === 'slow')
  }, 'both attempts')
  await end(service, campaignId)
  answer('sent')
  await until(underWay, 'SENT')
  await room.listener.receipt({
    link: carrier.name,
    of: { accountId: service.accountId, id: underWay },
    status: 'DELIVERED',
    errorCode: null,
  })
  assert.equal((await message(underWay)).status, 'DELIVERED')
  await advance(600)
  assert.equal((await until(delayed, 'FAILED')).errorCode, 1410)
  assert.equal(carrier.submitted.filter(({ to }) => to === ATT).length, 1)
})

test('messages accepted while the campaign ends are sent or canceled, and none is left', async (t) => {
  const sending = await sendingService(t, { roles: ['dispatch', 'schedule'] })
  const { service, campaignId, trySend, advance } = sending
  await schedule(sending, 40)
  const sends = Array.from({ length: 60 }, (_, i) =>
    trySend({ to: [ATT, TMO, VZW][i % 3]!, ...(i % 5 === 0 && scheduled(service)) }),
  )
  const [ended, ...replies] = await Promise.all([end(service, campaignId), ...sends])
  assert.equal(ended.status, 200)
  const accepted = replies.filter(({ status }) => status === 200).length
  for (const { status, body } of replies) {
    if (status !== 200) assert.equal(status, 409, JSON.stringify(body))
  }
  await advance(120)
  await eventually(() => isFinished(service), 'the campaign has ended')
  const outcomes = await eventually(async () => {
    const found = await countByOutcome(service)
    return !found.QUEUED && !found.SCHEDULED && !found.SENT && found
  }, 'all messages are settled')
  assert.equal(
    Object.values(outcomes).reduce((sum, count) => sum + count, 0),
    40 + accepted,
  )
  assert.deepEqual(
    Object.keys(outcomes).filter((outcome) => !['DELIVERED', 'FAILED 1410'].includes(outcome)),
    [],
  )
  assert.equal((await trySend()).status, 409)
})

function scheduled({ world }: TestService): Json {
  return { scheduledAt: new Date(world.clock.now().getTime() + 1_800_000).toISOString() }
}

test('purchases while a campaign ends leave it no number', async (t) => {
  const service = await testService(t, { roles: ['schedule'] })
  const { campaignId } = await activeCampaign(service)
  const numbers = Array.from({ length: 12 }, (_, i) => `+1415300${1000 + i}`)
  await addInventory(service, numbers)
  const buy = (number: string) => service.post(`/v1/campaign/${campaignId}/number/buy`, { number })
  const [first, ...bought] = await Promise.all([
    end(service, campaignId),
    ...numbers.map((number) => buy(number)),
  ])
  assert.equal(first.status, 200)
  for (const { status } of bought) assert.ok(status === 200 || status === 409, String(status))
  await eventually(async () => {
    const held = await service.world.db.query(sql`select 1 from numbers`)
    return held.length === 0
  }, 'all numbers are released')
  const found = await service.get('/v1/number/search?areaCode=415&limit=100')
  assert.equal(found.body.numbers.length, numbers.length, 'all are for sale again')
})

test('a renewal while a campaign ends is charged at most once', async (t) => {
  const service = await testService(t, { roles: ['schedule'], balance: '500' })
  await advanceTo(service, '2027-04-01T00:00:00.000Z')
  const campaigns = await Promise.all([1, 2, 3].map(() => activeCampaign(service)))
  for (const { campaignId } of campaigns) await buyNumber(service, campaignId)
  await Promise.all([
    advanceTo(service, '2027-05-01T00:00:01.000Z'),
    ...campaigns.map(({ campaignId }) => end(service, campaignId)),
  ])
  await advanceTo(service, '2027-08-01T00:00:01.000Z')
  await eventually(() => isFinished(service), 'the campaign has ended')
  for (const { campaignId } of campaigns) {
    const charges = await listRenewalCharges(service, campaignId)
    assert.ok(charges.length === 0 || charges.length === 2, JSON.stringify(charges.map(String)))
    const { campaign } = (await service.get(`/v1/campaign/${campaignId}`)).body
    assert.deepEqual([campaign.status, campaign.renewsAt], ['ENDED', null])
  }
})

test('another process finishes ending a campaign after a process dies', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId } = sending
  const { world, accountId } = service
  await schedule(sending, 1_200)
  const before = await service.balance()
  const wanted = { campaignId, moveNumbersTo: null }
  const now = world.clock.now()
  await world.db.transaction((tx) => endCampaign(tx, accountId, wanted, now, () => true))
  const half = (await service.get(`/v1/campaign/${campaignId}/end`)).body.ending
  assert.deepEqual([half.isFinished, half.messagesCancelled], [false, 0])
  const loop = terminationLoop(world)
  const { signal } = new AbortController()
  for (let steps = 0; (await loop.step(signal)) > 0; steps += 1) assert.ok(steps < 20)
  const { ending } = (await service.get(`/v1/campaign/${campaignId}/end`)).body
  assert.deepEqual(
    [ending.isFinished, ending.messagesCancelled, ending.numbersReleased, ending.refunded],
    [true, 1_200, 1, 9.48],
  )
  assert.equal(await service.balance(), Number((before + 9.48).toFixed(6)))
})

test('two campaigns that give each other their numbers end without a deadlock', async (t) => {
  const service = await testService(t, { roles: ['schedule'] })
  const [one, two] = [await activeCampaign(service), await activeCampaign(service)]
  for (const { campaignId } of [one, two]) await buyNumber(service, campaignId)
  const replies = await Promise.all([
    end(service, one.campaignId, { moveNumbersTo: two.campaignId }),
    end(service, two.campaignId, { moveNumbersTo: one.campaignId }),
  ])
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409])
})

test('webhooks of an ended campaign get its end and the cancellations, and no later events of its brand', async (t) => {
  const eventTypes = ['message.status', 'campaign.changed', 'number.changed', 'brand.changed']
  const stage = await webhookStage(t, undefined, { fields: { eventTypes } })
  const { service, campaignId, receiver } = stage
  await buyNumber(service, campaignId)
  const { campaign } = (await service.get(`/v1/campaign/${campaignId}`)).body
  await schedule({ service, campaignId } as Sending, 1)
  await end(service, campaignId)
  await decideOnBrand(service, campaign.brandId, { kind: 'vet', trustScore: 80 })
  const received = await stage.arrived(4)
  const told = received.map(({ event: { eventType, data } }) => [
    eventType,
    data.change ?? data.message.errorCode,
  ])
  assert.deepEqual(told.toSorted(), [
    ['campaign.changed', 'ended'],
    ['message.status', 1410],
    ['number.changed', 'bought'],
    ['number.changed', 'released'],
  ])
  const ended = received.find(({ event }) => event.data.change === 'ended')!.event
  assert.equal(ended.data.campaign.status, 'ENDED')
  assert.equal(ended.data.previousStatus, 'ACTIVE')
  const webhooks = await service.get(`/v1/campaign/${campaignId}/webhooks`)
  assert.equal(webhooks.body.webhooks.length, 1, 'it can still be read')
  assert.equal(receiver.received.length, 4)
})
