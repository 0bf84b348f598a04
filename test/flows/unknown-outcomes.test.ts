// Messages without a response from the carrier: a receipt with an unknown ID is matched by its fields, a query that
// proves absence sends again, silence is refunded, and a later receipt charges the message again.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { correctAccount } from '../../src/ledger/credit-account.js'
import type { Receipt, ReceiptClue, UnknownPolicy } from '../../src/messages/carrier-port.js'
import { referenceOf } from '../../src/messages/message-reference.js'
import { type Move, moveMessages } from '../../src/messages/moves/move-queries.js'
import { encodeEntry } from '../../src/messages/timeline.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { eventually, type Json } from '../harness.js'
import {
  ATT,
  assertDollars,
  changeCampaign,
  receiptsArrive,
  SMS_PRICE,
  sendingService,
  VZW,
} from '../sending.js'

const UNKNOWN = { kind: 'unknown', detail: 'the link broke', link: 'fake' } as const
const SETTLE: UnknownPolicy = { waitMs: 30_000, mayRepeat: false }
const RESEND: UnknownPolicy = { waitMs: 30_000, mayRepeat: true }

async function staged(t: TestContext, policy = SETTLE) {
  const sending = await sendingService(t)
  const { service, send, kinds, number, advance } = sending
  const carrier = fakeCarrier(() => UNKNOWN)
  carrier.afterUnknown = () => policy
  const room = fakeRoom(service.world, carrier)
  room.run()
  /** Its outcome is unknown. */
  const lose = async (input: Json = {}) => {
    const id = await send(input)
    await eventually(async () => (await kinds(id)).includes('unknown'), 'no response')
    return id
  }
  let count = 0
  const receipt = (clue: Partial<ReceiptClue>, more: Partial<Receipt> = {}) => {
    count += 1
    const known = { submittedAt: service.world.clock.now(), doneAt: null, reference: null }
    const whole = { number, peer: VZW, bodyStart: null, ...known, ...clue }
    return room.listener.receipt({
      ...{ link: 'fake', of: { carrierIds: [`carrier-${count}`] }, clue: () => whole },
      ...{ status: 'DELIVERED', errorCode: null, ...more },
    })
  }
  /** Waiting receipts are looked up again. */
  const look = async () => {
    await advance(2)
    await room.waitingReceiptsLoop.step(new AbortController().signal)
  }
  const strays = async () =>
    (await service.world.db.query(sql`select id from unmatched_receipts`)).length
  const counts = async () => {
    const rows = await service.world.db.query<Record<string, number>>(sql`
      select coalesce(sum(unknown), 0)::int as unknown, coalesce(sum(matched), 0)::int as matched,
        coalesce(sum(resent), 0)::int as resent, coalesce(sum(refunded), 0)::int as refunded,
        coalesce(sum(recharged), 0)::int as recharged, coalesce(sum(forgiven), 0)::int as forgiven
      from link_evidence`)
    return rows[0]!
  }
  /** Until its outcome is settled without evidence. */
  const settle = async (id: string) => {
    await advance(31)
    return sending.until(id, 'SENT')
  }
  return { ...sending, carrier, room, lose, receipt, look, strays, counts, settle }
}

test('a receipt with an unknown ID settles the one message with its numbers, time, and text', async (t) => {
  const { service, lose, receipt, look, until, kinds, strays, counts } = await staged(t)
  const before = await service.balance()
  const id = await lose({ body: 'Your table is ready' })
  const other = await lose({ body: 'Your table is gone' })
  await lose({ body: 'Your table is ready', to: ATT })
  await receipt({ bodyStart: 'Your table is ready' })
  assert.equal(await strays(), 1, 'the response may still come')
  await look()
  await until(id, 'DELIVERED')
  assert.deepEqual(await kinds(id), ['created', 'unknown', 'matched', 'delivered'])
  assert.deepEqual(await kinds(other), ['created', 'unknown'])
  assert.equal(await strays(), 0)
  assertDollars(await service.balance(), before - 3 * SMS_PRICE)
  await eventually(async () => (await counts()).matched === 1)
  assert.deepEqual(await counts(), {
    ...{ unknown: 3, matched: 1, resent: 0 },
    ...{ refunded: 0, recharged: 0, forgiven: 0 },
  })
})

