// A message accepted by a dispatching process is sent by it immediately, under a lease with its own row. Whatever
// happens to that process, each message is sent, and none of them twice.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import type { World } from '../../src/kit/world.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { eventually } from '../harness.js'
import { type Sending, SMS_PRICE, sendingService, VZW } from '../sending.js'

function dispatching({ service: { world } }: Sending): World {
  return { ...world, config: { ...world.config, roles: ['dispatch'] } }
}

function sendTo(sending: Sending, room: Pick<ReturnType<typeof fakeRoom>, 'sendService'>) {
  const input = { campaign: sending.campaignId, to: VZW, body: 'Hello' }
  return room.sendService.send(sending.service.accountId, input, null)
}

async function countOf(world: World, table: 'handoffs' | 'lanes'): Promise<number> {
  const rows = await world.db.query(
    table === 'handoffs' ? sql`select 1 from handoffs` : sql`select 1 from lanes`,
  )
  return rows.length
}

async function handoffsOf({ db }: World): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`select first_id as id from handoffs`)
  return rows.map((row) => row.id)
}

/** For a carrier that does not respond until it is released. */
function gated(t: TestContext): { open: Promise<void>; release: () => void } {
  let release = () => {}
  const open = new Promise<void>((resolve) => {
    release = resolve
  })
  t.after(() => release()) // a test that fails does not wait for it
  return { open, release: () => release() }
}

