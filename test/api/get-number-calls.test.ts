// GET /v1/number/{number}/calls: calls to a number by day, for the account that held it at the time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { CallCounts } from '../../src/voice/call-counts.js'
import { CallLimits } from '../../src/voice/call-limits.js'
import { voicePurgeLoop } from '../../src/voice/purge-loop.js'
import { SipMeter } from '../../src/voice/sip-meter.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type TestService, testService } from '../harness.js'

const DAY_MS = 86_400_000
const MISSING = { days: [], error: 'Number not found', code: 'number_missing' }

let calls = 0

/** The result of a call to the number. */
function answered(number: string | null, status = 302, method = 'INVITE') {
  calls += 1
  return {
    kind: 'answered' as const,
    ...{ method, status, number, tag: `tag ${calls}` },
    ...{ bytes: Buffer.alloc(0), port: 5060, target: null, why: null, trunk: 'test' },
  }
}

function countsOf({ world }: TestService): CallCounts {
  const limits = new CallLimits(world.config.callLimits, world.clock, () => null)
  return new CallCounts(world, new SipMeter(world.metrics), limits)
}

async function ownNumber(service: TestService): Promise<string> {
  const { campaignId } = await activeCampaign(service)
  return buyNumber(service, campaignId)
}

/** Moves the clock to the start of a later day, so no test runs past midnight. */
function moveToDay({ world: { clock } }: TestService, days: number): string {
  const nextMs = (Math.floor(clock.nowMs() / DAY_MS) + days) * DAY_MS
  clock.moveTo(clock.offsetMs + nextMs - clock.nowMs() + 1_000)
  return clock.now().toISOString().slice(0, 10)
}

test('calls are counted by day, newest first, and retransmissions of a call count once', async (t) => {
  const service = await testService(t)
  const number = await ownNumber(service)
  const counts = countsOf(service)
  const first = moveToDay(service, 1)
  const call = answered(number)
  counts.count(call)
  counts.count(call)
  counts.count({ ...call, status: 480 })
  counts.count(answered(number))
  counts.count(answered(number, 480))
  const overloaded = answered(null, 503)
  for (const other of [answered(null, 404), answered(null, 484), overloaded, overloaded]) {
    counts.count(other)
  }
  counts.count(answered(number, 200, 'OPTIONS'))
  await counts.write()
  counts.count(answered(number, 482))
  await counts.write()
  const second = moveToDay(service, 1)
  counts.count(answered(number))
  await counts.write()

  const { status, body } = await service.get(`/v1/number/${number.slice(1)}/calls`)
  assert.equal(status, 200)
  const [newest, oldest] = body.days
  assert.deepEqual(body, {
    phoneNumber: number,
    redirected: 3,
    refused: 2,
    lastCallAt: newest.lastCallAt,
    days: [
      { day: second, redirected: 1, refused: 0, lastCallAt: newest.lastCallAt },
      { day: first, redirected: 2, refused: 2, lastCallAt: oldest.lastCallAt },
    ],
  })
  const told = service.world.metrics.counter('longcode_calls_total', '', ['answer']).samples()
  assert.deepEqual(Object.fromEntries(told.map(({ labels, value }) => [labels[0], value])), {
    ...{ redirected: 3, refused: 2, limited: 0, unknown: 1, invalid: 1, overload: 2 },
  })
  assert.ok(newest.lastCallAt.startsWith(second))
  assert.ok(oldest.lastCallAt.startsWith(first))

  const today = await service.get(`/v1/number/${number}/calls?days=1`)
  assert.deepEqual([today.body.redirected, today.body.days.length], [1, 1])
  moveToDay(service, 1)
  const none = await service.get(`/v1/number/${number}/calls?days=1`)
  assert.deepEqual(none.body, {
    ...{ phoneNumber: number, redirected: 0, refused: 0 },
    ...{ lastCallAt: newest.lastCallAt, days: [] },
  })
})

test('a SIP call is counted within seconds, and metrics separate it from unknown senders', async (t) => {
  const roles = ['voice'] as const
  const env = { LONGCODE_SIP_PORT: '0', LONGCODE_METRICS_PUBLIC: 'true' }
  const service = await testService(t, { roles, env })
  const number = await ownNumber(service)
  await service.call('PATCH', `/v1/number/${number}/forwarding`, { forwardNumber: '+14155550188' })
  const { answerer, forwardings } = service.voice!
  await eventually(async () => Boolean(forwardings.find(number)), 'the target')
  const invite = Buffer.from(
    `INVITE sip:${number}@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK1\r\nFrom: <sip:a@h.test>;tag=1\r\nTo: <sip:${number}@127.0.0.1>\r\nCall-ID: 1\r\nCSeq: 1 INVITE\r\nMax-Forwards: 70\r\n\r\n`,
  )
  const send = (address: string, bytes = invite) =>
    answerer.answer(bytes, { transport: 'udp', address, port: 5060 })
  assert.equal(send('192.0.2.1'), null)
  assert.equal(send('127.0.0.1')?.kind, 'answered')
  assert.equal(send('127.0.0.1')?.kind, 'answered')
  assert.equal(send('127.0.0.1', Buffer.from('?'))?.kind, 'nonsense')
  const { body } = await eventually(async () => {
    const reply = await service.get(`/v1/number/${number}/calls`)
    return reply.body.lastCallAt !== null && reply
  }, 'the call')
  assert.deepEqual([body.redirected, body.refused], [1, 0])
  const metrics = String((await service.get('/metrics', { token: null })).body)
  for (const line of [
    'longcode_calls_total{answer="redirected"} 1',
    'longcode_calls_total{answer="overload"} 0',
    'longcode_sip_messages_total{transport="udp",outcome="answered"} 2',
    'longcode_sip_messages_total{transport="udp",outcome="nonsense"} 1',
    'longcode_sip_messages_total{transport="udp",outcome="stranger"} 1',
    'longcode_sip_messages_total{transport="tls",outcome="answered"} 0',
    'longcode_forwardings 1',
  ]) {
    assert.ok(metrics.split('\n').includes(line), line)
  }
  assert.match(metrics, /^longcode_forwardings_age_seconds [\d.]+$/m)
})

