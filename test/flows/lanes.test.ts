// Many dispatchers on one database: limits are exact, and each message is claimed once.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Statement, sql } from '../../src/kit/postgres/sql.js'
import { claimLane } from '../../src/messages/dispatch/claim-lane.js'
import { findDueLanes } from '../../src/messages/lane-queries.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type Json } from '../harness.js'
import { ATT, changeCampaign, type Sending, sendingService, VZW } from '../sending.js'

const DISPATCHERS = 8

async function sendMany({ service, campaignId }: Sending, count: number, input: Json = {}) {
  for (let left = count; left > 0; left -= 1000) {
    const messages = Array.from({ length: Math.min(left, 1000) }, () => ({
      campaign: campaignId,
      to: VZW,
      body: 'Hello',
      ...input,
    }))
    const { body } = await service.post('/v1/message/batch', { messages })
    assert.ok(body.results.every((result: { success: boolean }) => result.success))
  }
}

async function countByStatus({ service }: Sending): Promise<Record<string, number>> {
  const rows = await service.world.db.query<{ status: string; count: number }>(sql`
    select status, count(*)::int as count from messages group by status`)
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

const TERMS = { checksMax: 0, isJournaled: true }

/** How many left in the busiest 60 seconds, by the carrier's clock on arrival. */
function mostInMinute(arrivedMs: readonly number[]): number {
  const within = (fromMs: number) =>
    arrivedMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 60_000).length
  return Math.max(0, ...arrivedMs.map(within))
}

/**
 * When each of this many messages reached the carrier, by eight dispatchers. Time moves whenever the limit stops
 * the lane and nothing is in progress. A move cannot fall between a dispatcher's last read of the clock and the
 * carrier's, so nothing is counted where it did not arrive.
 */
async function arrivals(sending: Sending, limit: number, total: number): Promise<number[]> {
  const { service, campaignId, advance } = sending
  const { accountId } = service
  const { db, clock } = service.world
  await changeCampaign(service, campaignId, { smsTpmAtt: limit })
  await sendMany(sending, total, { to: ATT })
  const arrivedMs: number[] = []
  const carrier = fakeCarrier(() => {
    arrivedMs.push(clock.nowMs())
    return { kind: 'sent' }
  })
  for (let i = 0; i < DISPATCHERS; i += 1) fakeRoom(service.world, carrier).run()
  await eventually(async () => {
    // The account is named in both tables, so a cluster reads them at one time.
    const held = await db.query(sql`
      select 1 from lanes l where account_id = ${accountId}
        and next_due_at > ${clock.now()} and held_from is not null
        and not exists (select 1 from messages m where m.account_id = ${accountId}
          and m.status = 'QUEUED' and m.due_at > ${clock.now()})`)
    if (held.length > 0) await advance(6.3)
    return arrivedMs.length >= total && (await countByStatus(sending)).SENT === total
  })
  assert.equal(arrivedMs.length, total, 'each went out once')
  return arrivedMs
}

test('with eight dispatchers, no 60 seconds exceed the limit', async (t) => {
  const most = mostInMinute(await arrivals(await sendingService(t), 20, 70))
  assert.ok(most <= 20, `${most} in 60 s`)
})

test('a database that is slow to journal submits never exceeds the limit', async (t) => {
  const sending = await sendingService(t)
  const { db } = sending.service.world
  const query = db.query.bind(db)
  let notes = 0
  // Claimed, counted, and not yet at the carrier.
  t.mock.method(db, 'query', async (statement: Statement) => {
    const rows = await query(statement)
    if (statement.text.includes('insert into submits')) {
      notes += 1
      if (notes % 3 === 1) await sending.advance(6.3)
    }
    return rows
  })
  const most = mostInMinute(await arrivals(sending, 20, 70))
  assert.ok(most <= 20, `${most} in 60 s`)
})

test('eight dispatchers send each of 2,000 messages once', async (t) => {
  const sending = await sendingService(t)
  await sendMany(sending, 2_000)
  const carrier = fakeCarrier()
  for (let i = 0; i < DISPATCHERS; i += 1) fakeRoom(sending.service.world, carrier).run()
  await eventually(async () => (await countByStatus(sending)).SENT === 2_000)
  assert.equal(carrier.submitted.length, 2_000)
  assert.equal(new Set(carrier.submitted.map((s) => s.id)).size, 2_000)
})

