// STOP, START, and HELP: who can receive messages, the replies, and the events.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type Reply, type TestService } from '../harness.js'
import {
  ATT,
  assertDollars,
  changeCampaign,
  eventsOf,
  idOf,
  type Sending,
  SMS_PRICE,
  sendingService,
  TMO,
  told,
  VZW,
} from '../sending.js'

/** What one phone has received, newest first. */
async function received({ service }: Sending, phone = VZW): Promise<string[]> {
  const { body } = await service.get(`/sandbox/handset/${phone.slice(1)}`)
  const toPhone = body.messages.filter((m: { direction: string }) => m.direction === 'OUTBOUND')
  return toPhone.map((m: { body: string }) => m.body)
}

async function timelineOf(service: TestService, id: string): Promise<unknown[]> {
  return (await service.get(`/v1/message/${id}/timeline`)).body.timeline
}

test('STOP opts out and gets one reply, and later sends are refused', async (t) => {
  const sending = await sendingService(t, { roles: ['dispatch'] })
  const { service, campaignId, number, inbound, trySend, until } = sending
  const before = await service.balance()
  const stop = idOf(await inbound(VZW, 'STOP'))
  const list = await service.get(`/v1/message/list?campaign=${campaignId}`)
  const [reply, keyword] = list.body.messages
  const [incoming, optout, ...others] = await eventsOf(service, stop)
  assert.deepEqual(others, [])
  assert.deepEqual(
    [incoming!.eventType, incoming!.data],
    [
      'message.incoming',
      { keyword: 'STOP', match: 'exact', replyId: reply.id, optoutSuspected: false },
    ],
  )
  assert.equal(optout!.eventType, 'recipient.optout')
  const { optedOutAt, ...data } = optout!.data
  assert.deepEqual(data, {
    recipient: VZW,
    number,
    campaignId,
    keyword: 'STOP',
    match: 'exact',
    messageId: stop,
  })
  assert.match(optedOutAt, /^\d{4}-.*Z$/)

  assert.equal(keyword.id, stop)
  assert.deepEqual([reply.from, reply.to, reply.price], [number, VZW, 0])
  assert.match(reply.body, /^Acme: .*no more messages/)
  await until(reply.id, 'DELIVERED') // the only message to someone who opted out

  await inbound(VZW, 'stop')
  await inbound(VZW, 'Unsubscribe')
  assert.equal((await received(sending)).length, 1, 'one confirmation, however often they ask')
  assert.deepEqual(told(await trySend()), [422, 'Recipient has opted out'])
  assertDollars(await service.balance(), before)
})

test('START opts in again, HELP changes nothing, and both get a reply', async (t) => {
  const sending = await sendingService(t)
  const { inbound, trySend } = sending
  await inbound(VZW, 'STOP')
  await inbound(VZW, 'HELP')
  assert.match((await received(sending))[0]!, /^Acme: .*https:\/\/acme\.example$/)
  assert.equal((await trySend()).status, 422)
  await inbound(VZW, 'Start')
  assert.match((await received(sending))[0]!, /^Acme: You will now receive our messages/)
  assert.equal((await trySend()).status, 200)
  await inbound(VZW, 'STOP')
  assert.equal((await received(sending)).length, 5, 'a new opt-out is confirmed again')
})

test('a keyword is a whole body, however it is written', async (t) => {
  const { inbound, service } = await sendingService(t)
  const asked = async (body: string) => {
    const reply: Reply = await inbound(ATT, body)
    const [incoming] = await eventsOf(service, idOf(reply))
    return incoming!.data.keyword
  }
  for (const [body, keyword] of [
    ['ＳＴＯＰ', 'STOP'],
    [' "Stop." ', 'STOP'],
    ['\u200bstop\ufe0f', 'STOP'],
    ['STOP  ALL', 'STOP'],
    ['opt-out', 'STOP'],
    ['Yes!', 'START'],
    ['info?', 'HELP'],
    ['stop by the store', null],
    ['I will be there at 8, stop', null],
    ['', null],
  ] as const) {
    assert.equal(await asked(body), keyword, body)
  }
})

