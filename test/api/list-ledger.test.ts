// GET /v1/account/ledger: every change of the balance, with the balance after it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { creditAccount } from '../../src/ledger/credit-account.js'
import { entryFloor, insertClosing, searchEntries } from '../../src/ledger/entry-queries.js'
import { findClosingDrift } from '../../src/ledger/ledger-queries.js'
import { insertAccepted, type NewMessage } from '../../src/messages/send/accept-queries.js'
import { advanceTo } from '../billing-fixtures.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { type Reply, type TestService, testService } from '../harness.js'
import { assertFailureShapes } from './failure-shapes.js'

const LEDGER = '/v1/account/ledger'
const TO = '+14155550123'

interface WireEntry {
  id: string
  reason: string
  reference: string
  campaignId: string | null
  amount: number
  balanceAfter: number
  createdAt: string
}

test('an account with one credit has one entry', async (t) => {
  const service = await testService(t, { balance: '7.5' })
  const { status, body } = await service.get(LEDGER)
  assert.equal(status, 200)
  const [{ id, createdAt }] = body.entries
  assert.deepEqual(body, {
    entries: [
      {
        id,
        createdAt,
        reason: 'credit',
        reference: `credit:opening:${service.accountId}`,
        campaignId: null,
        amount: 7.5,
        balanceAfter: 7.5,
        note: null,
      },
    ],
    hasMore: false,
    next: null,
  })
})

test('entries are listed newest first, each with the balance after it', async (t) => {
  const service = await testService(t)
  const campaignId = await spend(service)
  const { entries } = (await service.get(`${LEDGER}?limit=100`)).body
  assert.deepEqual(
    entries.map((entry: WireEntry) => [entry.reason, entry.amount, entry.balanceAfter]),
    [
      ['message', -0.0158, 98.9763],
      ['message', -0.0079, 98.9921],
      ['number_purchase', -1, 99],
      ['campaign_creation', -20, 100],
      ['credit', 20, 120],
      ['credit', 100, 100],
    ],
  )
  assert.equal(entries[0].campaignId, campaignId)
  assert.equal(await service.balance(), 98.9763)
})

test('filters select by reason, campaign, and time, and do not change the balances', async (t) => {
  const service = await testService(t)
  await advanceTo(service, '2027-01-10T00:00:00.000Z')
  const first = await spend(service)
  await advanceTo(service, '2027-02-10T00:00:00.000Z')
  const second = await spend(service)
  const all = (await service.get(`${LEDGER}?limit=100`)).body.entries as WireEntry[]
  const pick = (test: (entry: WireEntry) => boolean) => all.filter(test)
  const expect = async (query: string, wanted: WireEntry[]) => {
    const { body } = await service.get(`${LEDGER}?limit=100&${query}`)
    assert.deepEqual(body, { entries: wanted, hasMore: false, next: null }, query)
    return wanted.length
  }
  assert.equal(
    await expect(
      'reason=credit',
      pick((e) => e.reason === 'credit'),
    ),
    3,
  )
  assert.equal(
    await expect(
      'reason=message',
      pick((e) => e.reason === 'message'),
    ),
    4,
  )
  assert.equal(await expect('reason=number_renewal', []), 0)
  const of = (id: string) => pick((e) => e.campaignId === id)
  assert.equal(await expect(`campaign=${first}`, of(first)), 4)
  assert.equal(await expect(`campaign=${second}`, of(second)), 4)
  const border = '2027-02-01T00:00:00.000Z'
  assert.equal(
    await expect(
      `since=${border}`,
      pick((e) => e.createdAt >= border),
    ),
    5,
  )
  assert.equal(
    await expect(
      `until=${border}`,
      pick((e) => e.createdAt < border),
    ),
    6,
  )
  await expect(`since=${all[3]!.createdAt}&until=${all[0]!.createdAt}`, between(all, 3, 0))
  await expect(`reason=message&until=${border}&campaign=${second}`, [])
})

