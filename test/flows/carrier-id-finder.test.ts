// On a cluster, a receipt finds its message through the account that has the number it names. These tests run the same
// lookup on any database, and never give a receipt to another account's message.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DAY_MS, MINUTE_MS } from '../../src/kit/clock.js'
import { newId } from '../../src/kit/ids.js'
import { Metrics } from '../../src/kit/metrics.js'
import { DatabaseFailure } from '../../src/kit/postgres/db-failure.js'
import { type Statement, sql } from '../../src/kit/postgres/sql.js'
import { CarrierIdFinder } from '../../src/messages/moves/carrier-id-finder.js'
import { claimCarrierId, insertCarrierIds } from '../../src/messages/moves/carrier-id-queries.js'
import { batchHolders } from '../../src/messages/moves/number-holders.js'
import { slotOf } from '../../src/messages/moves/week-slots.js'
import { testService } from '../harness.js'
import { noteCounts } from '../seen.js'

const [OURS, OTHER, PHONE] = ['+14152000001', '+14152000002', '+14155550107']

async function staged(t: TestContext) {
  const service = await testService(t)
  const { accountId: own, world } = service
  const { accountId: other } = await service.otherAccount()
  const now = world.clock.now()
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const metrics = new Metrics()
  t.after(() => noteCounts({ metrics }))
  const down = { isOutage: false, accountId: '' }
  const db = {
    query: async <Row extends object>(statement: Statement) => {
      if (down.accountId && statement.values.includes(down.accountId)) {
        throw new DatabaseFailure('database_unavailable', 'away', null, true)
      }
      return world.db.query<Row>(statement)
    },
    workers: {
      isCluster: async () => true,
      get isOutage() {
        return down.isOutage
      },
    },
  }
  const finder = new CarrierIdFinder({ clock: world.clock, metrics, db }, batchHolders(db))
  const send = async (accountId: typeof own, carrierId: string, sentAt: Date) => {
    const messageId = newId('msg', sentAt)
    const row = { link: 'fake', carrierId, messageId, part: 0, parts: 1 }
    await insertCarrierIds(world.db, accountId, [row], sentAt)
    return messageId
  }
  const hold = (accountId: string, number: string, since: Date) =>
    world.db.query(sql`
      insert into numbers (phone_number, account_id, campaign_id, location, monthly_price_micros, purchased_at)
      values (${number}, ${accountId}, 'cmp_1', 'Here', 1, ${since})`)
  const find = async (carrierIds: string[], numbers: string[] = [OURS, PHONE], isLate = false) => {
    const rest = { submittedAt: null, doneAt: null, bodyStart: null, reference: null }
    const [number, peer] = numbers as [string?, string?]
    const clue = number && peer ? () => ({ number, peer, ...rest }) : undefined
    const found = await finder.find({ link: 'fake', carrierIds, clue, isLate })
    return found === 'away' ? found : (found?.messageId ?? null)
  }
  const searches = () => metrics.counters()[0]!.samples()[0]?.value ?? 0
  return { world, own, other, now, ago, down, send, hold, find, searches }
}

test('a receipt finds its message in the account that has its number, in any letter case', async (t) => {
  const { own, other, ago, send, hold, find, searches } = await staged(t)
  await hold(own, OURS, ago(90 * DAY_MS))
  const sent = await send(own, 'aB-1', ago(MINUTE_MS))
  await send(other, 'aB-1', ago(MINUTE_MS / 2))
  assert.equal(await find(['aB-1']), sent)
  assert.equal(await find(['AB-1']), sent)
  assert.equal(await find(['aB-1'], [PHONE, OURS]), sent, 'the carrier swapped the numbers')
  assert.equal(searches(), 0)
})

