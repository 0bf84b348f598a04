// Carriers with invalid or missing responses: nothing is resent blindly. A receipt, a late response, a query, or
// the link's setting settles the message, and other messages are not affected.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { permitFor } from '../../src/messages/carrier-port.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { eventually } from '../harness.js'
import { assertDollars, receiptsArrive, sendingService } from '../sending.js'

const UNKNOWN = { kind: 'unknown', detail: 'the link broke', link: 'fake' } as const

test('an invalid response is not retried and does not delay other messages', async (t) => {
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
  const carrier = fakeCarrier(({ body }) =>
    body.startsWith('Odd') ? nonsense[Number(body.slice(4))] : { kind: 'sent' },
  )
  const room = fakeRoom(service.world, carrier)
  const odd = await Promise.all(nonsense.map((_, i) => send({ body: `Odd ${i}` })))
  const sane = await send()
  room.run()
  await until(sane, 'SENT')
  for (const id of odd) await eventually(async () => (await kinds(id)).includes('unknown'))
  for (const id of odd) assert.equal((await message(id)).status, 'QUEUED')
  await advance(121)
  for (const id of odd) {
    await until(id, 'SENT')
    assert.deepEqual(await kinds(id), ['created', 'unknown', 'settled'])
  }
  assert.equal(carrier.submitted.length, odd.length + 1)
})

test('messages are submitted once to a link that throws or returns too few responses', async (t) => {
  const { service, send, until, advance, kinds } = await sendingService(t)
  const carrier = fakeCarrier()
  const { submit } = carrier
  let calls = 0
  carrier.submit = async (submissions) => {
    calls += 1
    if (calls > 3) return submit(submissions)
    await Promise.all(submissions.map((submission) => permitFor(submission, 'fake')))
    if (calls === 1) throw new Error('the link is down')
    if (calls === 2) return []
    return null as never
  }
  const room = fakeRoom(service.world, carrier)
  room.run()
  const ids: string[] = []
  for (let i = 0; i < 3; i++) {
    const id = await send()
    await eventually(async () => (await kinds(id)).includes('unknown'))
    ids.push(id)
  }
  await until(await send(), 'SENT')
  await advance(121)
  for (const id of ids) await until(id, 'SENT')
  assert.equal(calls, 4)
})

test('a message without a response is sent again after the wait if its link allows it', async (t) => {
  const { service, send, until, advance, kinds } = await sendingService(t)
  await receiptsArrive(service)
  const carrier = fakeCarrier(({ attempt }) => (attempt === 1 ? UNKNOWN : { kind: 'sent' }))
  const asked: (string | null)[] = []
  carrier.afterUnknown = (link) => {
    asked.push(link)
    return { waitMs: 30_000, mayRepeat: true }
  }
  const room = fakeRoom(service.world, carrier)
  room.run()
  const id = await send()
  await eventually(async () => (await kinds(id)).includes('unknown'))
  await advance(20)
  assert.equal(carrier.submitted.length, 1)
  await advance(11)
  await until(id, 'SENT')
  assert.deepEqual(await kinds(id), ['created', 'unknown', 'repeated', 'sent'])
  assert.deepEqual(new Set(asked), new Set(['fake']))
})

test('a receipt or a late response settles a message without a response', async (t) => {
  const { service, send, until, advance, kinds } = await sendingService(t)
  const { accountId } = service
  const carrier = fakeCarrier(() => UNKNOWN)
  const room = fakeRoom(service.world, carrier)
  room.run()
  const ids = await Promise.all([send(), send(), send(), send()])
  for (const id of ids) await eventually(async () => (await kinds(id)).includes('unknown'))
  const [receipted, taken, failed, refused] = ids as [string, string, string, string]
  const { receipt, lateAnswer } = room.listener
  const of = { accountId, id: receipted }
  await receipt({ link: 'fake', of, status: 'DELIVERED', errorCode: null })
  const sent = { kind: 'sent', link: 'fake', carrierIds: ['a1'] } as const
  await lateAnswer({ accountId, id: taken, answer: sent })
  const no = { kind: 'failed', errorCode: 1350, carrierCode: 'ESME_RINVDSTADR' } as const
  await lateAnswer({ accountId, id: failed, answer: no })
  carrier.submit = async (submissions) => submissions.map(() => ({ kind: 'sent' }))
  await lateAnswer({ accountId, id: refused, answer: { kind: 'slow_down' } })
  await until(receipted, 'DELIVERED')
  await until(taken, 'SENT')
  await until(failed, 'FAILED')
  await advance(3)
  await until(refused, 'SENT')
  await advance(200)
  await receipt({ link: 'fake', of: { carrierIds: ['a1'] }, status: 'DELIVERED', errorCode: null })
  await until(taken, 'DELIVERED')
  assert.deepEqual(await kinds(receipted), ['created', 'unknown', 'delivered'])
  assert.deepEqual(await kinds(taken), ['created', 'unknown', 'late', 'delivered'])
  assert.deepEqual(await kinds(failed), ['created', 'unknown', 'failed'])
  assert.deepEqual(await kinds(refused), ['created', 'unknown', 'refused', 'sent'])
})