// From the time of `low` until just before that of `high`. Several entries may share a millisecond.
function between(all: WireEntry[], low: number, high: number): WireEntry[] {
  return all.filter(
    ({ createdAt }) => createdAt >= all[low]!.createdAt && createdAt < all[high]!.createdAt,
  )
}

test('pages by after and by skip have the same entries and balances as one long page', async (t) => {
  const service = await testService(t)
  await spend(service)
  await spend(service)
  const whole = (await service.get(`${LEDGER}?limit=100`)).body.entries
  const walked = await walk(service, 3)
  assert.deepEqual(walked, whole)
  const skipped = (await service.get(`${LEDGER}?limit=4&skip=5`)).body
  assert.deepEqual(skipped, { entries: whole.slice(5, 9), hasMore: true, next: whole[8].id })
})

test('a page scans a limited number of entries for a quiet campaign, and the next page continues there', async (t) => {
  const service = await testService(t)
  const quiet = await spend(service)
  for (let busy = 0; busy < 3; busy += 1) await spend(service)
  const whole = (await service.get(`${LEDGER}?limit=100&campaign=${quiet}`)).body.entries
  const filter = { reason: null, campaignId: quiet, since: null, until: null }
  const found: string[] = []
  let empty = 0
  for (let after: string | null = null, isEnd = false; !isEnd; isEnd = after === null) {
    const page = { limit: 3, skip: 0, after }
    const { entries, next } = await searchEntries(
      service.world.db,
      service.accountId,
      filter,
      page,
      2,
    )
    if (entries.length === 0) empty += 1
    found.push(...entries.map(({ id }) => id))
    after = next
  }
  assert.ok(empty >= 2, `only ${empty} pages went past what the others paid`)
  assert.deepEqual(
    found,
    whole.map(({ id }: WireEntry) => id),
  )
})

test('messages charged together are separate entries, wherever a page ends', async (t) => {
  const service = await testService(t)
  const { db, clock } = service.world
  const campaigns = [await spend(service), await spend(service)]
  const now = clock.now()
  // Four batches in one millisecond, with interleaved ids.
  const messages = Array.from({ length: 40 }, (_, i) => draftOf(campaigns[i % 2]!, i))
  const ids = messages.map(() => newId('msg', now))
  for (let batch = 0; batch < 4; batch += 1) {
    const isOwn = (_: unknown, i: number) => (i >> 1) % 4 === batch
    const own = { now, ids: ids.filter(isOwn), messages: messages.filter(isOwn) }
    assert.equal((await insertAccepted(db, service.accountId, own)).count, 10)
  }
  const whole = (await service.get(`${LEDGER}?limit=100`)).body.entries as WireEntry[]
  let balance = whole[0]!.balanceAfter
  assert.equal(balance, await service.balance())
  for (const entry of whole) {
    assert.equal(entry.balanceAfter, balance)
    balance = round(balance - entry.amount)
  }
  const charged = whole.slice(0, 40).toReversed()
  assert.deepEqual(
    charged.map(({ reference, amount }) => [reference, amount]),
    messages.map(({ numSegments }, i) => [ids[i], round(-0.0079 * numSegments)]),
  )
  for (const limit of [1, 7, 11, 41]) assert.deepEqual(await walk(service, limit), whole)
  for (const skip of [0, 3, 38, 45]) {
    const { entries } = (await service.get(`${LEDGER}?limit=5&skip=${skip}`)).body
    assert.deepEqual(entries, whole.slice(skip, skip + 5))
  }
  const of = `reason=message&campaign=${campaigns[1]}`
  const { entries } = (await service.get(`${LEDGER}?limit=100&${of}`)).body
  assert.deepEqual(
    entries,
    whole.filter((entry) => entry.reason === 'message' && entry.campaignId === campaigns[1]),
  )
  const month = now.toISOString().slice(0, 7)
  const { statement } = (await service.get(`/v1/account/statement/${month}`)).body
  const counts = statement.lines
    .filter(({ reason }: WireEntry) => reason === 'message')
    .map(({ count }: { count: number }) => count)
  assert.deepEqual(counts, [22, 22])
})

