// Usage and statistics are read from counters. Whatever happens to messages, and whenever changes are added to the
// counters, both match a count of the messages. They also do after an upgrade from a version without counters.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { sql } from '../../src/kit/postgres/sql.js'
import type { World } from '../../src/kit/world.js'
import { carrierOf, type Route } from '../../src/messages/lane.js'
import type { Status } from '../../src/messages/message-state.js'
import { NO_STEP, STEPS_PER_E } from '../../src/messages/moves/counter-queries.js'
import { moveMessages } from '../../src/messages/moves/move-queries.js'
import { redactTexts } from '../../src/messages/redact-queries.js'
import type { StatsSpan } from '../../src/messages/usage/stats.js'
import { countMessages } from '../../src/messages/usage/stats-queries.js'
import { findHorizon, findSummedUntil, messageFloor } from '../../src/messages/usage/sum-queries.js'
import { foldAccount, sumAccount, sumLoop } from '../../src/messages/usage/sum-usage.js'
import { sumUsage } from '../../src/messages/usage/usage-queries.js'
import { changesStorage, type TestService, testService, thorough } from '../harness.js'
import { sendingService } from '../sending.js'

const SEED = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const BEGIN = new Date('2027-03-07T00:00:00.000Z')
const CAMPAIGNS = ['cmp_a', 'cmp_b']
const ROUTES: Route[] = ['att-sms', 'att-mms', 'tmo', 'open']
const NEXT: Partial<Record<Status, Status[]>> = {
  SCHEDULED: ['QUEUED', 'FAILED'],
  QUEUED: ['SENT', 'DELIVERED', 'READ', 'FAILED', 'EXPIRED'],
  SENT: ['DELIVERED', 'READ', 'FAILED'],
  DELIVERED: ['READ'],
}

/** The same numbers for the same seed. */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
}

interface Row {
  id: string
  campaignId: string
  direction: 'INBOUND' | 'OUTBOUND'
  route: Route
  status: Status
  errorCode: number | null
  segments: number
  price: bigint
  isRefunded: boolean
  createdAt: Date
  sentAt: Date | null
  updatedAt: Date
}

interface NewRow extends Pick<Row, 'id' | 'campaignId' | 'direction' | 'route' | 'segments'> {
  status: Status
  price: number
  createdAt: Date
  isCounted: boolean
}

/** As the statements that accept and receive do. */
async function insertMessage(
  { world, accountId }: Pick<TestService, 'world' | 'accountId'>,
  row: NewRow,
): Promise<void> {
  await world.db.query(sql`
    with counted as (
      insert into usage_changes (account_id, message_id, sequence, start, campaign_id, route, carrier,
        direction, from_step, to_status, to_error, to_step, count, segments, refunded_micros)
      select ${accountId}, ${row.id}, 0, ${startOf(HOUR_MS, row.createdAt)}, ${row.campaignId}, ${row.route},
        ${carrierOf(row.route)}, ${row.direction}, ${NO_STEP}, ${row.status}, 0, ${NO_STEP}, 1, ${row.segments}, ${-row.price}
      where ${row.isCounted}::boolean
    )
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      num_segments, price_micros, status, created_at, updated_at)
    values (${accountId}, ${row.id}, ${row.campaignId}, 'SMS', ${row.direction}, '+14152000001',
      '+14155550107', ${row.route}, 'Hello', ${row.segments}, ${row.price}, ${row.status},
      ${row.createdAt}, ${row.createdAt})`)
}

class History {
  readonly #random = chance(SEED)
  #now = BEGIN

  constructor(
    readonly service: Pick<TestService, 'world' | 'accountId'>,
    /** Earlier messages were written by a version that does not count when it writes. */
    readonly countedFrom: Date,
  ) {}

  get now(): Date {
    return this.#now
  }