test('a repeated receipt is found by its ID and changes nothing', async (t) => {
  const { service, lose, receipt, look, until, kinds, number, room } = await staged(t)
  const id = await lose({ body: 'Hello' })
  await receipt({ bodyStart: 'Hello' })
  await look()
  await until(id, 'DELIVERED')
  const later = await lose({ body: 'Hello' })
  const clue = { submittedAt: null, doneAt: null, reference: null, bodyStart: 'Hello' }
  await room.listener.receipt({
    ...{ link: 'fake', of: { carrierIds: ['carrier-1'] }, status: 'DELIVERED', errorCode: null },
    clue: () => ({ number, peer: VZW, ...clue }),
  })
  await look()
  assert.deepEqual(await kinds(later), ['created', 'unknown'])
  assert.deepEqual((await kinds(id)).slice(-2), ['delivered', 'stale'])
  assert.equal((await service.world.db.query(sql`select 1 from unmatched_receipts`)).length, 0)
})

test('if several messages fit, a receipt settles none of them, unless it returns our reference', async (t) => {
  const { lose, receipt, look, until, kinds } = await staged(t)
  const ids = [await lose(), await lose(), await lose()]
  await receipt({ bodyStart: 'Hello' })
  await look()
  for (const id of ids) assert.deepEqual(await kinds(id), ['created', 'unknown'])
  await receipt({ reference: referenceOf(ids[1]!) })
  await look()
  await until(ids[1]!, 'DELIVERED')
  for (const id of [ids[0]!, ids[2]!]) assert.deepEqual(await kinds(id), ['created', 'unknown'])
})

test('a receipt does not match another link, time, or text, but does match swapped numbers', async (t) => {
  const { lose, receipt, look, until, kinds, number, service } = await staged(t)
  const id = await lose({ body: 'A text like no other one' })
  const hour = 3_600_000
  const now = service.world.clock.now().getTime()
  const [early, late] = [new Date(now - hour), new Date(now + hour)]
  await receipt({ bodyStart: 'A text like no other' }, { link: 'another' })
  await receipt({ submittedAt: early, doneAt: late })
  await receipt({ bodyStart: 'Another text' })
  await receipt({ reference: referenceOf(id) ^ 1 })
  await look()
  assert.deepEqual(await kinds(id), ['created', 'unknown'])
  // Dates in an unknown time zone: the elapsed time is what counts.
  const zone = { submittedAt: early, doneAt: new Date(early.getTime() + 1_000) }
  const quoted = { bodyStart: 'A TEXT LIKE NO OTHER' }
  await receipt({ number: VZW, peer: number, ...quoted, ...zone })
  await look()
  await until(id, 'DELIVERED')
})

test('a message settled without evidence is refunded, and a late receipt charges it again, once', async (t) => {
  const { service, lose, receipt, look, until, kinds, settle, message, counts } = await staged(t)
  const before = await service.balance()
  const id = await lose({ body: 'Are you there?' })
  await settle(id)
  assert.deepEqual(await kinds(id), ['created', 'unknown', 'settled'])
  assertDollars(await service.balance(), before)
  assert.equal((await message(id)).price, 0)
  const timeline = (await service.get(`/v1/message/${id}/timeline`)).body.timeline
  assert.match(timeline.at(-1).text, /refunded/)
  const clue = { submittedAt: null, bodyStart: 'Are you there?' }
  await receipt(clue)
  await look()
  await until(id, 'DELIVERED')
  await receipt(clue)
  await look()
  const all = ['created', 'unknown', 'settled', 'matched', 'delivered', 'recharged']
  assert.deepEqual(await kinds(id), all)
  assertDollars(await service.balance(), before - SMS_PRICE)
  assertDollars((await message(id)).price, SMS_PRICE)
  await eventually(async () => (await counts()).recharged === 1)
  assert.deepEqual(
    { ...(await counts()), matched: 1 },
    { unknown: 1, matched: 1, resent: 0, refunded: 1, recharged: 1, forgiven: 0 },
  )
  const entries = (await service.get('/v1/account/ledger?reason=message_recharge')).body.entries
  assert.equal(entries.length, 1)
  assert.equal(entries[0].reference, `recharge:${id}`)
})