test('closing days changes no balance on any page', async (t) => {
  const service = await testService(t)
  const { db } = service.world
  for (const day of ['2027-01-10', '2027-01-11', '2027-01-13']) {
    await advanceTo(service, `${day}T10:00:00.000Z`)
    await spend(service)
  }
  const whole = (await service.get(`${LEDGER}?limit=100`)).body.entries
  // Another account's money and closed days in between must have no effect.
  const other = await service.otherAccount('3')
  await db.query(sql`
    update ledger_transfers set id = ${entryFloor(new Date('2027-01-10T23:00:00Z'))}
    where account_id = ${other.accountId}`)
  for (const day of ['2027-01-11', '2027-01-14']) {
    await insertClosing(db, other.accountId, entryFloor(new Date(day)))
  }
  await db.query(sql`
    insert into ledger_notes (account_id, transfer_id, note)
    values (${other.accountId}, ${whole[0].id}, 'not yours')`)
  for (const day of ['2027-01-11', '2027-01-12', '2027-01-13', '2027-01-13']) {
    await insertClosing(db, service.accountId, entryFloor(new Date(day)))
  }
  assert.deepEqual(await walk(service, 2), whole)
  assert.deepEqual((await service.get(`${LEDGER}?limit=100`)).body.entries, whole)
  const credits = whole.filter(({ reason }: WireEntry) => reason === 'credit')
  assert.deepEqual((await service.get(`${LEDGER}?reason=credit`)).body.entries, credits)
  assert.deepEqual(await findClosingDrift(db), [])
})

test('an operator’s note is shown with its entry', async (t) => {
  const service = await testService(t)
  const { world, accountId } = service
  const deposit = { amountMicros: 1n, note: 'Invoice 7, thank you', reference: 'invoice-7' }
  await world.db.transaction((tx) => creditAccount(tx, accountId, deposit, world.clock.now()))
  const [entry] = (await service.get(LEDGER)).body.entries
  assert.equal(entry.note, 'Invoice 7, thank you')
  assert.equal(entry.reference, 'credit:invoice-7')
  assert.equal(entry.amount, 0.000001)
  assert.equal(entry.balanceAfter, 100.000001)
})

test('a CSV request returns a file with every entry, or only the requested page', async (t) => {
  const service = await testService(t)
  await spend(service)
  const { world, accountId } = service
  const note = '=HYPERLINK("https://evil.example"), "quoted"\nand a line'
  const deposit = { amountMicros: 2_500_000n, note, reference: '=1' }
  await world.db.transaction((tx) => creditAccount(tx, accountId, deposit, world.clock.now()))
  const csv = await getCsv(service, LEDGER)
  assert.equal(csv.status, 200)
  assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8')
  assert.equal(csv.headers['content-disposition'], 'attachment; filename="ledger.csv"')
  const [head, first, ...rest] = csv.body.split('\r\n')
  assert.equal(head, 'id,createdAt,reason,reference,campaignId,amount,balanceAfter,note')
  const [entry] = (await service.get(LEDGER)).body.entries
  assert.equal(
    first,
    `${entry.id},${entry.createdAt},credit,credit:=1,,2.50,101.4763,` +
      `"'=HYPERLINK(""https://evil.example""), ""quoted""\nand a line"`,
  )
  assert.match(rest[0], /^trf_.*,message,msg_.*,cmp_.*,-0\.0158,98\.9763,$/)
  assert.equal(rest.length, 7) // six entries and the empty rest after the last line
  const page = await getCsv(service, `${LEDGER}?limit=2`)
  assert.equal(page.body.split('\r\n').length, 4)
})