  pick<T>(list: readonly T[]): T {
    return list[this.#random(list.length)]!
  }

  below(limit: number): number {
    return this.#random(limit)
  }

  pass(ms: number): void {
    this.#now = new Date(this.#now.getTime() + ms)
  }

  async create(): Promise<void> {
    const isInbound = this.#random(5) === 0
    const status = isInbound ? 'DELIVERED' : this.pick(['SCHEDULED', 'QUEUED', 'QUEUED'] as const)
    await insertMessage(this.service, {
      ...{ id: newId('msg', this.#now), campaignId: this.pick(CAMPAIGNS), status },
      direction: isInbound ? 'INBOUND' : 'OUTBOUND',
      route: this.pick(ROUTES),
      segments: 1 + this.#random(3),
      price: isInbound ? 0 : 7_900 * (1 + this.#random(3)),
      createdAt: this.#now,
      isCounted: this.#now >= this.countedFrom,
    })
  }

  /** Some message, of any age, moves. A failure is refunded or not. */
  async move(): Promise<void> {
    const open = (await this.rows()).filter(
      (row) => row.direction === 'OUTBOUND' && NEXT[row.status],
    )
    if (open.length === 0) return
    const { id, status } = this.pick(open)
    const target = this.pick(NEXT[status]!)
    const errorCode =
      target === 'FAILED' || target === 'EXPIRED' ? this.pick([1350, 1370] as const) : null
    const { world, accountId } = this.service
    const move = { messageId: id, target, errorCode, entry: `0|${target}|` } as const
    await moveMessages(world.db, accountId, [move], this.#now)
  }

  /** As the loop does, an hour after. Returns how many counters were corrected. */
  async sum(): Promise<number> {
    const until = new Date(Math.floor((this.#now.getTime() - HOUR_MS) / HOUR_MS) * HOUR_MS)
    return sumAccount(this.service.world.db, this.service.accountId, until, this.#now)
  }

  async fold(): Promise<void> {
    await foldAccount(this.service.world.db, this.service.accountId, this.#now)
  }

  async rows(): Promise<Row[]> {
    return this.service.world.db.query<Row>(sql`
      select id, campaign_id as "campaignId", direction, route, status, error_code as "errorCode",
        num_segments as segments, price_micros as price, is_refunded as "isRefunded",
        created_at as "createdAt", sent_at as "sentAt", updated_at as "updatedAt"
      from messages where account_id = ${this.service.accountId} order by id`)
  }
}

const startOf = (ms: number, time: Date) => new Date(Math.floor(time.getTime() / ms) * ms)

/** Counted one by one. */
function plainUsage(rows: readonly Row[], from: Date, to: Date): string[] {
  const sums = new Map<string, { messages: number; segments: number; cost: bigint }>()
  for (const row of rows) {
    if (row.direction === 'INBOUND' || row.createdAt < from || row.createdAt >= to) continue
    const key = `${row.createdAt.toISOString().slice(0, 10)} ${row.campaignId}`
    const sum = sums.get(key) ?? { messages: 0, segments: 0, cost: 0n }
    sums.set(key, sum)
    sum.messages += 1
    sum.segments += row.segments
    if (!row.isRefunded) sum.cost += row.price
  }
  return [...sums].map(([key, sum]) => `${key} ${sum.messages} ${sum.segments} ${sum.cost}`).sort()
}

async function readUsage(history: History, from: Date, to: Date): Promise<string[]> {
  const { world, accountId } = history.service
  const rows = await sumUsage(world.db, accountId, from, to)
  return rows
    .map((row) => `${row.date} ${row.campaignId} ${row.messages} ${row.segments} ${row.costMicros}`)
    .sort()
}

function plainCounts(rows: readonly Row[], span: StatsSpan): Record<string, string[]> {
  const counts = { buckets: [] as string[], groups: [] as string[], times: [] as string[] }
  for (const row of rows) {
    if (row.createdAt < span.from || row.createdAt >= span.to) continue
    if (span.campaignId !== null && row.campaignId !== span.campaignId) continue
    const key = { status: '', carrier: carrierOf(row.route), campaign: row.campaignId }[span.by]
    const start = startOf(span.bucket === 'hour' ? HOUR_MS : DAY_MS, row.createdAt)
    const bucketKey = span.by === 'carrier' ? key : ''
    counts.buckets.push(`${start.getTime()} ${bucketKey} ${row.direction} ${row.status}`)
    counts.groups.push(`${key} ${row.direction} ${row.status} ${row.errorCode}`)
    const tookMs = row.updatedAt.getTime() - (row.sentAt?.getTime() ?? Number.POSITIVE_INFINITY)
    if (row.direction === 'OUTBOUND' && row.status === 'DELIVERED' && tookMs > 0) {
      counts.times.push(`${key} ${Math.round(Math.log(tookMs / 1000) * STEPS_PER_E)}`)
    }
  }
  return tallied(counts)
}

/** Equal ones as one, with their number. */
function tallied(counts: Record<string, string[]>): Record<string, string[]> {
  const tally = (texts: string[]) => {
    const sums = new Map<string, number>()
    for (const text of texts) sums.set(text, (sums.get(text) ?? 0) + 1)
    return [...sums].map(([text, count]) => `${text} ${count}`).sort()
  }
  return Object.fromEntries(Object.entries(counts).map(([name, texts]) => [name, tally(texts)]))
}

async function readCounts(history: History, span: StatsSpan): Promise<Record<string, string[]>> {
  const { world, accountId } = history.service
  const { inBuckets, inGroups, times } = await countMessages(world.db, accountId, span)
  return {
    buckets: inBuckets
      .map((b) => `${b.startMs} ${b.key} ${b.direction} ${b.status} ${b.count}`)
      .sort(),
    groups: inGroups
      .map((g) => `${g.key} ${g.direction} ${g.status} ${g.errorCode} ${g.count}`)
      .sort(),
    times: times.map((time) => `${time.key} ${time.step} ${time.count}`).sort(),
  }
}

async function assertSame(history: History, rows: readonly Row[], what: string): Promise<void> {
  const firstDay = new Date(BEGIN.getTime() + DAY_MS * history.below(3))
  const lastDay = new Date(firstDay.getTime() + DAY_MS * (1 + history.below(6)))
  const usage = await readUsage(history, firstDay, lastDay)
  assert.deepEqual(usage, plainUsage(rows, firstDay, lastDay), `usage ${what}`)
  const anyFrom = new Date(BEGIN.getTime() + history.below(3 * DAY_MS))
  const anyTo = new Date(anyFrom.getTime() + 1 + history.below(5 * DAY_MS))
  for (const [from, to] of [
    [anyFrom, anyTo],
    [firstDay, lastDay],
  ] as const) {
    const span: StatsSpan = {
      from,
      to,
      bucket: history.pick(['hour', 'day'] as const),
      by: history.pick(['status', 'carrier', 'campaign'] as const),
      campaignId: history.pick([null, null, 'cmp_a']),
    }
    const counts = await readCounts(history, span)
    assert.deepEqual(counts, plainCounts(rows, span), `${JSON.stringify(span)} ${what}`)
  }
}

const EPOCH = new Date(0)

async function begunHistory(t: TestContext, countedFrom = EPOCH): Promise<History> {
  const service = await testService(t)
  await service.world.db.query(
    sql`update usage_mark set counted_from = ${countedFrom}, totals_from = ${countedFrom},
      stored_from = ${countedFrom}`,
  )
  const history = new History(service, countedFrom)
  await history.sum() // starts: earlier messages are not summed within a day of it
  return history
}

/** Messages that were not sent yet, by lane. */
async function openCounts({ service }: History, rows: readonly Row[]): Promise<void> {
  const { world, accountId } = service
  const counts = await world.db.query<{ key: string; count: number }>(sql`
    select campaign_id || ' ' || route || ' ' || status as key, count::int from open_counts
    where account_id = ${accountId} and count <> 0 order by 1`)
  const open = rows.filter(({ status }) => status === 'QUEUED' || status === 'SCHEDULED')
  const keys = open.map((row) => `${row.campaignId} ${row.route} ${row.status}`)
  const expected = tallied({ keys }).keys
  assert.deepEqual(
    counts.map(({ key, count }) => `${key} ${count}`),
    expected,
  )
}

const HISTORIES = {
  'a history that was counted from the start': EPOCH,
  'a history that goes through an upgrade': new Date(BEGIN.getTime() + 1.5 * DAY_MS),
}

for (const [name, countedFrom] of Object.entries(HISTORIES)) {
  test(`counters match a count of the messages, after ${name}`, async (t) => {
    t.diagnostic(`TEST_SEED=${SEED}`)
    const history = await begunHistory(t, countedFrom)
    const { world, accountId } = history.service
    let waiting = 0
    let corrected = 0
    for (let round = 0; round < thorough(8, 60); round += 1) {
      for (let i = 0; i < 18; i += 1) {
        history.pass(history.below(HOUR_MS))
        await history.create()
        for (let moves = history.below(4); moves > 0; moves -= 1) {
          history.pass(history.below(4_000))
          await history.move()
        }
      }
      // Adding, changes in the meantime, and reads run side by side.
      await Promise.all([history.fold(), history.move(), history.move()])
      corrected += await history.sum()
      if (history.below(2) === 0) corrected += await history.sum()
      await history.create()
      await history.move()
      waiting += (await world.db.query(sql`select 1 from usage_changes`)).length
      const before = messageFloor(history.now)
      await redactTexts(world.db, accountId, { after: '', before, limit: history.below(40) + 1 })
      await assertSame(history, await history.rows(), `in round ${round}, TEST_SEED=${SEED}`)
    }
    const added = await world.db.query(sql`select 1 from usage_counts where count > 0`)
    assert.ok(added.length > 50, 'most of it came from counters')
    const totals = await world.db.query(sql`select 1 from usage_totals where count > 0`)
    assert.ok(totals.length > 20, 'counts without steps came from totals')
    assert.ok(waiting > 0, 'some of it was still to be added')
    assert.equal(corrected, 0, 'nothing that was counted had to be corrected')
    await history.fold()
    corrected += await history.sum()
    await assertSame(history, await history.rows(), 'in the end')
    await openCounts(history, await history.rows())
    const negative = await world.db.query(sql`
      select 1 from usage_counts where count < 0 union all select 1 from usage_totals where count < 0`)
    assert.deepEqual(negative, [])
  })
}

test('messages that an older process left uncounted are counted once their hour is over', async (t) => {
  const history = await begunHistory(t)
  changesStorage(history.service.world)
  const uncounted = { campaignId: 'cmp_a', direction: 'OUTBOUND', route: 'tmo' } as const
  for (let i = 0; i < 10; i += 1) {
    history.pass(20 * 60_000)
    await history.create()
    await insertMessage(history.service, {
      ...{ ...uncounted, id: newId('msg', history.now), status: 'QUEUED', segments: 2 },
      ...{ price: 7_900, createdAt: history.now, isCounted: false },
    })
    await history.move()
  }
  history.pass(3 * HOUR_MS)
  assert.ok((await history.sum()) > 0)
  await history.fold()
  assert.equal(await history.sum(), 0, 'once')
  await assertSame(history, await history.rows(), `TEST_SEED=${SEED}`)
})

test('checked messages may be deleted and still count in usage and statistics', async (t) => {
  const history = await begunHistory(t)
  const { world, accountId } = history.service
  changesStorage(world)
  for (let i = 0; i < 60; i += 1) {
    history.pass(HOUR_MS)
    await history.create()
    await history.move()
  }
  await history.sum()
  const rows = await history.rows()
  const summedUntil = await findSummedUntil(world.db, accountId)
  assert.equal(summedUntil.toISOString(), '2027-03-09T11:00:00.000Z')
  const deleted = await world.db.query(sql`
    delete from messages where account_id = ${accountId} and id < ${messageFloor(summedUntil)}
    returning 1`)
  assert.equal(deleted.length, 58)
  const [from, to] = [BEGIN, new Date(BEGIN.getTime() + 3 * DAY_MS)]
  assert.deepEqual(await readUsage(history, from, to), plainUsage(rows, from, to))
  for (const bucket of ['hour', 'day'] as const) {
    const span = { from, to, bucket, by: 'carrier', campaignId: null } as const
    assert.deepEqual(await readCounts(history, span), plainCounts(rows, span))
  }
})

test('after an upgrade, an hour is summed an hour after it ended, and not within a day of the first process that sums', async (t) => {
  const service = await testService(t)
  const { world, accountId } = service
  changesStorage(world)
  const idle = await service.otherAccount()
  await world.db.query(sql`update usage_mark set counted_from = '2028-01-01T00:00:00Z'`)
  let now = new Date('2027-03-08T10:30:00.000Z')
  let ms = 0
  const clock = { now: () => now } as World['clock']
  const loop = sumLoop({ ...world, clock }, () => ms)
  const run = async (time: string) => {
    now = new Date(time)
    // A time is settled once it was seen ten minutes ago.
    for (let i = 0; i < 2; i += 1) {
      ms += 600_000
      while ((await loop.step(new AbortController().signal)) > 0);
    }
    return (await findSummedUntil(world.db, accountId)).toISOString()
  }
  const add = async (time: string) => {
    const createdAt = new Date(time)
    await world.db.query(sql`
      insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
        num_segments, price_micros, status, created_at, updated_at)
      values (${accountId}, ${newId('msg', createdAt)}, 'cmp_a', 'SMS', 'OUTBOUND', '+14152000001',
        '+14155550107', 'open', 'Hello', 1, 7900, 'QUEUED', ${createdAt}, ${createdAt})`)
  }
  await add('2027-03-08T08:59:59.999Z')
  await add('2027-03-08T09:00:00.000Z')
  const never = '1970-01-01T00:00:00.000Z'
  assert.equal(await run('2027-03-08T10:30:00.000Z'), never, 'counting has just started')
  assert.equal(await run('2027-03-09T10:29:59.999Z'), never, 'a day is not over')
  await add('2027-03-09T09:59:59.999Z')
  await add('2027-03-09T10:00:00.000Z')
  assert.equal(await run('2027-03-09T11:30:00.000Z'), '2027-03-09T10:00:00.000Z')
  const sums = await world.db.query<{ unit: string; start: Date; messages: bigint }>(sql`
    select unit, start, messages from usage_sums where account_id = ${accountId} order by start, unit`)
  assert.deepEqual(
    sums.map(({ unit, start, messages }) => [unit, start.toISOString().slice(0, 13), messages]),
    [
      ['day', '2027-03-08T00', 2n],
      ['hour', '2027-03-08T08', 1n],
      ['hour', '2027-03-08T09', 1n],
      ['day', '2027-03-09T00', 1n],
      ['hour', '2027-03-09T09', 1n],
    ],
  )
  assert.equal(await run('2027-03-09T12:00:00.000Z'), '2027-03-09T11:00:00.000Z')
  const idleRows = await world.db.query(sql`
    select 1 from usage_progress where account_id = ${idle.accountId}`)
  assert.equal(idleRows.length, 0, 'an account without messages gets no rows')
})

test('an account that is opened after an upgrade has totals from its first message on', async (t) => {
  const { service, send, until } = await sendingService(t, { roles: ['dispatch'] })
  const { db, clock } = service.world
  const marked = new Date(clock.now().getTime() - 2 * HOUR_MS)
  await db.query(sql`update usage_mark set counted_from = ${marked}, totals_from = ${marked}`)
  await until(await send(), 'DELIVERED')
  const counts = async () => (await service.get('/v1/stats')).body
  const before = await counts()

  await foldAccount(db, service.accountId, clock.now())
  const totals = await db.query<{ status: string; count: bigint }>(sql`
    select status, count from usage_totals
    where account_id = ${service.accountId} and unit = 'hour' and count > 0`)
  assert.deepEqual(totals, [{ status: 'DELIVERED', count: 1n }])
  const horizon = await findHorizon(db, service.accountId)
  assert.deepEqual([horizon.hasTotals, horizon.summedUntil], [true, marked])
  assert.deepEqual(await counts(), before)
})
