// The carrier limits, enforced by one dispatcher: per minute toward AT&T, per day toward T-Mobile.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { World } from '../../src/kit/world.js'
import { claimLane } from '../../src/messages/dispatch/claim-lane.js'
import { nextPacificMidnight } from '../../src/messages/lane.js'
import { findDueLanes } from '../../src/messages/lane-queries.js'
import { type Answering, fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { eventually } from '../harness.js'
import { byPath, mediaServer } from '../media-server.js'
import {
  ATT,
  assertDollars,
  changeCampaign,
  receiptsArrive,
  SMS_PRICE,
  sendingService,
  TMO,
  VZW,
} from '../sending.js'

type Limits = {
  smsTpmAtt?: number
  mmsTpmAtt?: number
  dailyTmoCap?: number
  holdAtDailyCap?: boolean
}

async function limited(
  t: Parameters<typeof sendingService>[0],
  limits: Limits,
  answer?: Answering,
) {
  const sending = await sendingService(t)
  const { world } = sending.service
  await changeCampaign(sending.service, sending.campaignId, limits)
  await sending.advance(toMidnightS(world) + 6 * 3600) // far from the next midnight
  const carrier = fakeCarrier(answer)
  const room = fakeRoom(world, carrier)
  return { ...sending, carrier, room, sentIds: () => carrier.submitted.map((s) => s.id) }
}

/** Seconds until midnight Pacific time. */
function toMidnightS({ clock }: World): number {
  const now = clock.now()
  return (nextPacificMidnight(now).getTime() - now.getTime()) / 1000
}

test('messages to AT&T up to the limit leave in one minute, and the rest in the next', async (t) => {
  const { send, until, advance, room, sentIds } = await limited(t, { smsTpmAtt: 3 })
  const two = await send({ to: ATT, body: 'x'.repeat(200) })
  const next = await send({ to: ATT, body: 'y'.repeat(200) })
  const one = await send({ to: ATT })
  const open = await send({ to: VZW })
  await room.step()
  await until(two, 'SENT')
  await until(open, 'SENT')
  assert.deepEqual(sentIds().sort(), [two, open].sort(), 'other networks do not wait')
  await advance(45)
  assert.equal(await room.step(), 0)
  await advance(20)
  await room.step()
  await until(one, 'SENT')
  assert.deepEqual(sentIds().slice(2), [next, one])
})

test('a STOP is confirmed before everything that waits', async (t) => {
  const { service, number, send, until, advance, room, carrier } = await limited(t, {
    smsTpmAtt: 1,
  })
  const first = await send({ to: ATT })
  const second = await send({ to: ATT })
  await room.step()
  await until(first, 'SENT')
  await service.post('/sandbox/inbound', { from: '+14155550102', to: number, body: 'STOP' })
  await advance(64)
  await room.step()
  await eventually(async () => carrier.submitted.length === 2, 'the answer')
  await advance(64)
  await room.step()
  await until(second, 'SENT')
  assert.deepEqual(
    carrier.submitted.map(({ to }) => to),
    [ATT, '+14155550102', ATT],
  )
})

test('SMS and MMS toward AT&T have separate limits', async (t) => {
  const { send, message, until, kinds, room } = await limited(t, { smsTpmAtt: 1, mmsTpmAtt: 1 })
  const mediaUrls = [`${await mediaServer(t, byPath())}/image/png`]
  const first = [await send({ to: ATT }), await send({ to: ATT, mediaUrls })]
  const second = [await send({ to: ATT }), await send({ to: ATT, mediaUrls })]
  room.run()
  for (const id of first) await until(id, 'SENT')
  for (const id of second) {
    await eventually(async () => (await kinds(id)).at(-1) === 'waiting')
    assert.equal((await message(id)).status, 'QUEUED')
  }
})

test('over the daily cap toward T-Mobile, messages fail with 1320 until midnight Pacific time', async (t) => {
  const { service, send, until, advance, room } = await limited(t, { dailyTmoCap: 2 })
  const before = await service.balance()
  const ids = [await send({ to: TMO }), await send({ to: TMO }), await send({ to: TMO })]
  await room.step()
  await until(ids[0]!, 'SENT')
  await until(ids[1]!, 'SENT')
  const failed = await until(ids[2]!, 'FAILED')
  assert.equal(failed.errorCode, 1320)
  assert.equal(
    failed.errorMessage,
    'The daily message cap toward this carrier has been reached. To make messages wait for the next day, set holdAtDailyCap on the campaign',
  )
  assert.equal(failed.price, 0, 'no carrier saw it')
  assertDollars(await service.balance(), before - 2 * SMS_PRICE)

  await advance(toMidnightS(service.world) + 1)
  const tomorrow = await send({ to: TMO })
  await room.step()
  await until(tomorrow, 'SENT')
})

test('messages of a campaign that holds at the cap wait for midnight', async (t) => {
  const { service, send, message, until, advance, room, kinds } = await limited(t, {
    dailyTmoCap: 1,
    holdAtDailyCap: true,
  })
  const first = await send({ to: TMO })
  const held = await send({ to: TMO })
  await room.step()
  await until(first, 'SENT')
  assert.equal((await message(held)).status, 'QUEUED')
  const midnight = nextPacificMidnight(service.world.clock.now())
  const { timeline } = (await service.get(`/v1/message/${held}/timeline`)).body
  assert.equal(
    timeline.at(-1).text,
    `Waiting until ${midnight.toISOString()}, because the T-Mobile daily cap of 1 was reached`,
  )
  await advance(toMidnightS(service.world) - 60)
  assert.equal(await room.step(), 0)
  await advance(61)
  await room.step()
  await until(held, 'SENT')
  assert.deepEqual(await kinds(held), ['created', 'waited', 'sent'])
})

test('a message that waited for midnight is attempted as often as any other', async (t) => {
  const { service, send, until, message, advance, room, kinds } = await limited(
    t,
    { dailyTmoCap: 1, holdAtDailyCap: true },
    ({ attempt, body }) => ({ kind: body === 'Held' && attempt === 1 ? 'slow_down' : 'sent' }),
  )
  const first = await send({ to: TMO })
  const held = await send({ to: TMO, body: 'Held' })
  await room.step()
  await until(first, 'SENT')
  await advance(toMidnightS(service.world) + 3600)
  room.run()
  await eventually(async () => {
    await advance(5)
    return (await message(held)).status === 'SENT'
  })
  assert.deepEqual(await kinds(held), ['created', 'waited', 'slow', 'sent'])
})

test('a retry on the same day uses nothing more of the daily cap', async (t) => {
  const { send, message, kinds, room, advance } = await limited(
    t,
    { dailyTmoCap: 1 },
    ({ attempt }) => ({
      kind: attempt < 3 ? 'slow_down' : 'sent',
    }),
  )
  const id = await send({ to: TMO })
  room.run()
  await eventually(async () => {
    await advance(5)
    return (await message(id)).status === 'SENT'
  })
  assert.deepEqual(await kinds(id), ['created', 'slow', 'slow', 'sent'])
})

for (const [name, link] of [
  ['a simulated carrier', { isSimulated: true }],
  ['a link that may repeat', { afterUnknown: () => ({ waitMs: 1_000, mayRepeat: true }) }],
] as const) {
  test(`a message that a dead process may have sent over ${name} uses the daily cap again`, async (t) => {
    const { service, send, until, advance } = await limited(t, { dailyTmoCap: 2 })
    await receiptsArrive(service)
    let die = () => {}
    const death = new Promise<void>((resolve) => {
      die = resolve
    })
    const silent = fakeCarrier(() => death.then(() => ({ kind: 'sent' })))
    const dying = fakeRoom(service.world, { ...silent, ...link })
    const id = await send({ to: TMO })
    await dying.step()
    await eventually(async () => silent.submitted.length === 1)

    const carrier = fakeCarrier()
    fakeRoom(service.world, { ...carrier, ...link }).run()
    await advance(62) // once: the process that takes over has its own lease
    await until(id, 'SENT')
    const { errorCode } = await until(await send({ to: TMO }), 'FAILED')
    assert.equal(errorCode, 1320, 'the cap is used up')
    const seen = [...silent.submitted, ...carrier.submitted].map(({ id }) => id)
    assert.deepEqual(seen, [id, id])
    die()
  })
}

test('a message that a dead process claimed but did not send keeps its share of the daily cap', async (t) => {
  const { service, send, until, advance, room, sentIds } = await limited(t, { dailyTmoCap: 1 })
  const { db, clock } = service.world
  const id = await send({ to: TMO })
  const [lane] = await findDueLanes(db, clock.now(), 1)
  const leaseUntil = new Date(clock.now().getTime() + 60_000)
  const options = { leaseUntil, checksMax: 0, isJournaled: true }
  assert.equal((await claimLane(db, lane!, clock.now(), options)).messages.length, 1)
  await advance(62)
  await room.step()
  await until(id, 'SENT')
  assert.deepEqual(sentIds(), [id])
})

test('a message over the daily cap is not charged, no matter what stopped it', async (t) => {
  const { service, send, until, room } = await limited(t, { dailyTmoCap: 1 }, () => ({
    kind: 'failed',
    errorCode: 1320,
  }))
  const before = await service.balance()
  const theirs = await send({ to: TMO })
  const ours = await send({ to: TMO })
  await room.step()
  const [seen, unseen] = [await until(theirs, 'FAILED'), await until(ours, 'FAILED')]
  assert.deepEqual([seen.errorCode, seen.price], [1320, 0])
  assert.deepEqual([unseen.errorCode, unseen.price], [1320, 0])
  assertDollars(await service.balance(), before)
  const { usage } = (await service.get('/v1/account/usage')).body
  assertDollars(usage[0].cost, 0)
})

test('a message that can never fit a limit fails immediately and costs nothing', async (t) => {
  const { service, send, until, room } = await limited(t, { smsTpmAtt: 1 })
  const before = await service.balance()
  const id = await send({ to: ATT, body: 'x'.repeat(200) })
  await room.step()
  const { errorCode, errorMessage, price } = await until(id, 'FAILED')
  assert.deepEqual([errorCode, price], [1375, 0])
  assert.match(errorMessage, /more segments than the campaign's limit/)
  assertDollars(await service.balance(), before)
})