async function statusesOf(world: World): Promise<Record<string, number>> {
  const rows = await world.db.query<{ status: string; count: number }>(sql`
    select status, count(*)::int as count from messages group by status`)
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

test('a message sent immediately uses no queue and leaves no lease', async (t) => {
  const sending = await sendingService(t)
  const world = dispatching(sending)
  const carrier = fakeCarrier()
  const room = fakeRoom(world, carrier)
  await Promise.all(Array.from({ length: 40 }, () => sendTo(sending, room)))
  await eventually(async () => (await statusesOf(world)).SENT === 40, 'all are SENT')
  await eventually(async () => (await countOf(world, 'handoffs')) === 0, 'no lease is left')
  assert.equal(await countOf(world, 'lanes'), 0)
  assert.equal(carrier.submitted.length, 40)
})

test('other processes send the unsent messages of a dead process once when its lease ends', async (t) => {
  const sending = await sendingService(t)
  const world = dispatching(sending)
  const gate = gated(t)
  const dead = fakeRoom(world, {
    ...fakeCarrier(() => gate.open.then(() => ({ kind: 'sent' }))),
    isSimulated: true,
  })
  await Promise.all(Array.from({ length: 30 }, () => sendTo(sending, dead)))
  const carrier = fakeCarrier()
  const heirs = [fakeRoom(world, carrier), fakeRoom(world, carrier)]
  await heirs[0]!.step()
  assert.equal(carrier.submitted.length, 0, 'the lease is still valid')
  await sending.advance(61)
  for (const heir of heirs) heir.run()
  await eventually(async () => (await statusesOf(world)).SENT === 30, 'all are SENT')
  assert.equal(new Set(carrier.submitted.map(({ id }) => id)).size, 30)
  assert.equal(carrier.submitted.length, 30, 'each once')
  assert.equal(await countOf(world, 'handoffs'), 0)
  gate.release() // late responses to the first process change nothing
  await dead.stop()
  assert.deepEqual(await statusesOf(world), { SENT: 30 })
})

test('a message whose lease ended before its submit is left to the queue', async (t) => {
  const sending = await sendingService(t)
  const world = dispatching(sending)
  const carrier = fakeCarrier()
  const room = fakeRoom(world, carrier)
  await sendTo(sending, room) // from now on the campaign is cached
  await eventually(async () => (await statusesOf(world)).SENT === 1, 'the first one is SENT')
  const accepted = sendTo(sending, room)
  world.clock.moveTo(world.clock.offsetMs + 61_000) // while the database handles the send
  await accepted
  await room.stop() // records sent messages and closes finished handoffs
  assert.deepEqual(await statusesOf(world), { SENT: 1, QUEUED: 1 })
  assert.equal(await countOf(world, 'handoffs'), 1, 'the handoff of the remaining message')
  assert.equal(carrier.submitted.length, 1)
  const heir = fakeRoom(world, carrier)
  heir.run()
  await eventually(async () => (await statusesOf(world)).SENT === 2, 'both are SENT')
  assert.equal(carrier.submitted.length, 2)
})

test('a handoff stays open until the last of its messages is recorded', async (t) => {
  const sending = await sendingService(t)
  const world = dispatching(sending)
  const gate = gated(t)
  const thinking = fakeCarrier(({ body }) =>
    body === 'Thinking' ? gate.open.then(() => ({ kind: 'sent' })) : { kind: 'sent' },
  )
  const room = fakeRoom(world, { ...thinking, isSimulated: true })
  const inputs = ['One', 'Thinking', 'Three'].map((body) => ({
    campaign: sending.campaignId,
    to: VZW,
    body,
  }))
  await room.sendService.sendAll(sending.service.accountId, inputs, () => null)
  await eventually(async () => (await statusesOf(world)).SENT === 2, 'two of three are SENT')
  const [open] = await handoffsOf(world)
  await sendTo(sending, room)
  await eventually(async () => {
    const left = await handoffsOf(world)
    return left.length === 1 && left[0] === open
  }, 'only the handoff of the fourth is closed')
  await sending.advance(61)
  const carrier = fakeCarrier()
  fakeRoom(world, carrier).run()
  await eventually(async () => (await statusesOf(world)).SENT === 4, 'all are SENT')
  assert.deepEqual(
    carrier.submitted.map(({ body }) => body),
    ['Thinking'],
  )
  gate.release()
})

test('a message whose outcome cannot be recorded is settled when its lease ends', async (t) => {
  const sending = await sendingService(t)
  const world = dispatching(sending)
  await world.db.query(sql`alter table messages add constraint broken check (status <> 'SENT')`)
  const room = fakeRoom(world, fakeCarrier())
  await sendTo(sending, room)
  await room.stop()
  assert.equal(await countOf(world, 'handoffs'), 1)
  await world.db.query(sql`alter table messages drop constraint broken`)
  const carrier = fakeCarrier()
  fakeRoom(world, carrier).run()
  // It was sent: the lease ends, then the wait for a receipt, and it is not sent again.
  await eventually(async () => {
    await sending.advance(61)
    return (await statusesOf(world)).SENT === 1
  }, 'it is SENT')
  assert.deepEqual(carrier.submitted, [])
})

test('a stopping process first records what it has in flight', async (t) => {
  const sending = await sendingService(t)
  const world = dispatching(sending)
  const gate = gated(t)
  const carrier = fakeCarrier(() => gate.open.then(() => ({ kind: 'sent' })))
  const room = fakeRoom(world, carrier)
  await Promise.all(Array.from({ length: 10 }, () => sendTo(sending, room)))
  const stopped = room.stop()
  gate.release()
  await stopped
  assert.deepEqual(await statusesOf(world), { SENT: 10 })
  assert.equal(await countOf(world, 'handoffs'), 0)
  assert.equal(carrier.submitted.length, 10)
})

test('scheduled, postponed, and abandoned messages are sent by the next process', async (t) => {
  const sending = await sendingService(t)
  const world = dispatching(sending)
  const first = fakeRoom(
    world,
    fakeCarrier(() => ({ kind: 'slow_down', retryAfterMs: 90_000 })),
  )
  const scheduledAt = new Date(world.clock.now().getTime() + 120_000).toISOString()
  const scheduled = await sending.send({ scheduledAt, body: 'Scheduled' })
  await sendTo(sending, first) // is postponed
  await first.stop()
  const carrier = fakeCarrier()
  const next = fakeRoom(world, carrier)
  await next.step()
  await next.stop()
  assert.deepEqual(carrier.submitted, [], 'nothing is due yet')
  await sending.advance(121)
  const last = fakeRoom(world, carrier)
  last.run()
  await sending.until(scheduled, 'SENT')
  await eventually(async () => (await statusesOf(world)).SENT === 2, 'both are SENT')
  assert.equal(carrier.submitted.length, 2, 'each once')
})

test('if the balance runs out within a batch, accepted messages are still sent', async (t) => {
  const sending = await sendingService(t, { balance: '5' })
  const world = dispatching(sending)
  const covered = Math.floor((await sending.service.balance()) / SMS_PRICE)
  const room = fakeRoom(world, fakeCarrier())
  room.run()
  const answers = await Promise.all(
    Array.from({ length: covered + 20 }, () => sendTo(sending, room)),
  )
  assert.equal(answers.filter((answer) => 'id' in answer).length, covered)
  await eventually(async () => (await statusesOf(world)).SENT === covered, 'all are SENT')
  await eventually(async () => (await countOf(world, 'handoffs')) === 0, 'no lease is left')
})

test('messages to one recipient reach the carrier in the order of their sends', async (t) => {
  const sending = await sendingService(t)
  const world = dispatching(sending)
  const bodies = Array.from({ length: 30 }, (_, i) => `No. ${i}`)
  const inputs = bodies.map((body) => ({ campaign: sending.campaignId, to: VZW, body }))
  const handed = fakeCarrier()
  const first = fakeRoom(world, handed)
  await first.sendService.sendAll(sending.service.accountId, inputs, () => null)
  await first.stop()
  assert.deepEqual(
    handed.submitted.map(({ body }) => body),
    bodies,
    'as they are accepted',
  )
  await sending.service.post('/v1/message/batch', { messages: inputs })
  await sending.send({ body: 'The last one' })
  const claimed = fakeCarrier()
  const second = fakeRoom(world, claimed)
  await second.step()
  await second.stop()
  assert.deepEqual(
    claimed.submitted.map(({ body }) => body),
    [...bodies, 'The last one'],
    'and from the queue',
  )
})
