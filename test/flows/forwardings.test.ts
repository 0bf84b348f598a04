// The numbers that nodes keep in memory for calls: every change on one node, in any order, reaches all nodes, and
// stays known while the database is down.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { sql } from '../../src/kit/postgres/sql.js'
import { startLoop } from '../../src/kit/worker-loop.js'
import type { World } from '../../src/kit/world.js'
import { buyNumber as purchaseNumber } from '../../src/numbers/buy-number.js'
import {
  findSettledBelow,
  listForwardingChanges,
  recordForwardings,
} from '../../src/numbers/forwarding-queries.js'
import { deleteAccount, removeRemains } from '../../src/operator/accounts/delete-account.js'
import { moveAccount } from '../../src/operator/accounts/manage-accounts.js'
import { startService } from '../../src/serve.js'
import { Forwardings } from '../../src/voice/forwardings.js'
import { voicePurgeLoop } from '../../src/voice/purge-loop.js'
import { keepVoiceKey } from '../../src/voice/voice-key-queries.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { eventually, type TestService, testConfig, testService } from '../harness.js'

const TARGET = '+14155550188'
const OTHER_TARGET = '+12125550199'
const COMMAND = {
  ...{ kind: 'command' as const, id: null, name: 'test' },
  ...{ origin: 'test', requestId: null },
}
const SIGNAL = new AbortController().signal

function forward(service: TestService, number: string, forwardNumber: string | null) {
  return service.call('PATCH', `/v1/number/${number}/forwarding`, { forwardNumber })
}

/** Its numbers are compared with the database at the test’s command. */
async function loaded(world: World) {
  const forwardings = new Forwardings(world)
  await forwardings.load()
  return { forwardings, follow: () => forwardings.loop.step(SIGNAL) }
}

/** Many numbers, more than anyone would buy. */
async function insertNumbers({ world, accountId }: TestService, count: number): Promise<void> {
  await world.db.query(sql`
    insert into numbers (phone_number, account_id, campaign_id, forward_number, location,
      monthly_price_micros, purchased_at)
    select '+1' || (4160000000 + i), ${accountId}, 'cmp_1', '+1' || (2120000000 + i), '', 0,
      ${world.clock.now()}
    from generate_series(0, ${count - 1}::int) as i`)
}

test('purchases, forwarding changes, and releases on one node are known on the other', async (t) => {
  const service = await testService(t)
  const node = await startService(testConfig(), service.databaseUrl, service.world.log)
  const { forwardings } = await loaded(node.world)
  const loop = startLoop(forwardings.loop)
  try {
    const { campaignId } = await activeCampaign(service)
    const number = await buyNumber(service, campaignId)
    await eventually(async () => forwardings.find(number) === null, 'the purchase')
    assert.equal(forwardings.size, 1)
    for (const target of [TARGET, OTHER_TARGET, null, TARGET]) {
      assert.equal((await forward(service, number, target)).status, 200)
      await eventually(async () => forwardings.find(number) === target, `${target}`)
    }
    await service.call('DELETE', `/v1/number/${number}`)
    await eventually(async () => forwardings.find(number) === undefined, 'the release')
    assert.equal(forwardings.size, 0)
  } finally {
    await loop.stop()
    await node.stop()
  }
})

test('numbers of an ended campaign and a deleted account are gone from every node', async (t) => {
  const service = await testService(t)
  const { world } = service
  const { forwardings, follow } = await loaded(world)
  const { campaignId } = await activeCampaign(service)
  const ended = await buyNumber(service, campaignId)
  const other = await service.otherAccount()
  const { campaignId: theirs } = await activeCampaign(service, other)
  const deleted = await buyNumber(service, theirs, { token: other.token })
  await follow()
  assert.deepEqual([forwardings.find(ended), forwardings.find(deleted)], [null, null])
  const end = await service.post(`/v1/campaign/${campaignId}/end`, { confirm: campaignId })
  assert.equal(end.status, 200)
  await follow()
  assert.deepEqual([forwardings.find(ended), forwardings.find(deleted)], [undefined, null])

  const { accountId } = other
  const late = '+14155550123'
  await addInventory(service, [late])
  const [actor, now] = [COMMAND, world.clock.now()]
  await world.db.transaction((tx) => moveAccount(tx, actor, accountId, 'suspend', null, now))
  await world.db.transaction((tx) => deleteAccount(tx, actor, accountId, 'test', now))
  await follow()
  assert.equal(forwardings.find(deleted), undefined)
  // A number whose purchase was in progress.
  const purchase = { campaignId: theirs, phoneNumber: late }
  await world.db.transaction((tx) => purchaseNumber(tx, accountId, purchase, now))
  while ((await removeRemains(world.db.patient, { accountId, deletingSince: now }, now)) > 0);
  await follow()
  assert.equal(forwardings.find(late), undefined)
  const { body } = await service.get('/v1/number/search?areaCode=415&limit=10')
  assert.ok(
    body.numbers.some(({ number }: { number: string }) => number === late),
    'for sale',
  )
})

