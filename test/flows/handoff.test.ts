// What is accepted by a dispatching process is sent by it at once, under a lease that is a row of its
// own. Whatever becomes of that process, each message goes out, and none of them twice.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/sql.js'
import type { World } from '../../src/kit/world.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { eventually } from '../harness.js'
import { type Sending, SMS_PRICE, sendingService, VZW } from '../sending.js'

function dispatching({ service: { world } }: Sending): World {
  return { ...world, config: { ...world.config, roles: ['dispatch'] } }
}

function sendTo(sending: Sending, room: Pick<ReturnType<typeof fakeRoom>, 'sender'>) {
  const input = { campaign: sending.campaignId, to: VZW, body: 'Hello' }
  return room.sender.send(sending.service.accountId, input, null)
}

async function countOf(world: World, table: 'handoffs' | 'lanes'): Promise<number> {
  const rows = await world.db.query(
    table === 'handoffs' ? sql`select 1 from handoffs` : sql`select 1 from lanes`,
  )
  return rows.length
}

async function statusesOf(world: World): Promise<Record<string, number>> {
  const rows = await world.db.query<{ status: string; count: number }>(sql`
    select status, count(*)::int as count from messages group by status`)
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

test('a message that is sent at once goes through no queue and leaves no lease', async (t) => {
  const sending = await sendingService(t)
  const world = dispatching(sending)
  const carrier = fakeCarrier()
  const room = fakeRoom(t, world, carrier)
  await Promise.all(Array.from({ length: 40 }, () => sendTo(sending, room)))
  await eventually(async () => (await statusesOf(world)).SENT === 40, 'all are SENT')
  await eventually(async () => (await countOf(world, 'handoffs')) === 0, 'no lease is left')
  assert.equal(await countOf(world, 'lanes'), 0)
  assert.equal(carrier.submitted.length, 40)
})

test('what a dead process had in hand is sent by another when the lease ends', async (t) => {
  const sending = await sendingService(t)
  const world = dispatching(sending)
  let release = () => {}
  const silence = new Promise<void>((resolve) => {
    release = resolve
  })
  const dead = fakeRoom(
    t,
    world,
    fakeCarrier(() => silence.then(() => ({ kind: 'sent' }))),
  )
  await Promise.all(Array.from({ length: 30 }, () => sendTo(sending, dead)))
  const carrier = fakeCarrier()
  const heir = fakeRoom(t, world, carrier)
  await heir.step()
  assert.equal(carrier.submitted.length, 0, 'the lease holds')
  await sending.advance(61)
  heir.run()
  await eventually(async () => (await statusesOf(world)).SENT === 30, 'all are SENT')
  assert.equal(new Set(carrier.submitted.map(({ messageId }) => messageId)).size, 30)
  assert.equal(carrier.submitted.length, 30, 'each once')
  assert.equal(await countOf(world, 'handoffs'), 0)
  release() // late answers of the first process change nothing
  await dead.stop()
  assert.deepEqual(await statusesOf(world), { SENT: 30 })
})

test('a message whose lease is over before it could be submitted is left to the queue', async (t) => {
  const sending = await sendingService(t)
  const world = dispatching(sending)
  const carrier = fakeCarrier()
  const room = fakeRoom(t, world, carrier)
  await sendTo(sending, room) // from now on the campaign is known
  const accepted = sendTo(sending, room)
  world.clock.moveTo(world.clock.offsetMs + 61_000) // while the database is at it
  await accepted
  await eventually(async () => (await statusesOf(world)).SENT === 1, 'the first one is SENT')
  assert.equal((await statusesOf(world)).QUEUED, 1)
  assert.equal(carrier.submitted.length, 1)
  room.run()
  await eventually(async () => (await statusesOf(world)).SENT === 2, 'both are SENT')
  assert.equal(carrier.submitted.length, 2)
})

test('where money ends within a batch, what was accepted is sent all the same', async (t) => {
  const sending = await sendingService(t, { balance: '5' })
  const world = dispatching(sending)
  const covered = Math.floor((await sending.service.balance()) / SMS_PRICE)
  const room = fakeRoom(t, world, fakeCarrier())
  room.run()
  const answers = await Promise.all(
    Array.from({ length: covered + 20 }, () => sendTo(sending, room)),
  )
  assert.equal(answers.filter((answer) => 'id' in answer).length, covered)
  await eventually(async () => (await statusesOf(world)).SENT === covered, 'all are SENT')
  await eventually(async () => (await countOf(world, 'handoffs')) === 0, 'no lease is left')
})