test('free text can opt out, and the event shows that it was free text', async (t) => {
  const sending = await sendingService(t)
  const { service, inbound, trySend } = sending
  const words = 'Wrong number, please stop texting me'
  const [incoming, optout, ...others] = await eventsOf(service, idOf(await inbound(VZW, words)))
  assert.deepEqual(others, [])
  assert.deepEqual([incoming!.data.keyword, incoming!.data.match], ['STOP', 'near'])
  assert.deepEqual([optout!.data.keyword, optout!.data.match], [words, 'near'])
  assert.deepEqual(told(await trySend()), [422, 'Recipient has opted out'])
  assert.match((await received(sending))[0]!, /no more messages/)
})

test('a long refusal is stored up to a whole character, emoji or not', async (t) => {
  const { service, inbound, campaignId } = await sendingService(t)
  const words =
    'Please stop texting me. Stop sending me messages. Take me off your list. Leave me alone now. '
  const text = `${words.padEnd(99, '.')}🛑 stop`
  assert.equal((await inbound(VZW, text)).status, 200)
  const { body } = await service.get(`/v1/campaign/${campaignId}/optouts`)
  assert.deepEqual(
    body.optouts.map((optout: { keyword: string }) => optout.keyword.isWellFormed()),
    [true],
  )
})

test('if the campaign turns it off, free-text opt-outs are only flagged', async (t) => {
  const { service, campaignId, inbound, trySend } = await sendingService(t)
  const settings = { actsOnNearOptout: false }
  const patch = await service.call('PATCH', `/v1/campaign/${campaignId}`, settings)
  assert.equal(patch.status, 200)
  const id = idOf(await inbound(VZW, 'please stop texting me'))
  const [incoming, ...others] = await eventsOf(service, id)
  assert.deepEqual(incoming!.data, {
    keyword: null,
    match: null,
    replyId: null,
    optoutSuspected: true,
  })
  assert.deepEqual(others, [])
  assert.equal((await trySend()).status, 200)
})

test('every kind of refusal opts its sender out, and other talk of stops does not', async (t) => {
  const { inbound, service, campaignId } = await sendingService(t)
  const refusals = ['S T O P', '🛑', 'STOP2END', 'leave me alone', 'PARAR', 'no me escriban más']
  const innocents = [
    'can you stop by at 5?',
    'don’t stop the music',
    '¿a qué hora paran?',
    'Thanks',
  ]
  const phone = (i: number) => `+1415555${String(3100 + i)}`
  for (const [i, body] of [...refusals, ...innocents].entries()) await inbound(phone(i), body)
  const { body } = await service.get(`/v1/campaign/${campaignId}/optouts?limit=100`)
  const optedOut = body.optouts.map((optout: { keyword: string }) => optout.keyword)
  assert.deepEqual(optedOut.sort(), [...refusals].sort())
})

test('automatic replies are marked as such, in lists and events', async (t) => {
  const { service, campaignId, inbound, send, until } = await sendingService(t, {
    roles: ['dispatch'],
  })
  const plain = await send()
  for (const body of ['HELP', 'leave me alone', 'start']) await inbound(VZW, body)
  const { body } = await service.get(`/v1/message/list?campaign=${campaignId}&limit=100`)
  const marks = (direction: string) =>
    body.messages
      .filter((m: { direction: string }) => m.direction === direction)
      .map((m: { automatic: string | null }) => m.automatic)
  assert.deepEqual(marks('OUTBOUND'), ['START', 'STOP', 'HELP', null])
  assert.deepEqual(marks('INBOUND'), [null, null, null])
  assert.equal((await until(plain, 'DELIVERED')).automatic, null)
})

test('a campaign has its own keywords and replies', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId, inbound, trySend } = sending
  const own = ['STOP', 'QUIT', 'END', 'REVOKE', 'OPT OUT', 'CANCEL', 'UNSUBSCRIBE', 'ALTO']
  const { status, body } = await service.call('PATCH', `/v1/campaign/${campaignId}`, {
    optoutKeywords: own,
    optinKeywords: ['Vamos'],
    optoutMessage: 'Acme: hasta luego',
  })
  assert.equal(status, 200, JSON.stringify(body))
  await inbound(VZW, 'alto')
  assert.deepEqual(await received(sending), ['Acme: hasta luego'])
  assert.equal((await trySend()).status, 422)
  await inbound(VZW, 'START')
  assert.equal((await trySend()).status, 422, 'START is not a keyword of this campaign')
  await inbound(VZW, '¡VAMOS!')
  assert.equal((await trySend()).status, 200)
})

