// Carriers have their own message IDs. Receipts find their message by them, early or late, whole or in parts, and
// redelivered messages are recognized.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { noteReply } from '../../src/inbox/note-reply.js'
import { sql } from '../../src/kit/postgres/sql.js'
import type { Inbound, Receipt, SubmitAnswer } from '../../src/messages/carrier-port.js'
import { createReceiver } from '../../src/messages/inbound/receive-message.js'
import { readHandovers } from '../../src/messages/timeline.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { eventually } from '../harness.js'
import { sendingService, VZW } from '../sending.js'

const sentAs = (...carrierIds: string[]): SubmitAnswer => ({
  kind: 'sent',
  link: 'fake',
  carrierIds,
})

/** The bodies are the carrier's IDs, one for each word. */
async function staged(t: TestContext) {
  const sending = await sendingService(t)
  const { world } = sending.service
  const carrier = fakeCarrier(({ body }) => sentAs(...body.split(' ')))
  const room = fakeRoom(world, carrier)
  room.run()
  const receiptTo =
    ({ listener }: Pick<typeof room, 'listener'>) =>
    (carrierIds: string[], status: Receipt['status'] = 'DELIVERED') =>
      listener.receipt({ link: 'fake', of: { carrierIds }, status, errorCode: null })
  /** Another process, without anything in memory. */
  const elsewhere = () => fakeRoom(world, fakeCarrier())
  const strays = () => world.db.query(sql`select id from unmatched_receipts`)
  return { ...sending, carrier, room, elsewhere, receiptTo, receipt: receiptTo(room), strays }
}

test('a receipt finds its message by the carrier’s ID, in any process', async (t) => {
  const { send, until, receipt, receiptTo, elsewhere, strays } = await staged(t)
  const [here, there] = [await send({ body: 'aa1' }), await send({ body: 'BB2' })]
  await until(here, 'SENT')
  await until(there, 'SENT')
  await receipt(['aa1'])
  await receiptTo(elsewhere())(['bb2', 'BB2'])
  await until(here, 'DELIVERED')
  await until(there, 'DELIVERED')
  assert.deepEqual(await strays(), [])
})

test('an ID in another letter case finds its message, unless two messages differ only in case', async (t) => {
  const { send, until, receiptTo, elsewhere, strays, message } = await staged(t)
  const [mixed, upper] = [await send({ body: 'aBcD-1' }), await send({ body: 'EF-2' })]
  const twins = [await send({ body: 'xY-3' }), await send({ body: 'Xy-3' })]
  for (const id of [mixed, upper, ...twins]) await until(id, 'SENT')
  const receipt = receiptTo(elsewhere())
  await receipt(['ABCD-1'])
  await receipt(['eF-2'])
  await receipt(['XY-3'])
  await until(mixed, 'DELIVERED')
  await until(upper, 'DELIVERED')
  assert.equal((await strays()).length, 1)
  for (const id of twins) assert.equal((await message(id)).status, 'SENT')
  await receipt(['Xy-3'])
  await until(twins[1]!, 'DELIVERED')
  assert.equal((await message(twins[0]!)).status, 'SENT')
})

test('a receipt that arrives before the response is recorded waits for it, in any process', async (t) => {
  const { advance, send, until, receiptTo, elsewhere, strays, kinds } = await staged(t)
  const early = elsewhere()
  await receiptTo(early)(['soon'])
  assert.equal((await strays()).length, 1)
  const id = await send({ body: 'soon' })
  await until(id, 'SENT')
  await advance(2)
  const loop = early.waitingReceiptsLoop
  await eventually(async () => {
    await loop.step(new AbortController().signal)
    return (await strays()).length === 0
  }, 'the receipt has found its message')
  await until(id, 'DELIVERED')
  assert.deepEqual(await kinds(id), ['created', 'sent', 'delivered'])
})

test('an unclaimed receipt is looked up less and less often, and stays stored', async (t) => {
  const { service, advance, receipt, elsewhere, strays } = await staged(t)
  const { waitingReceiptsLoop, purgeIdsLoop } = elsewhere()
  const signal = new AbortController().signal
  await receipt(['nobody'])
  for (let days = 0; days < 4; days++) {
    await advance(24 * 3600)
    await waitingReceiptsLoop.step(signal)
  }
  const [row] = await service.world.db.query<{ checkAt: Date | null }>(sql`
    select check_at as "checkAt" from unmatched_receipts`)
  assert.equal(row!.checkAt, null)
  await advance(27 * 24 * 3600)
  await purgeIdsLoop.step(signal)
  assert.deepEqual(await strays(), [])
})

test('a long message is delivered with its last part, and failed with the first failed part', async (t) => {
  const { send, until, message, receipt, kinds } = await staged(t)
  const [whole, broken] = [await send({ body: 'w1 w2 w3' }), await send({ body: 'b1 b2' })]
  await until(whole, 'SENT')
  await until(broken, 'SENT')
  await receipt(['w3'])
  await receipt(['w1'])
  await receipt(['w1'])
  assert.equal((await message(whole)).status, 'SENT')
  await receipt(['w2'])
  await until(whole, 'DELIVERED')
  await receipt(['b2'])
  await receipt(['b1'], 'FAILED')
  await until(broken, 'FAILED')
  assert.deepEqual(await kinds(whole), ['created', 'sent', 'delivered'])
})

