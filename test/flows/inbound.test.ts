// Inbound messages: to the right campaign, reported once, and long ones assembled from their parts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { eventually } from '../harness.js'
import { eventsOf, idOf, type Sending, sendingService, VZW } from '../sending.js'

const PARTS = ['One day ', 'all parts ', 'came in order.']

function part({ inbound }: Sending, reference: number, sequence: number, body?: string) {
  const text = body ?? PARTS[sequence - 1]!
  return inbound(VZW, text, { part: { reference, total: PARTS.length, sequence } })
}

async function bodies({ service, campaignId }: Sending): Promise<string[]> {
  const { body } = await service.get(`/v1/message/list?campaign=${campaignId}&direction=INBOUND`)
  return body.messages.map((message: { body: string }) => message.body)
}

test('an inbound message goes to the campaign of its number', async (t) => {
  const { service, inbound } = await sendingService(t)
  const id = idOf(await inbound(VZW, 'Are you open?'))
  assert.deepEqual(await eventsOf(service, id), [
    {
      eventType: 'message.incoming',
      status: 'DELIVERED',
      previousStatus: null,
      sequence: null,
      errorCode: null,
      data: { keyword: null, match: null, replyId: null, optoutSuspected: false },
    },
  ])
})

test('deliverers and dispatchers are notified of an inbound message and its reply', async (t) => {
  const { service, inbound } = await sendingService(t)
  const told: string[] = []
  for (const hint of ['deliveries', 'messages'] as const) {
    t.after(service.world.hints.subscribe(hint, () => told.push(hint)))
  }
  await inbound(VZW, 'HELP')
  // On a cluster, every request announces deliveries, because any may cause some.
  assert.deepEqual([...new Set(told)].toSorted(), ['deliveries', 'messages'])
})

test('parts are assembled in any order, once, even if some come twice', async (t) => {
  const sending = await sendingService(t)
  const { message } = sending
  let reference = 0
  for (const order of [
    [1, 2, 3],
    [3, 2, 1],
    [2, 3, 2, 1],
    [3, 1, 1, 3, 2, 2],
  ]) {
    reference += 1
    const ids = []
    for (const sequence of order) ids.push(idOf(await part(sending, reference, sequence)))
    const whole = ids.filter((id) => id !== null)
    assert.equal(whole.length, 1, `order ${order}`)
    assert.equal((await message(whole[0]!)).body, PARTS.join(''))
  }
  await sending.advance(120)
  assert.equal((await bodies(sending)).length, 4, 'a repeated part makes no second message')
})

test('parts that come at the same time make one whole message', async (t) => {
  const sending = await sendingService(t)
  for (let reference = 1; reference <= 5; reference += 1) {
    const replies = await Promise.all([1, 2, 3].map((n) => part(sending, reference, n)))
    const ids = replies.map(idOf).filter((id) => id !== null)
    assert.equal(ids.length, 1)
  }
  assert.deepEqual(await bodies(sending), Array(5).fill(PARTS.join('')))
})

test('after a minute an incomplete message is delivered, and repeated parts are not', async (t) => {
  const sending = await sendingService(t, { roles: ['dispatch'] })
  const { advance } = sending
  await part(sending, 7, 3)
  await part(sending, 7, 1)
  for (const sequence of [1, 2, 3, 2]) await part(sending, 8, sequence)
  await advance(50)
  assert.equal((await bodies(sending)).length, 1)
  await advance(20)
  await eventually(async () => (await bodies(sending)).length === 2)
  assert.equal((await bodies(sending))[0], 'One day came in order.')
  await advance(120)
  await part(sending, 7, 2)
  assert.equal((await bodies(sending)).length, 2, 'the late part waits for others, like any first')
})

test('a reused reference starts another message', async (t) => {
  const sending = await sendingService(t)
  for (const sequence of [1, 2, 3]) await part(sending, 9, sequence)
  for (const sequence of [2, 1, 3]) await part(sending, 9, sequence, `Second ${sequence}. `)
  await part(sending, 9, 1, 'Third, cut short. ')
  for (const sequence of [1, 2, 3]) await part(sending, 9, sequence, `Fourth ${sequence}. `)
  assert.deepEqual(await bodies(sending), [
    'Fourth 1. Fourth 2. Fourth 3. ',
    'Third, cut short. ',
    'Second 1. Second 2. Second 3. ',
    PARTS.join(''),
  ])
})

test('a keyword that arrives in parts is recognized', async (t) => {
  const { inbound, trySend } = await sendingService(t)
  await inbound(VZW, 'OP', { part: { reference: 1, total: 2, sequence: 2 } })
  await inbound(VZW, 'ST', { part: { reference: 1, total: 2, sequence: 1 } })
  assert.equal((await trySend()).status, 422)
})

test('a carrier may split within a character and send unstorable text', async (t) => {
  const { service, number, message } = await sendingService(t)
  const { listener } = fakeRoom(service.world, fakeCarrier())
  const came = { link: 'fake', carrierId: null, mediaUrls: [], part: null }
  const inbound = { ...came, from: VZW, to: number }
  const [high, low] = ['\ud83d', '\ude00']
  const half = (body: string, sequence: number) =>
    listener.inbound({ ...inbound, body, part: { reference: 1, total: 2, sequence } })
  await half(`A face: ${high}`, 1)
  const { messageId } = await half(`${low}!`, 2)
  assert.equal((await message(messageId!)).body, 'A face: \u{1f600}!')

  const odd = await listener.inbound({ ...inbound, body: `a\0b${high}c` })
  assert.equal((await message(odd.messageId!)).body, 'ab\ufffdc')
  const nobody = await listener.inbound({ ...inbound, to: '+14155550199', body: 'Hi' })
  assert.equal(nobody.messageId, null)
})