test('a late failure follows its code: charged again, or still refunded', async (t) => {
  const { service, lose, receipt, look, until, settle, kinds } = await staged(t)
  const before = await service.balance()
  const [costly, free] = [await lose({ body: 'Spam' }), await lose({ body: 'Nobody' })]
  await settle(costly)
  await settle(free)
  const failed = { status: 'FAILED' } as const
  await receipt({ submittedAt: null, bodyStart: 'Spam' }, { ...failed, errorCode: 1370 })
  await receipt({ submittedAt: null, bodyStart: 'Nobody' }, { ...failed, errorCode: 1350 })
  await look()
  await until(costly, 'FAILED')
  await until(free, 'FAILED')
  assert.equal((await kinds(costly)).at(-1), 'recharged')
  assert.equal((await kinds(free)).at(-1), 'failed')
  assertDollars(await service.balance(), before - SMS_PRICE)
})

test('if the balance is too low, a message that arrived late stays free', async (t) => {
  const { service, lose, receipt, look, until, settle, kinds, counts, message } = await staged(t)
  const id = await lose({ body: 'No charge' })
  await settle(id)
  const amountMicros = -BigInt(Math.round((await service.balance()) * 1_000_000))
  const correction = { amountMicros, note: 'empty', reference: 'empty' }
  const { world, accountId } = service
  await world.db.transaction((tx) => correctAccount(tx, accountId, correction, world.clock.now()))
  await receipt({ submittedAt: null, bodyStart: 'No charge' })
  await look()
  await until(id, 'DELIVERED')
  assert.equal((await kinds(id)).at(-1), 'forgiven')
  assert.equal((await message(id)).price, 0)
  assert.equal(await service.balance(), 0)
  await eventually(async () => (await counts()).forgiven === 1)
})

test('if the balance covers one of two messages that arrived late, one is charged', async (t) => {
  const { service, lose, settle, kinds } = await staged(t)
  const ids = [await lose({ body: 'First' }), await lose({ body: 'Second' })]
  for (const id of ids) await settle(id)
  const left = BigInt(Math.round(SMS_PRICE * 1.5 * 1_000_000))
  const amountMicros = left - BigInt(Math.round((await service.balance()) * 1_000_000))
  const correction = { amountMicros, note: 'nearly empty', reference: 'nearly empty' }
  const { world, accountId } = service
  await world.db.transaction((tx) => correctAccount(tx, accountId, correction, world.clock.now()))
  // In one write. Receipts that arrive together may be written one after the other.
  const now = world.clock.now()
  const entry = encodeEntry(now, 'delivered')
  const moves = ids.map((messageId) => ({ messageId, entry, target: 'DELIVERED', errorCode: null }))
  const { moved, recharged, forgiven } = await moveMessages(
    world.db,
    accountId,
    moves as Move[],
    now,
    { transact: (work) => world.db.transaction(work, { accountId }) },
  )
  assert.deepEqual([moved.size, recharged.size, forgiven.size], [2, 1, 1])
  for (const id of ids) {
    assert.equal((await kinds(id)).at(-1), recharged.has(id) ? 'recharged' : 'forgiven')
  }
  assertDollars(await service.balance(), SMS_PRICE / 2)
})