async function twoCampaigns(t: TestContext) {
  const sending = await sendingService(t)
  const second = await activeCampaign(sending.service)
  await buyNumber(sending.service, second.campaignId)
  return { sending, secondId: second.campaignId }
}

test('a large backlog does not delay the first message of another campaign', async (t) => {
  const { sending, secondId } = await twoCampaigns(t)
  await sendMany(sending, 1_000)
  const carrier = fakeCarrier()
  const room = fakeRoom(sending.service.world, carrier)
  await room.step()
  const first = await sending.send({ campaign: secondId })
  await room.step()
  await eventually(async () => carrier.submitted.some((s) => s.id === first), 'its message')
  assert.equal(carrier.submitted.length, 401, 'two turns of the one lane, one of the other')
})

test('a lane with more work queues behind waiting lanes', async (t) => {
  const { sending, secondId } = await twoCampaigns(t)
  const { db, clock } = sending.service.world
  await sendMany(sending, 300)
  await sending.send({ campaign: secondId })
  const [first] = await findDueLanes(db, clock.now(), 1)
  assert.equal(first!.campaignId, sending.campaignId)
  const leaseUntil = new Date(clock.now().getTime() + 60_000)
  const { messages } = await claimLane(db, first!, clock.now(), { ...TERMS, leaseUntil })
  assert.equal(messages.length, 200)
  const order = (await findDueLanes(db, clock.now(), 10)).map((lane) => lane.campaignId)
  assert.deepEqual(order, [secondId, sending.campaignId])
})

test('messages claimed by a dead dispatcher return to the queue when its lease ends', async (t) => {
  const sending = await sendingService(t)
  const { service, send, until, advance, message } = sending
  const { db, clock } = service.world
  const id = await send()
  const [lane] = await findDueLanes(db, clock.now(), 1)
  const now = clock.now()
  const leaseUntil = new Date(now.getTime() + 60_000)
  const dead = await claimLane(db, lane!, now, { ...TERMS, leaseUntil })
  assert.deepEqual(
    dead.messages.map((m) => m.id),
    [id],
  )
  const carrier = fakeCarrier()
  const room = fakeRoom(service.world, carrier)
  await advance(50)
  assert.equal(await room.step(), 0)
  assert.equal((await message(id)).status, 'QUEUED')
  await advance(15)
  await room.step()
  await until(id, 'SENT')
  assert.equal(carrier.submitted.length, 1)
})

test('a message counts toward its limit when it leaves, not while it waits for its link', async (t) => {
  const sending = await sendingService(t)
  const { service, send, until, advance, kinds } = sending
  await changeCampaign(service, sending.campaignId, { smsTpmAtt: 100 })
  const waiting: (() => void)[] = []
  const carrier = fakeCarrier(async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return { kind: 'sent' }
  })
  carrier.capacityOf = () => 1
  const room = fakeRoom(service.world, carrier)
  const [first, second] = [await send({ to: ATT }), await send({ to: ATT })]
  await room.step()
  await eventually(async () => carrier.submitted.length === 1)
  const used = async () => {
    const { body } = await service.get(`/v1/campaign/${sending.campaignId}/limits`)
    return body.limits.find(({ name }: { name: string }) => name === 'smsTpmAtt').used
  }
  assert.equal(await used(), 1)
  await advance(30)
  waiting.shift()!()
  await until(first, 'SENT')
  await eventually(async () => waiting.length === 1)
  assert.equal(await used(), 2)
  await advance(40)
  assert.equal(await used(), 1, 'the first left more than a minute ago, the second did not')
  waiting.shift()!()
  await until(second, 'SENT')
  assert.deepEqual(await kinds(second), ['created', 'sent'])
})

test('a message that was counted and did not leave is returned to the limit', async (t) => {
  const sending = await sendingService(t)
  const { service, send, until } = sending
  await changeCampaign(service, sending.campaignId, { smsTpmAtt: 1 })
  let isUp = false
  const carrier = fakeCarrier(() =>
    isUp ? { kind: 'sent' } : { kind: 'down', isElsewhereUp: true },
  )
  const room = fakeRoom(service.world, carrier)
  const id = await send({ to: ATT })
  await room.step()
  await eventually(async () => carrier.submitted.length === 1)
  isUp = true
  room.run()
  await until(id, 'SENT')
  assert.equal(carrier.submitted.length, 2, 'and it did not have to wait for a minute')
})