test('a receipt between the numbers of two accounts is about the newest message', async (t) => {
  const { own, other, ago, send, hold, find, searches } = await staged(t)
  await hold(own, OURS, ago(90 * DAY_MS))
  await hold(other, OTHER, ago(90 * DAY_MS))
  await send(own, 'x', ago(3 * DAY_MS))
  const newest = await send(other, 'x', ago(MINUTE_MS))
  assert.equal(await find(['x'], [OURS, OTHER]), newest)
  assert.equal(await find(['x'], [OTHER, OURS]), newest)
  assert.equal(searches(), 0)
})

test('a receipt with a number that nobody has, or without numbers, is searched in every account', async (t) => {
  const { own, ago, send, find, searches } = await staged(t)
  const sent = await send(own, 'x', ago(MINUTE_MS))
  assert.equal(await find(['x']), sent)
  assert.equal(await find(['x'], []), sent)
  assert.equal(await find(['y']), null)
  assert.equal(searches(), 3)
})

test('a number that moved does not bring a receipt to its new account', async (t) => {
  const { own, other, ago, send, hold, find } = await staged(t)
  await hold(other, OURS, ago(MINUTE_MS))
  await send(other, 'x', ago(8 * DAY_MS)) // by another number
  const sent = await send(own, 'x', ago(DAY_MS))
  assert.equal(await find(['x']), sent)
  const later = await send(other, 'x', ago(0))
  assert.equal(await find(['x']), later)
})

test('a receipt that arrives before the response is not searched everywhere until it waited', async (t) => {
  const { own, other, ago, send, hold, find, searches } = await staged(t)
  await hold(own, OURS, ago(90 * DAY_MS))
  const sent = await send(other, 'x', ago(MINUTE_MS))
  assert.equal(await find(['x']), null)
  assert.equal(searches(), 0)
  assert.equal(await find(['x'], [OURS, PHONE], true), sent, 'its number is not the one that sent')
  assert.equal(searches(), 1)
})

test('IDs that the previous version stored are found, and the newest counts', async (t) => {
  const { world, own, other, ago, send, hold, find } = await staged(t)
  await hold(own, OURS, ago(90 * DAY_MS))
  const sentAt = ago(2 * DAY_MS)
  const old = newId('msg', sentAt)
  await world.db.query(sql`
    insert into carrier_messages (slot, link, carrier_id, account_id, message_id, part, parts, sent_at)
    values (${slotOf(sentAt)}, 'fake', 'x', ${own}, ${old}, 0, 1, ${sentAt})`)
  assert.equal(await find(['x']), old)
  assert.equal(await find(['X']), old)
  await send(own, 'x', ago(9 * DAY_MS))
  assert.equal(await find(['x']), old)
  const newest = await send(own, 'x', ago(0))
  assert.equal(await find(['x']), newest)
  await send(other, 'x', ago(0))
  assert.equal(await find(['x']), newest)
})

test('while a worker is away, its receipts wait, and those without a number are searched on the others', async (t) => {
  const { own, other, ago, down, send, hold, find, searches } = await staged(t)
  await hold(own, OURS, ago(MINUTE_MS))
  await send(own, 'x', ago(0))
  await send(other, 'x', ago(2 * DAY_MS))
  const there = await send(other, 'y', ago(0))
  Object.assign(down, { isOutage: true, accountId: own })
  assert.equal(await find(['x'], [OURS, PHONE], true), 'away')
  assert.equal(await find(['y'], [OTHER, PHONE], true), null, 'the number may have been released')
  assert.equal(searches(), 0)
  assert.equal(await find(['y'], []), there)
})

test('of several claims of a listed ID at the same time, by different accounts, one gets it', async (t) => {
  const { world, own, other, now } = await staged(t)
  const claim = (accountId: typeof own) => {
    const row = { link: 'fake', carrierId: 'x', accountId, messageId: newId('msg', now) }
    return world.db.transaction((tx) => claimCarrierId(tx, { ...row, part: 0, parts: 1 }, now))
  }
  const results = await Promise.all([own, other, own, other].map(claim))
  assert.deepEqual(results.sort(), [false, false, false, true])
})