test('a long message is DELIVERED with the receipts of all parts, and SENT with the first', async (t) => {
  const { service, carrier, lose, receipt, look, until, kinds, advance, message } = await staged(t)
  carrier.receiptsOf = () => 3
  const before = await service.balance()
  const body = `${'one '.repeat(38)}${'two '.repeat(38)}${'three '.repeat(20)}`
  const id = await lose({ body })
  await receipt({ bodyStart: 'two two two two two ' })
  await look()
  await until(id, 'SENT')
  assert.deepEqual(await kinds(id), ['created', 'unknown', 'matched', 'sent'])
  await advance(60)
  await receipt({ submittedAt: null, bodyStart: 'one one one one one ' })
  await look()
  assert.equal((await message(id)).status, 'SENT')
  await receipt({ submittedAt: null, bodyStart: 'three three three th' })
  await look()
  await until(id, 'DELIVERED')
  assertDollars(await service.balance(), before - 3 * SMS_PRICE)
})

test('a message with a receipt is never sent again, and one without is, if receipts usually arrive', async (t) => {
  const stage = await staged(t, RESEND)
  const { carrier, lose, receipt, until, kinds, advance, counts } = stage
  await receiptsArrive(stage.service, 0.9)
  const silent = await lose({ body: 'Silence' })
  const proven = await lose({ body: 'Proven' })
  await receipt({ bodyStart: 'Proven' })
  const twins = [await lose({ body: 'Twin' }), await lose({ body: 'Twin' })]
  await receipt({ bodyStart: 'Twin' })
  const sent = carrier.submitted.length
  carrier.submit = async (submissions) => {
    carrier.submitted.push(...submissions)
    return submissions.map(() => ({ kind: 'sent', link: 'fake', carrierIds: ['again'] }))
  }
  await advance(31)
  await until(proven, 'DELIVERED')
  await until(silent, 'SENT')
  for (const id of twins) await until(id, 'SENT')
  assert.deepEqual(await kinds(silent), ['created', 'unknown', 'repeated', 'sent'])
  assert.deepEqual(await kinds(proven), ['created', 'unknown', 'matched', 'delivered'])
  // One of them has arrived, and nothing shows which.
  for (const id of twins) assert.deepEqual(await kinds(id), ['created', 'unknown', 'settled'])
  assert.deepEqual(
    carrier.submitted.slice(sent).map(({ id }) => id),
    [silent],
  )
  await eventually(async () => (await counts()).resent === 1)
})

test('if receipts are often missing, silence is settled and refunded, whatever the link setting', async (t) => {
  const stage = await staged(t, RESEND)
  const { service, lose, settle, kinds, carrier } = stage
  const before = await service.balance()
  const first = await lose()
  await settle(first)
  assert.deepEqual(await kinds(first), ['created', 'unknown', 'settled'], 'no receipt ever came')
  await receiptsArrive(stage.service, 0.89)
  const second = await lose()
  await settle(second)
  assert.deepEqual(await kinds(second), ['created', 'unknown', 'settled'])
  assert.equal(carrier.submitted.length, 2)
  assertDollars(await service.balance(), before)
})

test('the use case of a campaign decides before the link does', async (t) => {
  const mayRepeatByUsecase = { '2FA': true, MARKETING: false }
  const stage = await staged(t, { ...RESEND, mayRepeatByUsecase })
  const { service, campaignId, lose, kinds, carrier, advance, until } = stage
  await receiptsArrive(stage.service)
  await changeCampaign(service, campaignId, { usecase: 'MARKETING' })
  const offer = await lose()
  await advance(31)
  await eventually(async () => (await kinds(offer)).length > 2, 'it is settled or repeated')
  assert.deepEqual(await kinds(offer), ['created', 'unknown', 'settled'])
  carrier.afterUnknown = () => ({ ...SETTLE, mayRepeatByUsecase })
  await changeCampaign(service, campaignId, { usecase: '2FA' })
  const code = await lose()
  carrier.submit = async (submissions) => submissions.map(() => ({ kind: 'sent' }))
  await advance(31)
  await until(code, 'SENT')
  assert.deepEqual(await kinds(code), ['created', 'unknown', 'repeated', 'sent'])
})