test('a hint makes the node that made the change apply it immediately', async (t) => {
  const service = await testService(t)
  const { hints } = service.world
  const { forwardings } = await loaded(service.world)
  assert.deepEqual(forwardings.loop.hints, ['forwardings'])
  let hinted = 0
  hints.subscribe('forwardings', () => {
    hinted += 1
  })
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  assert.equal(hinted, 1)
  await forward(service, number, TARGET)
  assert.equal(hinted, 2)
  await service.call('DELETE', `/v1/number/${number}`)
  assert.equal(hinted, 3)
})

test('transactions that end in another order than they started are all seen', async (t) => {
  const service = await testService(t)
  const { db } = service.world
  const { forwardings, follow } = await loaded(service.world)
  const numberOf = (i: number) => `+1415555010${i}`
  const open = await Promise.all(
    [0, 1, 2].map(async (i) => {
      let end: () => void = () => {}
      const ended = new Promise<void>((resolve) => {
        end = resolve
      })
      let done: Promise<void> = Promise.resolve()
      await new Promise<void>((begun) => {
        done = db.transaction(async (tx) => {
          const change = { phoneNumber: numberOf(i), forwardNumber: TARGET, isHeld: true }
          await recordForwardings(tx, [change])
          begun()
          await ended
        })
      })
      const commit = () => {
        end()
        return done
      }
      return { commit }
    }),
  )
  const known = () => [0, 1, 2].filter((i) => forwardings.find(numberOf(i)) === TARGET)
  await follow()
  assert.deepEqual(known(), [], 'nothing is committed')
  const soFar: number[] = []
  for (const i of [2, 0, 1]) {
    await open[i]!.commit()
    soFar.push(i)
    await follow()
    assert.deepEqual(known(), soFar.toSorted())
  }
})

test('a purchase in progress while the numbers load is not missed', async (t) => {
  const service = await testService(t)
  const { world, accountId } = service
  const { campaignId } = await activeCampaign(service)
  const phoneNumber = '+14155550123'
  await addInventory(service, [phoneNumber])
  const forwardings = new Forwardings(world)
  await world.db.transaction(async (tx) => {
    await purchaseNumber(tx, accountId, { campaignId, phoneNumber }, world.clock.now())
    await forwardings.load()
    assert.equal(forwardings.find(phoneNumber), undefined)
  })
  await forwardings.loop.step(SIGNAL)
  assert.equal(forwardings.find(phoneNumber), null)
})

test('tens of thousands of numbers are loaded and followed in pages', async (t) => {
  const service = await testService(t)
  const { db } = service.world
  const count = 20_001
  await insertNumbers(service, count)
  const { forwardings, follow } = await loaded(service.world)
  assert.equal(forwardings.size, count)
  assert.ok(forwardings.bytes <= 1.25 * 2 ** 20, String(forwardings.bytes))
  const isRight = (offset: number) => {
    for (let i = 0; i < count; i += 1) {
      assert.equal(forwardings.find(`+1${4_160_000_000 + i}`), `+1${2_120_000_000 + offset + i}`)
    }
  }
  isRight(0)
  const changes = Array.from({ length: count }, (_, i) => ({
    phoneNumber: `+1${4_160_000_000 + i}`,
    forwardNumber: `+1${2_120_000_001 + i}`,
    isHeld: true,
  }))
  await db.transaction((tx) => recordForwardings(tx, changes))
  await follow()
  isRight(1)
})

/** Nobody can connect, and existing connections are cut. */
async function takeAway(t: TestContext, { databaseUrl }: TestService) {
  const name = new URL(databaseUrl).pathname.slice(1)
  const client = new pg.Client(process.env.TEST_DATABASE_URL)
  await client.connect()
  t.after(() => client.end())
  const allow = (isAllowed: boolean) =>
    client.query(`alter database ${name} with allow_connections ${isAllowed}`)
  await allow(false)
  await eventually(async () => {
    const { rowCount } = await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [name],
    )
    return rowCount === 0
  }, 'the end of all connections')
  return { giveBack: () => allow(true) }
}