test('IDs are purged by the week, and a repeated ID belongs to the newest message', async (t) => {
  const { service, advance, send, until, receiptTo, elsewhere } = await staged(t)
  const { db } = service.world
  const first = await send({ body: 'same' })
  await until(first, 'SENT')
  await advance(7 * 24 * 3600)
  const second = await send({ body: 'same' })
  await until(second, 'SENT')
  await receiptTo(elsewhere())(['same'])
  await until(second, 'DELIVERED')
  const { purgeIdsLoop } = elsewhere()
  const count = async () => (await db.query(sql`select 1 from carrier_ids`)).length
  assert.equal(await count(), 2)
  for (const left of [1, 0]) {
    await advance(7 * 24 * 3600)
    await purgeIdsLoop.step(new AbortController().signal)
    assert.equal(await count(), left)
  }
})

test('a redelivered message changes nothing and gets one reply', async (t) => {
  const { service, campaignId, number, room, elsewhere, trySend } = await staged(t)
  const inbound: Inbound = {
    ...{ link: 'fake', carrierId: 'mo-1', mediaUrls: [], part: null },
    ...{ from: VZW, to: number, body: 'STOP' },
  }
  const listed = async () => {
    const { body } = await service.get(`/v1/message/list?campaign=${campaignId}&limit=100`)
    return body.messages.map((one: { direction: string }) => one.direction).sort()
  }
  const { messageId } = await room.listener.inbound(inbound)
  const again = [room.listener.inbound(inbound), elsewhere().listener.inbound(inbound)]
  assert.deepEqual(await Promise.all(again), [{ messageId }, { messageId }])
  assert.deepEqual(await listed(), ['INBOUND', 'OUTBOUND'])
  assert.equal((await trySend()).status, 422)
  const other = await room.listener.inbound({ ...inbound, link: 'other' })
  assert.notEqual(other.messageId, messageId)
})

test('redelivered parts are recognized after the whole, and fingerprints by their connection', async (t) => {
  const { advance, number, room } = await staged(t)
  const { listener } = room
  const came = { link: 'fake', from: VZW, to: number, mediaUrls: [], part: null }
  const part = (sequence: number) =>
    listener.inbound({
      ...{ ...came, carrierId: `p${sequence}`, body: `Part ${sequence}. ` },
      part: { reference: 7, total: 2, sequence },
    })
  await part(1)
  const whole = await part(2)
  assert.ok(whole.messageId)
  await advance(70)
  assert.deepEqual(await part(2), whole)

  const said = (connection: string) =>
    listener.inbound({ ...came, carrierId: 'print', connection, body: 'Yes, please' })
  const ids = [await said('one'), await said('one'), await said('two')].map((one) => one.messageId)
  assert.notEqual(ids[0], ids[1], 'a phone may send the same text twice')
  assert.equal(ids[2], ids[1], 'over another connection it is a redelivery')
  await advance(3600)
  assert.ok(!ids.includes((await said('three')).messageId))
})

test('a STOP takes effect after a START, even if the same STOP arrived minutes ago over another connection', async (t) => {
  const { number, room, trySend } = await staged(t)
  const { listener } = room
  const says = (body: string, connection: string) =>
    listener.inbound({
      ...{ link: 'fake', from: VZW, to: number, mediaUrls: [], part: null },
      ...{ carrierId: `print of ${body}`, connection, body },
    })
  const first = await says('STOP', 'one')
  assert.deepEqual(await says('STOP', 'two'), first, 'redelivered by the carrier')
  await says('START', 'one')
  assert.equal((await trySend()).status, 200)
  const second = await says('STOP', 'two')
  assert.notEqual(second.messageId, first.messageId)
  assert.equal((await trySend()).status, 422)
})

test('a message that was stored but not acknowledged is recognized when it is redelivered, even over the same connection', async (t) => {
  const { service, number } = await sendingService(t)
  const { world } = service
  const { receive } = createReceiver(world, { carrier: fakeCarrier(), noteReply })
  const inbound: Inbound = {
    ...{ link: 'fake', carrierId: 'print', connection: '7', from: VZW, to: number },
    ...{ body: 'Yes', mediaUrls: [], part: null },
  }
  const said = await receive(inbound)
  let kept: string | null = null
  const lost = receive(inbound, async (work) => {
    kept = await world.db.transaction(work)
    throw new Error('the response to the commit is lost')
  })
  await assert.rejects(lost)
  assert.notEqual(kept, said, 'the phone sent it twice')
  assert.equal(await receive(inbound), kept, 'redelivered')
  const third = await receive(inbound)
  assert.ok(![said, kept].includes(third), 'sent again by the phone')
  await assert.rejects(receive(inbound, () => Promise.reject(new Error('never kept'))))
  const fourth = await receive(inbound)
  assert.ok(![said, kept, third].includes(fourth), 'a failure leaves nothing behind')
})

test('messages sent together each record their own carrier IDs for operators', async (t) => {
  const { service, send, until } = await staged(t)
  const bodies = ['a1', 'b1 b2', 'c1']
  const ids = await Promise.all(bodies.map((body) => send({ body })))
  for (const id of ids) await until(id, 'SENT')
  const recorded = async (id: string) => {
    const [row] = await service.world.db.query<{ timeline: string[] }>(
      sql`select timeline from messages where id = ${id}`,
    )
    return readHandovers(row!.timeline).map(({ link, carrierIds }) => [link, ...carrierIds])
  }
  assert.deepEqual(await Promise.all(ids.map(recorded)), [
    [['fake', 'a1']],
    [['fake', 'b1', 'b2']],
    [['fake', 'c1']],
  ])
})