test('a list without the message sends it again, and one with it identifies it', async (t) => {
  const { carrier, lose, advance, until, kinds } = await staged(t)
  const listed = { kind: 'listed', link: 'fake', similarIds: [] as string[] } as const
  carrier.query = async ({ body }) => {
    const complete = { ...listed, isComplete: true, hasTexts: true }
    if (body === 'Twice there') return { ...complete, carrierIds: ['t1', 't2'] }
    if (body === 'Changed') return { ...complete, carrierIds: [], similarIds: ['s1'] }
    if (body === 'Half a list') return { ...complete, carrierIds: [], isComplete: false }
    return { ...complete, carrierIds: [] }
  }
  const gone = await lose({ body: 'Gone' })
  const twins = [await lose({ body: 'Twice there' }), await lose({ body: 'Twice there' })]
  const third = await lose({ body: 'Twice there' })
  const changed = await lose({ body: 'Changed' })
  const half = await lose({ body: 'Half a list' })
  carrier.submit = async (submissions) => submissions.map(() => ({ kind: 'sent' }))
  await advance(31)
  const ends = { sent: [...twins], absent: [gone, third], settled: [changed, half] }
  for (const [kind, ids] of Object.entries(ends)) {
    for (const id of ids) {
      await until(id, 'SENT')
      const tail = kind === 'absent' ? ['absent', 'sent'] : [kind]
      assert.deepEqual(await kinds(id), ['created', 'unknown', ...tail], kind)
    }
  }
})

test('a list without texts identifies a message only if no other one fits', async (t) => {
  const { carrier, lose, advance, until, kinds, room, service } = await staged(t)
  carrier.query = async ({ to }) => ({
    ...{ kind: 'listed', link: 'fake', carrierIds: to === VZW ? ['one'] : ['two'] },
    ...{ similarIds: [], isComplete: false, hasTexts: false },
  })
  const alone = await lose({ to: ATT })
  const pair = [await lose({ body: 'This one' }), await lose({ body: 'Or that one' })]
  // A callback of the carrier names one of them by our ID, so the list's ID is its own.
  const of = { accountId: service.accountId, id: pair[0]! }
  const status = { status: 'DELIVERED', errorCode: null, carrierId: 'one' } as const
  await room.listener.receipt({ link: 'fake', of, ...status })
  await advance(31)
  await until(alone, 'SENT')
  await until(pair[1]!, 'SENT')
  assert.deepEqual(await kinds(alone), ['created', 'unknown', 'sent'])
  assert.deepEqual(await kinds(pair[0]!), ['created', 'unknown', 'delivered'])
  assert.deepEqual(await kinds(pair[1]!), ['created', 'unknown', 'settled'])
})

test('a message whose validity has ended is settled: not sent again, and not queried again', async (t) => {
  const stage = await staged(t, { waitMs: 61_000, mayRepeat: true })
  const { service, carrier, lose, advance, message, kinds } = stage
  await receiptsArrive(service)
  let queries = 0
  carrier.query = async ({ body }) => {
    queries += 1
    return body === 'Unreachable' ? { kind: 'down' } : null
  }
  const send = (body: string) => lose({ body, validitySeconds: 60 })
  const ids = [await send('Silence'), await send('Unreachable')]
  await advance(62)
  await eventually(async () => queries >= 2, 'a query about each')
  await advance(31) // another one would be due
  for (const id of ids) {
    await eventually(async () => {
      assert.equal(queries, 2, 'a query about each')
      return (await message(id)).status === 'SENT'
    }, 'a settled message')
    assert.deepEqual(await kinds(id), ['created', 'unknown', 'settled'])
  }
})

test('a query that does not reach the carrier is repeated', async (t) => {
  const { carrier, lose, settle, advance, kinds } = await staged(t)
  let queries = 0
  carrier.query = async () => (++queries < 2 ? { kind: 'down' } : { kind: 'sent' })
  const id = await lose()
  await advance(31)
  await eventually(async () => queries === 1, 'the first query')
  await settle(id)
  assert.deepEqual(await kinds(id), ['created', 'unknown', 'sent'])
})
