// The record of each call: written once despite repetitions on any node, searchable by the operator, charged
// exactly once, and purged after its days.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startService } from '../../src/serve.js'
import { voicePurgeLoop } from '../../src/voice/purge-loop.js'
import { OPERATOR_TOKEN } from '../api/operator-service.js'
import { eventually, type Json, testConfig } from '../harness.js'
import { DatagramCaller, headerOf, statusOf } from '../peers/sip/datagram-caller.js'
import { TARGET, type VoiceService, voiceService } from '../peers/sip/voice-service.js'

const DAY_S = 24 * 60 * 60
const SIGNAL = new AbortController().signal

interface Stage extends VoiceService {
  search: (query?: string) => Promise<Json[]>
  operate: VoiceService['service']['call']
}

async function recordingService(t: TestContext, env: Record<string, string> = {}): Promise<Stage> {
  const stage = await voiceService(t, {
    env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN, ...env },
  })
  const operate: Stage['operate'] = (method, path, body) =>
    stage.service.call(method, `/operator/v1${path}`, body, { token: OPERATOR_TOKEN })
  const search = async (query = '') => {
    const { status, body } = await operate('GET', `/call/search?limit=100${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.calls
  }
  return { ...stage, search, operate }
}

test('a repeated INVITE, also to another node, is recorded and charged once', async (t) => {
  const stage = await recordingService(t, { LONGCODE_CALL_PRICE: '0.01' })
  const { service, port, buy, search, env } = stage
  const number = await buy(TARGET)
  const config = testConfig({ roles: ['voice'], env })
  const node = await startService(config, service.databaseUrl, service.world.log)
  try {
    const ports = [port, node.voice!.listening!.port]
    const caller = await DatagramCaller.open(t)
    const before = (await service.get('/v1/account')).body.account.balance
    const invite = caller.invite(`sip:${number}@ours.test`)
    // The second node gets the request of a caller that gave up on the first: with its own branch.
    const elsewhere = invite.replace('branch=z9hG4bK-', 'branch=z9hG4bK-again-')
    for (const at of ports) {
      assert.equal(statusOf(await caller.ask(invite, at)), 302)
      assert.equal(statusOf(await caller.ask(invite, at)), 302)
      assert.equal(statusOf(await caller.ask(elsewhere, at)), 302)
    }
    const other = caller.invite(`sip:${number}@ours.test`)
    assert.equal(statusOf(await caller.ask(other, port)), 302)
    await Promise.all([service.voice!.records.write(), node.voice!.records.write()])
    await eventually(async () => (await search()).length >= 2, 'both calls')
    await Promise.all([service.voice!.records.write(), node.voice!.records.write()])
    const calls = await search()
    assert.deepEqual(
      calls.map(({ id, at, ...call }) => call),
      [headerOf(other, 'Call-ID'), headerOf(invite, 'Call-ID')].map((callId) => ({
        accountId: service.accountId,
        phoneNumber: number,
        trunk: 'peers',
        callId,
        outcome: 'forwarded',
        caller: null,
        price: 0.01,
      })),
    )
    const after = (await service.get('/v1/account')).body.account.balance
    assert.equal(Math.round((before - after) * 1e6), 20_000)
    const { body } = await service.get('/v1/account/ledger?reason=call')
    const charged = body.entries.reduce((sum: number, entry: Json) => sum + Number(entry.amount), 0)
    assert.equal(Math.round(charged * 1e6), -20_000)
  } finally {
    await node.stop()
  }
})

test('operators search calls by number, account, trunk, Call-ID, and time, page by page', async (t) => {
  const { service, port, buy, forward, search, operate } = await recordingService(t)
  const [first, second] = [await buy(TARGET), await buy(TARGET)]
  const silent = await buy(null)
  const caller = await DatagramCaller.open(t)
  const call = async (number: string) => {
    const invite = caller.invite(`sip:${number}@ours.test`)
    await caller.ask(invite, port)
    return headerOf(invite, 'Call-ID')!
  }
  const ids = [await call(first), await call(second), await call(first), await call(silent)]
  await call('+14155559999') // not our number: counted, not recorded
  await service.voice!.records.write()
  await eventually(async () => (await search()).length === 4, 'four records')
  const callIds = async (query: string) => (await search(query)).map(({ callId }) => callId)
  assert.deepEqual(await callIds(''), ids.toReversed())
  assert.deepEqual(await callIds(`&number=${first.slice(1)}`), [ids[2], ids[0]])
  assert.deepEqual(await callIds(`&callId=${encodeURIComponent(ids[1]!)}`), [ids[1]])
  assert.deepEqual(await callIds(`&account=${service.accountId}&trunk=peers`), ids.toReversed())
  assert.deepEqual(await callIds('&trunk=other'), [])
  assert.deepEqual(await callIds('&since=2100-01-01T00:00:00Z'), [])
  assert.deepEqual(await callIds('&until=2100-01-01T00:00:00Z'), ids.toReversed())
  const page = await operate('GET', '/call/search?limit=3')
  assert.equal(page.body.hasMore, true)
  const last = page.body.calls.at(-1).id
  const rest = await operate('GET', `/call/search?limit=3&after=${last}`)
  assert.deepEqual([rest.body.calls[0].callId, rest.body.hasMore], [ids[0], false])
  assert.deepEqual(
    (await search()).map(({ outcome }) => outcome),
    ['not_forwarded', 'forwarded', 'forwarded', 'forwarded'],
  )
  await forward(first, null)
  assert.equal((await service.get('/operator/v1/call/search')).status, 401)
})

test('calls to an account are not forwarded while its balance does not cover a call', async (t) => {
  const env = { LONGCODE_CALL_PRICE: '40', LONGCODE_SANDBOX_BALANCE: '100' }
  const { service, port, buy, search, operate } = await recordingService(t, env)
  const number = await buy(TARGET)
  const caller = await DatagramCaller.open(t)
  const call = async () =>
    statusOf(await caller.ask(caller.invite(`sip:${number}@ours.test`), port))
  const { balance } = (await service.get('/v1/account')).body.account
  const covered = Math.floor(balance / 40)
  for (let i = 0; i <= covered; i += 1) assert.equal(await call(), 302)
  // A write finishes after those that began before it, because each of them charges the account.
  let status = 302
  for (let writes = 0; writes < 5 && status === 302; writes += 1) {
    await service.voice!.records.write()
    status = await call()
  }
  assert.equal(status, 480)
  const outcomes = (await search()).map(({ outcome, price }) => `${outcome} ${price}`)
  assert.equal(outcomes.filter((one) => one === 'forwarded 40').length, covered)
  assert.ok(outcomes.includes('forwarded_unpaid 0'), outcomes.join(', '))
  const credit = { amount: 1_000, note: 'Top-up' }
  assert.equal((await operate('POST', `/account/${service.accountId}/credit`, credit)).status, 200)
  await eventually(async () => (await call()) === 302, 'forwarding again')
})

test('the price of a call comes from the price book', async (t) => {
  const { service, port, buy, search, operate } = await recordingService(t)
  const number = await buy(TARGET)
  const price = { kind: 'call', amount: 0.002, account: service.accountId }
  assert.equal((await operate('POST', '/price/set', price)).status, 200)
  const caller = await DatagramCaller.open(t)
  const isCharged = async () => {
    await caller.ask(caller.invite(`sip:${number}@ours.test`), port)
    return (await search()).some(({ price }) => price === 0.002)
  }
  await eventually(isCharged, 'a call at the new price')
  assert.equal((await service.get('/v1/account/prices')).body.prices.call, 0.002)
})

test('the caller is stored only if the operator allows it, and erased before the record', async (t) => {
  const env = { LONGCODE_CALLER_DAYS: '7', LONGCODE_CALL_RECORD_DAYS: '30' }
  const { service, port, buy, search } = await recordingService(t, env)
  const number = await buy(TARGET)
  const caller = await DatagramCaller.open(t)
  const invite = caller.invite(`sip:${number}@ours.test`)
  await caller.ask(invite, port)
  const asserted = caller
    .invite(`sip:${number}@ours.test`)
    .replace('Max-Forwards', 'P-Asserted-Identity: "A" <sip:+12125550177@a.test>\r\nMax-Forwards')
  await caller.ask(asserted, port)
  await eventually(async () => (await search()).length === 2, 'both records')
  const callers = async () => (await search()).map((call) => call.caller)
  assert.deepEqual(await callers(), ['+12125550177', '+12125550100'])
  const { clock } = service.world
  const purge = voicePurgeLoop(service.world)
  await purge.step(SIGNAL)
  assert.deepEqual(await callers(), ['+12125550177', '+12125550100'])
  clock.moveTo(clock.offsetMs + 8 * DAY_S * 1000)
  await purge.step(SIGNAL)
  assert.deepEqual(await callers(), [null, null])
  await caller.ask(caller.invite(`sip:${number}@ours.test`), port)
  await eventually(async () => (await search()).length === 3, 'a later record')
  await purge.step(SIGNAL)
  assert.deepEqual(await callers(), ['+12125550100', null, null])
  clock.moveTo(clock.offsetMs + 23 * DAY_S * 1000)
  await purge.step(SIGNAL)
  assert.deepEqual(await callers(), [null], 'only the later record is left')
})
