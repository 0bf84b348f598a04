// Carriers that make no sense: what they were asked is tried again, and nobody else notices.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SUBMITS_UNDER_WAY_MAX } from '../../src/messages/dispatch/dispatcher.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { eventually } from '../harness.js'
import { assertDollars, SMS_PRICE, sendingService, VZW } from '../sending.js'

test('an answer that makes no sense is tried again, and stops nobody', async (t) => {
  const { service, send, until, advance, kinds, message } = await sendingService(t)
  const nonsense: unknown[] = [
    undefined,
    null,
    'sent',
    7,
    {},
    { kind: 'banana' },
    { kind: 'toString' },
  ]
  const carrier = fakeCarrier(({ attempt, body }) =>
    attempt === 1 && body.startsWith('Odd') ? nonsense[Number(body.slice(4))] : { kind: 'sent' },
  )
  const room = fakeRoom(t, service.world, carrier)
  const odd = await Promise.all(nonsense.map((_, i) => send({ body: `Odd ${i}` })))
  const sane = await send()
  room.run()
  await until(sane, 'SENT')
  await eventually(async () => {
    await advance(2)
    return (await Promise.all(odd.map(message))).every(({ status }) => status === 'SENT')
  })
  for (const id of odd) assert.deepEqual(await kinds(id), ['created', 'unclear', 'sent'])
})

test('a link that throws, or answers for fewer than it was asked, loses nothing', async (t) => {
  const { service, send, until, advance, kinds } = await sendingService(t)
  let calls = 0
  const carrier = fakeCarrier()
  const submit = carrier.submit
  carrier.submit = async (submissions) => {
    calls += 1
    if (calls === 1) throw new Error('the link is down')
    if (calls === 2) return []
    if (calls === 3) return null as never
    return submit(submissions)
  }
  const room = fakeRoom(t, service.world, carrier)
  const id = await send()
  room.run()
  await eventually(async () => {
    await advance(2)
    return (await kinds(id)).includes('sent')
  })
  assert.deepEqual(await kinds(id), ['created', 'unclear', 'unclear', 'unclear', 'sent'])
  await until(await send(), 'SENT')
})

test('a message that a link cannot take does not hold up those beside it', async (t) => {
  const { service, campaignId, until, kinds } = await sendingService(t)
  const batches: string[][] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const carrier = fakeCarrier()
  const submit = carrier.submit
  carrier.submit = async (submissions) => {
    batches.push(submissions.map(({ body }) => body))
    if (submissions.some(({ body }) => body === 'Poison')) throw new Error('cannot encode')
    if (submissions.some(({ body }) => body.startsWith('Slow'))) await released
    return submit(submissions)
  }
  const sendAll = async (bodies: string[]): Promise<string[]> => {
    const messages = bodies.map((body) => ({ campaign: campaignId, to: VZW, body }))
    const { results } = (await service.post('/v1/message/batch', { messages })).body
    return results.map(({ id }: { id: string }) => id)
  }
  const room = fakeRoom(t, service.world, carrier)
  // As many calls as the dispatcher makes at once are under way: what comes now gathers.
  const slow = await sendAll(Array.from({ length: SUBMITS_UNDER_WAY_MAX }, (_, i) => `Slow ${i}`))
  await room.step()
  await eventually(async () => batches.length === slow.length, 'every call is under way')
  const [one, poison, three] = await sendAll(['One', 'Poison', 'Three'])
  await room.step()
  release()
  await until(one!, 'SENT')
  await until(three!, 'SENT')
  await eventually(async () => (await kinds(poison!)).includes('unclear'))
  assert.deepEqual(batches.slice(slow.length), [
    ['One', 'Poison', 'Three'],
    ['One'],
    ['Poison'],
    ['Three'],
  ])
  for (const id of slow) await until(id, 'SENT')
})

test('a reason that we do not know fails the message as unknown, and is charged', async (t) => {
  const { service, send, until } = await sendingService(t)
  const before = await service.balance()
  const codes = [4242, Number.NaN, 'toString' as never, undefined as never]
  const carrier = fakeCarrier(({ body }) => ({ kind: 'failed', errorCode: codes[Number(body)] }))
  const room = fakeRoom(t, service.world, carrier)
  room.run()
  for (const i of codes.keys()) {
    const failed = await until(await send({ body: String(i) }), 'FAILED')
    assert.equal(failed.errorCode, 1499)
    assert.equal(failed.errorMessage, 'The carrier gave an unknown reason')
  }
  assertDollars(await service.balance(), before - codes.length * SMS_PRICE)
})