test('while the database is down the numbers stay known, and afterwards they catch up', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const released = await buyNumber(service, campaignId)
  await forward(service, number, TARGET)
  const { forwardings } = await loaded(service.world)
  const loop = startLoop(forwardings.loop)
  try {
    const { giveBack } = await takeAway(t, service)
    const isAway = async () => (await service.get(`/v1/number/${number}`)).status === 503
    await eventually(isAway, 'the database is down')
    await assert.rejects(forwardings.loop.step(SIGNAL))
    assert.equal(forwardings.find(number), TARGET)
    assert.equal(forwardings.find(released), null)
    assert.equal(forwardings.size, 2)
    await giveBack()
    const change = async () => (await forward(service, number, OTHER_TARGET)).status === 200
    await eventually(change, 'a change')
    await service.call('DELETE', `/v1/number/${released}`)
    await eventually(async () => forwardings.find(released) === undefined, 'the release')
    assert.equal(forwardings.find(number), OTHER_TARGET)
  } finally {
    await loop.stop()
  }
})

test('a node that was away for too long, or finds another database, loads all numbers again', async (t) => {
  const service = await testService(t)
  const { world } = service
  await insertNumbers(service, 2)
  const { forwardings, follow } = await loaded(world)
  await world.db.query(sql`update numbers set forward_number = null`) // without a notification
  await follow()
  assert.equal(forwardings.find('+14160000000'), '+12120000000')
  const realNow = world.clock.machineNow.bind(world.clock)
  t.mock.method(world.clock, 'machineNow', () => new Date(realNow().getTime() + 3_600_000))
  await follow()
  assert.equal(forwardings.find('+14160000000'), null)

  await world.db.query(sql`delete from numbers where phone_number = '+14160000001'`)
  await follow()
  assert.equal(forwardings.find('+14160000001'), null)
  const { query } = world.db
  t.mock.method(world.db, 'query', async (statement: Parameters<typeof query>[0]) => {
    const rows = await query<{ settledBelow?: string }>(statement)
    return rows.map((row) => ({ ...row, ...(row.settledBelow && { settledBelow: '4' }) }))
  })
  await follow()
  assert.equal(forwardings.find('+14160000001'), undefined)
})

test('after a failure all numbers are read again, because a promoted standby may differ', async (t) => {
  const service = await testService(t)
  const { world } = service
  await insertNumbers(service, 1)
  const { forwardings, follow } = await loaded(world)
  await world.db.query(sql`update numbers set forward_number = null`) // without a notification
  const fail = () => forwardings.loop.onError(new Error('away'))
  fail()
  await follow()
  assert.equal(forwardings.find('+14160000000'), '+12120000000', 'not in the same half minute')
  const realNow = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => realNow() + 30_000)
  await follow()
  assert.equal(forwardings.find('+14160000000'), null)
  await world.db.query(sql`update numbers set forward_number = '+14155550188'`)
  t.mock.restoreAll()
  t.mock.method(performance, 'now', () => realNow() + 60_000)
  await follow()
  assert.equal(forwardings.find('+14160000000'), null, 'read again once after a failure')
})

test('changes that every node has read are deleted after an hour, later ones stay', async (t) => {
  const service = await testService(t)
  const { db } = service.world
  const record = (phoneNumber: string) =>
    db.transaction((tx) =>
      recordForwardings(tx, [{ phoneNumber, forwardNumber: null, isHeld: false }]),
    )
  const kept = async () => {
    const { changes } = await listForwardingChanges(
      db,
      0n,
      { changedIn: '0', phoneNumber: '' },
      100,
    )
    return changes.map(({ phoneNumber }) => phoneNumber)
  }
  const { step } = voicePurgeLoop(service.world)
  await record('+14155550101')
  await record('+14155550102')
  // Transactions of other databases on the server count as well, and earlier ones may still run.
  const [next] = await db.query<{ xid: string }>(sql`select pg_current_xact_id()::text as xid`)
  const isSettled = async () => (await findSettledBelow(db)) >= BigInt(next!.xid)
  await eventually(isSettled, 'the end of older transactions')
  await step(SIGNAL)
  await record('+14155550103')
  await record('+14155550101')
  await step(SIGNAL)
  assert.deepEqual(await kept(), ['+14155550102', '+14155550103', '+14155550101'])
  const realNow = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => realNow() + 3_600_000)
  await step(SIGNAL)
  assert.deepEqual(await kept(), ['+14155550103', '+14155550101'])
})

test('all nodes have the same key, even if they start at the same time', async (t) => {
  const { world } = await testService(t)
  const keys = await Promise.all(
    Array.from({ length: 4 }, () => keepVoiceKey(world.db, randomBytes(32))),
  )
  assert.equal(keys[0]!.length, 32)
  for (const key of keys) assert.deepEqual(key, keys[0])
  assert.deepEqual(await keepVoiceKey(world.db, randomBytes(32)), keys[0])
})
