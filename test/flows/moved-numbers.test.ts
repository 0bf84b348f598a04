// Provider numbers that move to another campaign: PENDING until the provider has moved them, so nothing leaves that
// networks would block. They stay paid, owned, and reachable all the time, and a failed move never loses one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkProviders } from '../../src/commands/doctor/doctor-providers.js'
import { OPERATOR_TOKEN } from '../api/operator-service.js'
import { activeCampaign } from '../fixtures.js'
import { eventually, type TestService } from '../harness.js'
import { assertBought, numberService } from '../providers/number-service.js'
import { registeringService } from '../providers/registering.js'
import { ATT, VZW } from '../sending.js'
import { openStream } from './event-stream.js'

const ONE = '+14152000001'
const MONTH_SECONDS = 31 * 24 * 60 * 60
const NOT_BOUND = {
  status: 422,
  body: { errors: [{ code: '10015', title: 'Bad Request', detail: 'It cannot be bound' }] },
}

async function moveTo(service: TestService, from: string, to: string): Promise<void> {
  const ended = await service.post(`/v1/campaign/${from}/end`, { confirm: from, moveNumbersTo: to })
  assert.equal(ended.status, 200, JSON.stringify(ended.body))
}

test('nothing is sent from a moving number until the provider has it in its new campaign', async (t) => {
  const stage = await registeringService(t, { forSale: [ONE] })
  const { service, fake, submitBrand, submitCampaign, until } = stage
  const { registry } = fake
  const brandId = await submitBrand()
  const first = await submitCampaign(brandId)
  await until('campaign', first, 'ACTIVE')
  const second = await submitCampaign(brandId)
  await until('campaign', second, 'ACTIVE')
  const secondThere = registry.campaign.campaignId
  const number = async () => (await service.get(`/v1/number/${ONE.slice(1)}`)).body.number
  const message = async (id: string) => (await service.get(`/v1/message/${id}`)).body.message
  assertBought(await service.post(`/v1/campaign/${first}/number/buy`, { number: ONE }), 'PENDING')
  await eventually(async () => (await number()).status === 'ACTIVE', 'bought')
  const base = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const stream = await openStream(t, service, base)

  registry.assignmentsAre = 'PENDING_ASSIGNMENT'
  await moveTo(service, first, second)
  const moving = await number()
  assert.deepEqual([moving.status, moving.campaignId, moving.isDefault], ['PENDING', second, true])
  assert.match(moving.statusReason, /wait until its provider confirms the move/)
  const sent = await service.post('/v1/message/send', { campaign: second, to: VZW, body: 'Soon' })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const assigned = await eventually(
    async () => registry.assignments.get(ONE)?.campaignId === secondThere && registry.assignments,
    'assigned again',
  )
  const { timeline } = (await service.get(`/v1/message/${sent.body.id}/timeline`)).body
  assert.match(JSON.stringify(timeline), /Waiting for the number \+14152000001: it is PENDING/)

  // Inbound messages belong to the new campaign immediately, and keywords work.
  assert.ok(await fake.write({ from: ATT, to: ONE, text: 'When do you open?' }))
  const inbound = await eventually(async () => {
    const query = `campaign=${second}&direction=INBOUND`
    return (await service.get(`/v1/message/list?${query}`)).body.messages[0]
  }, 'inbound')
  assert.equal(inbound.body, 'When do you open?')
  assert.deepEqual(fake.taken, [], 'nothing has left')

  assigned.get(ONE)!.assignmentStatus = 'ASSIGNED'
  await eventually(async () => (await message(sent.body.id)).status === 'DELIVERED', 'it was sent')
  assert.equal(fake.taken.length, 1)
  const after = await number()
  assert.deepEqual([after.status, after.statusReason], ['ACTIVE', undefined])
  /** From the move on. The purchase may be heard, too. */
  const changes = () => {
    const all = stream.events.flatMap(({ event, data: { data } }) =>
      event === 'number.changed' ? [[data.change, data.previousStatus, data.number.status]] : [],
    )
    const first = all.findIndex(([change]) => change === 'moved')
    return first === -1 ? [] : all.slice(first)
  }
  await eventually(async () => changes().at(-1)?.[0] === 'activated', 'the last change')
  const moved = ['moved', 'ACTIVE', 'PENDING']
  assert.deepEqual(changes(), [moved, moved, ['activated', 'PENDING', 'ACTIVE']])
})

test('a move that the provider refuses is reported to the operator, renews as before, and loses no number', async (t) => {
  const { service, fake, campaignId, buy, until } = await numberService(t, [ONE])
  const { world } = service
  const { campaignId: second } = await activeCampaign(service)
  assertBought(await buy(ONE), 'PENDING')
  await until(ONE, 'ACTIVE')
  const before = await service.balance()
  const { mishaps } = fake.numbers
  const on = /^PATCH .*messaging$/
  while (mishaps.length < 500) mishaps.push({ on, what: NOT_BOUND })
  await moveTo(service, campaignId, second)
  await eventually(async () => mishaps.length < 499, 'it was attempted more than once')
  assert.equal((await until(ONE, 'PENDING')).campaignId, second)
  assert.equal(await service.balance(), before, 'no refund, because the account keeps the number')
  assert.ok(fake.numbers.purchased.has(ONE))
  const listed = (await service.get(`/v1/campaign/${second}/numbers`)).body.numbers
  assert.deepEqual([listed.length, listed[0].monthlyPrice], [1, 2])
  const preview = await service.get(`/v1/campaign/${second}/end`)
  assert.equal(preview.body.preview.monthlyCost, 12, 'the fee and the number')

  await service.post('/sandbox/clock/advance', { seconds: 11 * 60 })
  const found = await checkProviders(world.db, world.clock.now())
  assert.equal(found.length, 1)
  const { check, text, remedy } = found[0]!
  assert.equal(check, 'numbers')
  assert.match(text, /^1 number is waiting .*\(move, link upstream\) since .*It cannot be bound/)
  assert.match(remedy!, /another campaign/)
  const metrics = await service.get('/metrics', { token: OPERATOR_TOKEN })
  assert.match(String(metrics.body), /^longcode_provider_numbers_stuck 1$/m)

  await service.post('/sandbox/clock/advance', { seconds: MONTH_SECONDS })
  await eventually(async () => {
    const { entries } = (await service.get('/v1/account/ledger')).body
    return entries.some(
      (one: { reason: string; campaignId: string }) =>
        one.reason === 'number_renewal' && one.campaignId === second,
    )
  }, 'its renewal is paid')
  mishaps.length = 0
  await service.post('/sandbox/clock/advance', { seconds: 5 * 60 })
  await until(ONE, 'ACTIVE')
  assert.equal(fake.numbers.orders.length, 1)
})

test('a moving number that the provider never delivered is refused and refunded', async (t) => {
  const { service, fake, campaignId, buy, until } = await numberService(t, [ONE])
  const { campaignId: second } = await activeCampaign(service)
  const before = await service.balance()
  const { mishaps } = fake.numbers
  const on = /^PATCH .*messaging$/
  const later = { status: 401, body: {} }
  while (mishaps.length < 500) mishaps.push({ on, what: later })
  assertBought(await buy(ONE), 'PENDING')
  await eventually(async () => mishaps.length < 500, 'the binding is requested')
  await moveTo(service, campaignId, second)
  assert.equal((await until(ONE, 'PENDING')).statusReason, undefined)
  mishaps.length = 0
  while (mishaps.length < 500) mishaps.push({ on, what: NOT_BOUND })
  assert.match((await until(ONE, 'FAILED')).statusReason, /It cannot be bound/)
  assert.equal(await service.balance(), before)
})