test('an opt-out between accept and dispatch fails and refunds the message', async (t) => {
  const { service, send, inbound, until, advance } = await sendingService(t, {
    roles: ['dispatch'],
  })
  const before = await service.balance()
  const slow = await send({ to: '+14155550160' }) // the carrier throttles it
  await inbound('+14155550160', 'STOP')
  await advance(10)
  assert.equal((await until(slow, 'FAILED')).errorCode, 1330)
  assertDollars(await service.balance(), before)
})

test('an opt-out applies only to its campaign', async (t) => {
  const { service, campaignId, inbound, trySend, send, until, message, advance } =
    await sendingService(t, { roles: ['dispatch'] })
  const other = (await activeCampaign(service)).campaignId
  await buyNumber(service, other)
  const slow = '+14155550160' // the carrier throttles it, so both are queued when STOP comes
  const stopped = await send({ to: slow })
  const untouched = await send({ to: slow, campaign: other })
  await inbound(slow, 'STOP')
  assert.deepEqual(told(await trySend({ to: slow })), [422, 'Recipient has opted out'])
  const later = await send({ to: slow, campaign: other })
  const list = async (id: string) =>
    (await service.get(`/v1/campaign/${id}/optouts`)).body.optouts.length
  assert.deepEqual([await list(campaignId), await list(other)], [1, 0])
  await advance(10)
  assert.equal((await until(stopped, 'FAILED')).errorCode, 1330)
  for (const id of [untouched, later]) {
    const entries = (await timelineOf(service, id)).length
    await eventually(async () => {
      await advance(60)
      return (await timelineOf(service, id)).length > entries
    }, 'another attempt')
    assert.equal((await message(id)).status, 'QUEUED')
  }
})

test('a batch for two campaigns checks the opt-outs of each', async (t) => {
  const { service, campaignId, number } = await sendingService(t)
  const other = (await activeCampaign(service)).campaignId
  const otherNumber = await buyNumber(service, other)
  const stop = { body: 'STOP', to: number }
  idOf(await service.post('/sandbox/inbound', { ...stop, from: VZW }))
  idOf(await service.post('/sandbox/inbound', { ...stop, from: ATT, to: otherNumber }))
  const before = await service.balance()
  const messages = [campaignId, other].flatMap((campaign) =>
    [VZW, ATT, TMO].map((to) => ({ campaign, to, body: 'Hello' })),
  )
  for (const list of [messages, messages.toReversed()]) {
    const { body } = await service.post('/v1/message/batch', { messages: list })
    assert.deepEqual(
      body.results.map((result: { error?: string }) => result.error ?? 'accepted'),
      list.map(({ campaign, to }) =>
        to === (campaign === other ? ATT : VZW) ? 'Recipient has opted out' : 'accepted',
      ),
    )
  }
  assertDollars(await service.balance(), before - 8 * SMS_PRICE)
})

test('an opt-out is recorded while its campaign is suspended, without a reply', async (t) => {
  const sending = await sendingService(t)
  const { service, campaignId, inbound, trySend } = sending
  await changeCampaign(service, campaignId, { status: 'SUSPENDED' })
  await inbound(VZW, 'STOP')
  assert.deepEqual(await received(sending), [], 'a suspended campaign sends no reply')
  await changeCampaign(service, campaignId, { status: 'ACTIVE' })
  assert.equal((await trySend()).status, 422)
})

test('many simultaneous STOPs make one opt-out and one reply', async (t) => {
  const sending = await sendingService(t)
  const { inbound, service, campaignId } = sending
  await Promise.all(Array.from({ length: 6 }, () => inbound(VZW, 'STOP')))
  assert.equal((await received(sending)).length, 1)
  const changes = await service.get(`/v1/campaign/${campaignId}/optouts/${VZW.slice(1)}`)
  assert.equal(changes.body.changes.length, 1)
  const events = await service.world.db.query(sql`
    select 1 from events where event_type = 'recipient.optout'`)
  assert.equal(events.length, 1)
})
