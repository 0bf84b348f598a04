// How long a message stays valid: after that it is EXPIRED and refunded, whatever it waited for.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { nextPacificMidnight } from '../../src/messages/lane.js'
import { type Answering, fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { eventually } from '../harness.js'
import {
  ATT,
  assertDollars,
  changeCampaign,
  eventsOf,
  SMS_PRICE,
  sendingService,
  TMO,
  VZW,
} from '../sending.js'

const HOUR_S = 3600

/** A service that sends nothing automatically: the test claims messages and expires them. */
async function stage(t: TestContext, answer?: Answering) {
  const sending = await sendingService(t)
  const { world } = sending.service
  const carrier = fakeCarrier(answer)
  const room = fakeRoom(world, carrier)
  return {
    ...sending,
    carrier,
    room,
    sweep: () => room.expiryLoop.step(new AbortController().signal),
    textsOf: async (id: string): Promise<string[]> =>
      (await sending.service.get(`/v1/message/${id}/timeline`)).body.timeline.map(
        (entry: { text: string }) => entry.text,
      ),
  }
}

test('a message that nobody sends expires after 4 hours and is refunded', async (t) => {
  const { service, send, message, until, advance, sweep, textsOf, room, carrier } = await stage(t)
  const before = await service.balance()
  const id = await send()
  assert.equal((await message(id)).validitySeconds, 4 * HOUR_S)
  await advance(4 * HOUR_S - 60)
  assert.equal(await sweep(), 0)
  await advance(61)
  await sweep()
  const expired = await until(id, 'EXPIRED')
  assert.deepEqual(
    [expired.errorCode, expired.errorMessage, expired.price],
    [1400, 'The message could not be sent within its validity', 0],
  )
  assert.equal((await textsOf(id)).at(-1), 'Expired: not sent within its validity of 4 hours')
  assertDollars(await service.balance(), before)
  assert.equal(await room.step(), 0)
  assert.deepEqual(carrier.submitted, [])
})

test('a send sets its validity, alone and in a batch', async (t) => {
  const { service, campaignId, send, message, until, advance, room, carrier } = await stage(t)
  const before = await service.balance()
  const short = await send({ validitySeconds: 60 })
  const input = { campaign: campaignId, to: VZW, body: 'Hello', validitySeconds: 7200 }
  const { results } = (await service.post('/v1/message/batch', { messages: [input] })).body
  const long = results[0].id
  assert.equal((await message(short)).validitySeconds, 60)
  assert.equal((await message(long)).validitySeconds, 7200)
  await advance(61)
  await room.step()
  await until(long, 'SENT')
  await until(short, 'EXPIRED')
  assert.deepEqual(
    carrier.submitted.map(({ id }) => id),
    [long],
  )
  assertDollars(await service.balance(), before - SMS_PRICE)
})

test('an invalid validity is refused with the bounds', async (t) => {
  const { trySend } = await stage(t)
  for (const validitySeconds of [59, 14_401, 90.5, '60', -1]) {
    const { status, body } = await trySend({ validitySeconds })
    assert.equal(status, 400, String(validitySeconds))
    assert.match(body.error, /^validitySeconds must be/)
  }
  assert.equal((await trySend({ validitySeconds: 14_400 })).status, 200)
})

test('a message scheduled for Monday is not sent in December because the service was off', async (t) => {
  const { service, send, until, advance, room, carrier, kinds } = await stage(t)
  const before = await service.balance()
  const scheduledAt = new Date(service.world.clock.now().getTime() + HOUR_S * 1000).toISOString()
  const missed = await send({ scheduledAt })
  await advance(30 * 24 * HOUR_S)
  await room.step()
  await until(missed, 'EXPIRED')
  assert.deepEqual(carrier.submitted, [])
  assert.deepEqual(await kinds(missed), ['created', 'queued', 'expired'])
  assert.deepEqual(
    (await eventsOf(service, missed)).map((event) => event.status),
    ['QUEUED', 'EXPIRED'],
  )
  assertDollars(await service.balance(), before)
})

test('the validity of a scheduled message starts when it is due', async (t) => {
  const { service, send, message, until, advance, room, sweep } = await stage(t)
  const scheduledAt = new Date(service.world.clock.now().getTime() + HOUR_S * 1000).toISOString()
  const id = await send({ scheduledAt, validitySeconds: 600 })
  await advance(HOUR_S + 540)
  await sweep()
  assert.equal((await message(id)).status, 'SCHEDULED')
  await room.step()
  await until(id, 'SENT')
})

test('a message that waits for a limit expires there, also behind others with a longer validity', async (t) => {
  const { service, campaignId, send, until, message, advance, room, sweep } = await stage(t)
  await changeCampaign(service, campaignId, { smsTpmAtt: 1 })
  const ids = [await send({ to: ATT }), await send({ to: ATT })]
  const short = await send({ to: ATT, validitySeconds: 60 })
  await room.step()
  await until(ids[0]!, 'SENT')
  await advance(61)
  await sweep()
  await until(short, 'EXPIRED')
  assert.equal((await message(ids[1]!)).status, 'QUEUED')
})

test('a throttled message is attempted as often as the validity allows, not 20 times', async (t) => {
  const { service, send, message, until, advance, room, kinds } = await stage(t, ({ attempt }) =>
    attempt <= 25 ? { kind: 'slow_down', retryAfterMs: 5_000 } : { kind: 'sent' },
  )
  const before = await service.balance()
  const id = await send()
  const brief = await send({ validitySeconds: 60 })
  room.run()
  await eventually(async () => {
    await advance(6)
    return (await message(id)).status === 'SENT'
  })
  assert.equal((await kinds(id)).filter((kind) => kind === 'slow').length, 25)
  await until(brief, 'EXPIRED')
  const { timeline } = (await service.get(`/v1/message/${brief}/timeline`)).body
  assert.match(
    timeline.at(-1).text,
    /^Expired: not sent within its validity of 1 minute \(\d+ attempts\)$/,
  )
  assert.equal(timeline[1].text, 'Throttled by the carrier. Next attempt in 5.0 s')
  assertDollars(await service.balance(), before - SMS_PRICE)
})

test('a carrier’s delay beyond the validity is not waited for', async (t) => {
  const { send, until, advance, room, textsOf } = await stage(t, () => ({
    kind: 'slow_down',
    retryAfterMs: 600_000,
  }))
  const id = await send({ validitySeconds: 300 })
  await room.step()
  await eventually(async () => (await textsOf(id)).length === 2)
  assert.equal(
    (await textsOf(id))[1],
    'Throttled by the carrier. It expires before the next attempt',
  )
  await advance(301)
  room.run()
  await until(id, 'EXPIRED')
})

test('while the daily cap holds messages, their validity is suspended, day after day', async (t) => {
  const { service, campaignId, send, until, message, advance, room, sweep, kinds } = await stage(t)
  const { clock } = service.world
  const toMidnightS = () => (nextPacificMidnight(clock.now()).getTime() - clock.nowMs()) / 1000
  await changeCampaign(service, campaignId, { dailyTmoCap: 1, holdAtDailyCap: true })
  await advance(toMidnightS() + 6 * HOUR_S)
  const ids = [await send({ to: TMO }), await send({ to: TMO }), await send({ to: TMO })]
  const short = await send({ to: TMO, validitySeconds: 120 })
  await room.step()
  await until(ids[0]!, 'SENT')
  for (const id of [...ids.slice(1), short]) {
    await advance(toMidnightS() - 60)
    await sweep()
    assert.equal((await message(id)).status, 'QUEUED')
    await advance(61)
    await room.step()
    await until(id, 'SENT')
  }
  assert.deepEqual(await kinds(short), ['created', 'waited', 'sent'])
})

test('after midnight the validity of held messages continues', async (t) => {
  const { service, campaignId, send, until, advance, room, sweep } = await stage(t)
  const { clock } = service.world
  const toMidnightS = () => (nextPacificMidnight(clock.now()).getTime() - clock.nowMs()) / 1000
  await changeCampaign(service, campaignId, { dailyTmoCap: 1, holdAtDailyCap: true })
  await advance(toMidnightS() + 6 * HOUR_S)
  const first = await send({ to: TMO })
  const held = await send({ to: TMO })
  await room.step()
  await until(first, 'SENT')
  await advance(toMidnightS() + 4 * HOUR_S + 60) // and nobody was there
  await sweep()
  await until(held, 'EXPIRED')
})
