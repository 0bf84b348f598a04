// A carrier link that is down: sends are accepted and wait, no attempt is used, and everything continues
// automatically.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { World } from '../../src/kit/world.js'
import { idOrRefusal } from '../../src/messages/send/send-message.js'
import { type Answering, fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { eventually } from '../harness.js'
import {
  ATT,
  assertDollars,
  changeCampaign,
  type Sending,
  SMS_PRICE,
  sendingService,
  VZW,
} from '../sending.js'

const HOUR_S = 3600

async function linkStage(t: TestContext, answer?: Answering) {
  const sending = await sendingService(t)
  const carrier = fakeCarrier(answer)
  const room = fakeRoom(sending.service.world, carrier)
  return { ...sending, carrier, room }
}

async function lastText({ service }: Pick<Sending, 'service'>, id: string): Promise<string> {
  return (await service.get(`/v1/message/${id}/timeline`)).body.timeline.at(-1).text
}

test('while the link is down messages wait, no attempt is used, and the timeline shows since when', async (t) => {
  const stage = await linkStage(t)
  const { send, message, until, advance, kinds, carrier, room } = stage
  carrier.goDown()
  room.run()
  const first = await send()
  await eventually(async () => (await kinds(first)).at(-1) === 'down')
  const text = await lastText(stage, first)
  assert.match(text, /^The carrier link has been down since \d{4}-\d\d-\d\dT[\d:.]+Z$/)
  for (let i = 0; i < 3; i += 1) await advance(HOUR_S)
  const second = await send()
  await eventually(async () => (await lastText(stage, second)) === text)
  assert.deepEqual(await kinds(first), ['created', 'down'], 'one line, however long it lasts')
  assert.equal((await message(first)).status, 'QUEUED')
  assert.deepEqual(carrier.submitted, [])

  carrier.comeUp()
  await until(first, 'SENT')
  await until(second, 'SENT')
  assert.deepEqual(
    carrier.submitted.map(({ id, attempt }) => [id, attempt]),
    [
      [first, 1],
      [second, 1],
    ],
    'the oldest goes out first, and it is the first attempt of each',
  )
  assert.deepEqual(await kinds(first), ['created', 'outage', 'sent'])
  const { timeline } = (await stage.service.get(`/v1/message/${first}/timeline`)).body
  assert.match(timeline[1].text, /^Waited for the carrier link, which was down from .*Z until .*Z$/)
})

test('messages are refunded if the link does not come back', async (t) => {
  const { service, send, until, advance, kinds, carrier, room } = await linkStage(t)
  const before = await service.balance()
  carrier.goDown()
  room.run()
  const id = await send()
  const brief = await send({ validitySeconds: 60 })
  await eventually(async () => (await kinds(id)).at(-1) === 'down')
  const sweep = () => room.expiryLoop.step(new AbortController().signal)
  await advance(61)
  await sweep()
  await until(brief, 'EXPIRED')
  assertDollars(await service.balance(), before - SMS_PRICE)
  await advance(4 * HOUR_S)
  await sweep()
  await until(id, 'EXPIRED')
  assertDollars(await service.balance(), before)
  assert.deepEqual(carrier.submitted, [])
})

test('messages accepted at the limits leave at the limits', async (t) => {
  const { service, campaignId, send, message, advance, carrier, room } = await linkStage(t)
  await changeCampaign(service, campaignId, { smsTpmAtt: 2 })
  carrier.goDown()
  await room.step()
  const ids = [await send({ to: ATT }), await send({ to: ATT }), await send({ to: ATT })]
  await advance(HOUR_S)
  assert.equal(await room.step(), 0)
  carrier.comeUp()
  // On a busy machine, a permit may expire before its message leaves, and the next step sends it.
  const sends = async (id: string) => {
    await room.step()
    return (await message(id)).status === 'SENT'
  }
  await eventually(() => sends(ids[0]!))
  await eventually(() => sends(ids[1]!))
  assert.equal((await message(ids[2]!)).status, 'QUEUED')
  await advance(64)
  await eventually(() => sends(ids[2]!))
})

/** The same service as a process that also dispatches and sends what it accepts immediately. */
function dispatching(world: World): World {
  return { ...world, config: { ...world.config, roles: ['api', 'dispatch'] } }
}

test('messages in flight when the link goes down return to the queue without a lease', async (t) => {
  const { service, campaignId, until, message, kinds } = await sendingService(t)
  let isGone = true
  const carrier = fakeCarrier(() => ({ kind: isGone ? 'down' : 'sent' }))
  const room = fakeRoom(dispatching(service.world), carrier)
  const input = { campaign: campaignId, to: VZW, body: 'Hello' }
  const sent = () => room.sendService.send(service.accountId, input, null)
  const { id } = idOrRefusal(await sent())
  await eventually(async () => carrier.submitted.length === 1)
  room.run()
  await eventually(async () => (await kinds(id)).at(-1) === 'down')
  const { id: next } = idOrRefusal(await sent())
  assert.equal((await message(next)).status, 'QUEUED')
  isGone = false
  for (const one of [id, next]) await until(one, 'SENT')
  const attempts = carrier.submitted.filter((submission) => submission.id === id)
  assert.ok(
    attempts.length > 1 && attempts.every(({ attempt }) => attempt === 1),
    'no attempt is used',
  )
})

test('a STOP in the meantime is confirmed when the link is back', async (t) => {
  const { service, campaignId, inbound, until, carrier, room } = await linkStage(t)
  carrier.goDown()
  room.run()
  await inbound(VZW, 'STOP')
  const list = `/v1/message/list?campaign=${campaignId}&direction=OUTBOUND`
  const [reply] = (await service.get(list)).body.messages
  assert.equal(reply.status, 'QUEUED')
  carrier.comeUp()
  await until(reply.id, 'SENT')
})

test('without a link, a queued message shows it, waits, and is refunded', async (t) => {
  const { service, send, until, advance } = await sendingService(t)
  const before = await service.balance()
  const id = await send()
  const world = { ...service.world, config: { ...service.world.config, carrier: 'none' as const } }
  const { createNoCarrier } = await import('../../src/carriers/simulator.js')
  const { getTimeline } = await import('../../src/messages/get-timeline.js')
  const { getMessage } = await import('../../src/messages/message-queries.js')
  const room = fakeRoom(world, createNoCarrier())
  assert.equal(await room.step(), 0)
  const found = await getMessage(world.db, service.accountId, id)
  const timeline = await getTimeline({ ...world, carrier: {} }, found, world.clock.now())
  assert.deepEqual(
    [timeline.at(-1)!.kind, timeline.at(-1)!.text],
    ['down', 'Waiting: no carrier link is set up. If the message expires first, it is refunded'],
  )
  await advance(4 * HOUR_S + 1)
  await room.expiryLoop.step(new AbortController().signal)
  await until(id, 'EXPIRED')
  assertDollars(await service.balance(), before)
})