test('a carrier that supports queries is queried before anything is decided', async (t) => {
  const { service, send, until, advance, kinds } = await sendingService(t)
  const carrier = fakeCarrier(() => UNKNOWN)
  carrier.afterUnknown = () => ({ waitMs: 10_000, mayRepeat: false })
  carrier.query = async ({ body }) => {
    if (body === 'taken') return { kind: 'sent', link: 'fake', carrierIds: ['q1'] }
    if (body === 'broken') throw new Error('no')
    return body === 'refused' ? { kind: 'failed', errorCode: 1370 } : null
  }
  const room = fakeRoom(service.world, carrier)
  room.run()
  const bodies = ['taken', 'broken', 'refused', 'not known']
  const ids = await Promise.all(bodies.map((body) => send({ body })))
  for (const id of ids) await eventually(async () => (await kinds(id)).includes('unknown'))
  await advance(11)
  const ends = await Promise.all(
    ids.map((id, i) =>
      until(id, bodies[i] === 'refused' ? 'FAILED' : 'SENT').then(() => kinds(id)),
    ),
  )
  assert.deepEqual(
    ends.map((kinds) => kinds.at(-1)),
    ['sent', 'settled', 'failed', 'settled'],
  )
})

test('a message that the carrier never accepted expires and is refunded after its validity', async (t) => {
  const { service, send, until, advance, kinds } = await sendingService(t)
  const before = await service.balance()
  const carrier = fakeCarrier(() => UNKNOWN)
  carrier.afterUnknown = () => ({ waitMs: 70_000, mayRepeat: false })
  carrier.query = async () => ({ kind: 'slow_down' })
  fakeRoom(service.world, carrier).run()
  const id = await send({ validitySeconds: 60 })
  await eventually(async () => (await kinds(id)).includes('unknown'))
  await eventually(async () => {
    await advance(71)
    return (await kinds(id)).includes('expired')
  })
  await until(id, 'EXPIRED')
  assert.deepEqual(await kinds(id), ['created', 'unknown', 'refused', 'expired'])
  assert.equal(carrier.submitted.length, 1)
  assertDollars(await service.balance(), before)
})

test('a message that a dead process may have submitted is not sent again', async (t) => {
  const { service, send, until, advance, kinds } = await sendingService(t)
  let die = () => {}
  const death = new Promise<void>((resolve) => {
    die = resolve
  })
  const silent = fakeCarrier(() => death.then(() => ({ kind: 'sent' })))
  const dying = fakeRoom(service.world, silent)
  const id = await send({ validitySeconds: 60 })
  await dying.step()
  await eventually(async () => silent.submitted.length === 1)
  // The other process knows only what is in the database.
  const carrier = fakeCarrier()
  const room = fakeRoom(service.world, carrier)
  await advance(62)
  await room.expiryLoop.step(new AbortController().signal) // it may have gone out in time
  room.run()
  await eventually(
    async () => (await kinds(id)).includes('unknown'),
    'the unknown outcome is recorded',
  )
  const fresh = await send()
  await until(fresh, 'SENT')
  await advance(121)
  await until(id, 'SENT')
  assert.deepEqual(await kinds(id), ['created', 'unknown', 'settled'])
  assert.deepEqual(
    carrier.submitted.map(({ id }) => id),
    [fresh],
  )
  die()
})

test('an outcome that could not be recorded counts as unknown when the lease ends, even in the same process', async (t) => {
  const { service, send, until, advance, kinds } = await sendingService(t)
  const { db } = service.world
  const carrier = fakeCarrier()
  await db.query(sql`alter table messages add constraint broken check (status <> 'SENT')`)
  fakeRoom(service.world, carrier).run()
  const id = await send()
  await eventually(async () => carrier.submitted.length === 1)
  await eventually(async () => (await db.query(sql`select 1 from submits`)).length === 1)
  await db.query(sql`alter table messages drop constraint broken`)
  await eventually(async () => {
    await advance(61)
    return (await kinds(id)).includes('unknown')
  }, 'the unknown outcome is recorded')
  await advance(121)
  await until(id, 'SENT')
  assert.equal(carrier.submitted.length, 1)
})

test('a refusal with an unknown reason fails the message with 1499 and is not charged', async (t) => {
  const { service, send, until } = await sendingService(t)
  const before = await service.balance()
  const codes = [4242, Number.NaN, 'toString' as never, undefined as never]
  const carrier = fakeCarrier(({ body }) => ({ kind: 'failed', errorCode: codes[Number(body)] }))
  const room = fakeRoom(service.world, carrier)
  room.run()
  for (const i of codes.keys()) {
    const failed = await until(await send({ body: String(i) }), 'FAILED')
    assert.equal(failed.errorCode, 1499)
    assert.equal(failed.errorMessage, 'The carrier gave an unknown reason')
  }
  assertDollars(await service.balance(), before)
})