test('a CSV file can have more entries than a page', async (t) => {
  const service = await testService(t, { balance: '1000' })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const messages = Array.from({ length: 1000 }, () => ({
    campaign: campaignId,
    to: TO,
    body: 'Hi',
  }))
  for (let batch = 0; batch < 2; batch += 1) {
    const { results } = (await service.post('/v1/message/batch', { messages })).body
    assert.ok(results.every(({ success }: { success: boolean }) => success))
  }
  const lines = (await getCsv(service, LEDGER)).body.trimEnd().split('\r\n').slice(1)
  const ids = new Set(lines.map((line: string) => line.split(',', 1)[0]))
  assert.equal(ids.size, 2004)
  assert.equal(lines.length, 2004)
  assert.equal(Number(lines[0].split(',')[6]), await service.balance())
})

test('another account sees none of the entries', async (t) => {
  const service = await testService(t)
  const campaignId = await spend(service)
  const { token } = await service.otherAccount('3')
  const { entries } = (await service.get(LEDGER, { token })).body
  assert.deepEqual(
    entries.map(({ amount }: WireEntry) => amount),
    [3],
  )
  const foreign = await service.get(`${LEDGER}?campaign=${campaignId}`, { token })
  assert.deepEqual(foreign.body, { entries: [], hasMore: false, next: null })
})

test('an invalid query is refused and names the field', async (t) => {
  const service = await testService(t)
  for (const [query, error] of [
    ['reason=luck', /^reason must be one of credit, correction, /],
    ['campaign=cmp_1', /^campaign must be the ID of a campaign$/],
    ['since=yesterday', /^since must be an ISO 8601 time such as 2026-12-24T18:00:00Z$/],
    ['until=2027-13-01T00:00:00Z', /^until must be an ISO 8601 time/],
    ['after=msg_01km3v9w8m0000pqv3t5x7z9bd', /^after must be next of the previous page$/],
    ['since=2027-06-30T23:59:60Z', /^since must be an ISO 8601 time/],
    ['limit=0', /^limit must be a whole number from 1 to 1000$/],
    ['limit=1001', /^limit must be/],
    ['skip=-1', /^skip must be/],
  ] as const) {
    const { status, body } = await service.get(`${LEDGER}?${query}`)
    assert.equal(status, 400, query)
    assert.match(body.error, error)
    assert.deepEqual(body.entries, [])
  }
  await service.get(`${LEDGER}?since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z`)
})

test('errors have the shape of the route', async (t) => {
  const service = await testService(t)
  const failure = { entries: [] }
  await assertFailureShapes(service, { method: 'GET', url: LEDGER, failure, scope: 'billing' })
})

/** A campaign, a number, a short message, and a long one: $1.0237, plus $20 that are credited first. */
async function spend(service: TestService): Promise<string> {
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  for (const body of ['Hi', 'x'.repeat(161)]) {
    const { status } = await service.post('/v1/message/send', {
      campaign: campaignId,
      to: TO,
      body,
    })
    assert.equal(status, 200)
  }
  return campaignId
}

const round = (dollars: number) => Math.round(dollars * 1e6) / 1e6

function draftOf(campaignId: string, i: number): NewMessage {
  const numSegments = 1 + (i % 3)
  return {
    campaignId,
    type: 'SMS',
    from: '+14155550100',
    to: TO,
    route: 'open',
    body: 'Hi',
    mediaUrls: [],
    metadata: {},
    numSegments,
    priceMicros: 7_900n * BigInt(numSegments),
    automatic: null,
    scheduledAt: null,
    validitySeconds: null,
    path: { kind: 'handoff' },
    once: null,
  }
}

async function walk(service: TestService, limit: number): Promise<WireEntry[]> {
  const walked: WireEntry[] = []
  for (let after = ''; ; ) {
    const { entries, hasMore, next } = (await service.get(`${LEDGER}?limit=${limit}${after}`)).body
    walked.push(...entries)
    assert.equal(next, hasMore ? entries.at(-1).id : null)
    if (!hasMore) return walked
    after = `&after=${next}`
  }
}

async function getCsv(service: TestService, url: string): Promise<Reply> {
  const headers = { authorization: `Bearer ${service.token}`, accept: 'text/csv' }
  const { statusCode, body, headers: got } = await service.app.inject({ url, headers })
  return { status: statusCode, body, headers: got as Record<string, string> }
}