test('a number without calls shows zero calls, and another account’s number returns not found', async (t) => {
  const service = await testService(t)
  const number = await ownNumber(service)
  const { body } = await service.get(`/v1/number/${number}/calls`)
  const nothing = { redirected: 0, refused: 0, lastCallAt: null, days: [] }
  assert.deepEqual(body, { phoneNumber: number, ...nothing })
  const { token } = await service.otherAccount()
  assert.deepEqual((await service.get(`/v1/number/${number}/calls`, { token })).body, MISSING)
  for (const path of ['14155550199', '4155550199', 'x', '%00']) {
    const reply = await service.get(`/v1/number/${path}/calls`)
    assert.equal(reply.status, 404, path)
    assert.deepEqual(reply.body, MISSING)
  }
})

test('days must be a whole number from 1 to 90', async (t) => {
  const service = await testService(t)
  const number = await ownNumber(service)
  for (const days of ['0', '91', '-1', '1.5', 'x', '']) {
    const { status, body } = await service.get(`/v1/number/${number}/calls?days=${days}`)
    assert.equal(status, 400, days)
    assert.equal(body.error, 'days must be a whole number from 1 to 90')
    assert.deepEqual(body.days, [])
  }
  assert.equal((await service.get(`/v1/number/${number}/calls?days=90`)).status, 200)
})

test('calls count for the account that held the number at the time', async (t) => {
  const service = await testService(t)
  const number = await ownNumber(service)
  const counts = countsOf(service)
  counts.count(answered(number))
  await counts.write()
  counts.count(answered(number)) // not written until another account holds the number
  service.world.clock.moveTo(1_000)
  await service.call('DELETE', `/v1/number/${number}`)
  const other = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, other)
  const { token } = other
  const url = `/v1/campaign/${campaignId}/number/buy`
  assert.equal((await service.post(url, { number }, { token })).status, 200)
  await counts.write()
  const theirs = await service.get(`/v1/number/${number}/calls`, { token })
  assert.deepEqual([theirs.status, theirs.body.redirected, theirs.body.lastCallAt], [200, 0, null])
  counts.count(answered(number, 480))
  await counts.write()
  const now = await service.get(`/v1/number/${number}/calls`, { token })
  assert.deepEqual([now.body.redirected, now.body.refused], [0, 1])
  const previous = await service.get(`/v1/number/${number}/calls`)
  assert.deepEqual([previous.status, previous.body.redirected, previous.body.refused], [200, 1, 0])
})

test('two nodes that count calls to the same numbers at the same time lose none', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const numbers: string[] = []
  for (let i = 0; i < 5; i += 1) numbers.push(await buyNumber(service, campaignId))
  const nodes = [countsOf(service), countsOf(service)]
  for (let round = 0; round < 5; round += 1) {
    for (const number of numbers) nodes[0]!.count(answered(number))
    for (const number of numbers.toReversed()) nodes[1]!.count(answered(number))
    await Promise.all(nodes.map((node) => node.write()))
  }
  for (const number of numbers) {
    assert.equal((await service.get(`/v1/number/${number}/calls`)).body.redirected, 10)
  }
})

test('counts that could not be written are retained, up to a limit, and written later', async (t) => {
  const service = await testService(t)
  const number = await ownNumber(service)
  const counts = countsOf(service)
  const away = t.mock.method(service.world.db, 'query', () => Promise.reject(new Error('away')))
  counts.count(answered(number))
  await assert.rejects(counts.write())
  counts.count(answered(number, 480))
  for (let i = 0; i < 100_100; i += 1) counts.count(answered(`+1${4_160_000_000 + i}`))
  await assert.rejects(counts.write())
  away.mock.restore()
  await counts.write()
  const { body } = await service.get(`/v1/number/${number}/calls`)
  assert.deepEqual([body.redirected, body.refused], [1, 1])
  const [rows] = await service.world.db.query<{ count: number }>(sql`
    select count(*)::int as count from number_calls`)
  assert.equal(rows!.count, 1, 'numbers that nobody holds have no calls')
})

test('call counts older than 400 days are deleted, and no others', async (t) => {
  const service = await testService(t)
  const [number, other] = [await ownNumber(service), await ownNumber(service)]
  const counts = countsOf(service)
  counts.count(answered(number))
  await counts.write()
  const nextDay = moveToDay(service, 1)
  counts.count(answered(other))
  await counts.write()
  const { step } = voicePurgeLoop(service.world)
  const signal = new AbortController().signal
  moveToDay(service, 399)
  await step(signal)
  assert.notEqual((await service.get(`/v1/number/${number}/calls`)).body.lastCallAt, null)
  moveToDay(service, 1)
  await step(signal)
  assert.equal((await service.get(`/v1/number/${number}/calls`)).body.lastCallAt, null)
  const { lastCallAt } = (await service.get(`/v1/number/${other}/calls`)).body
  assert.equal(lastCallAt.slice(0, 10), nextDay)
})
