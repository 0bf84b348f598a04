// What the answerer adds to an answer: how many messages of a trunk are read, how long its connections pause, and what is
// counted. The test moves the time.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sipRequest } from '../../test/sip-messages.js'
import type { AccountId } from '../accounts/account.js'
import { Metrics } from '../kit/metrics.js'
import { NO_TRUNK_LIMITS, type TrunkSettings } from '../sip/answer/trunk.js'
import { DEFAULT_POLICY } from '../sip/forwarding/forwarding-policy.js'
import { ANY_FORM } from '../sip/forwarding/number-forms.js'
import { Answerer } from './answerer.js'
import { CallLimits } from './call-limits.js'
import { callAnswer, SipMeter } from './sip-meter.js'

const DAY_MS = 24 * 60 * 60 * 1000
const trunkOf = (name: string, source: string, callsPerSecond = 0): TrunkSettings => ({
  ...{ name, sources: [source], contactHost: 'sbc.test', contactTransport: null },
  ...{ diversionHost: 'ours.test', isDiversionEmbedded: false, numberForms: ANY_FORM },
  limits: { ...NO_TRUNK_LIMITS, callsPerSecond },
})
const SLOW = trunkOf('slow', '10.0.0.1', 4)
const USUAL = trunkOf('usual', '10.0.0.2')
const FAST = trunkOf('fast', '10.0.0.3', 99)
const INVITE = Buffer.from(sipRequest(), 'latin1')

function answering(t: TestContext, callsPerSecond = 20) {
  let nowMs = 1_000_000
  t.mock.method(performance, 'now', () => nowMs)
  const metrics = new Metrics()
  const answered: number[] = []
  const answerer = new Answerer({
    ...{ find: () => '+14155550188', policy: DEFAULT_POLICY, key: Buffer.from('key') },
    ...{ callsPerSecond, trunks: [SLOW, USUAL, FAST], meter: new SipMeter(metrics), limits: null },
    onAnswered: ({ status }) => void answered.push(status),
  })
  const counts = metrics.counter('longcode_sip_messages_total', '')
  return {
    ...{ answerer, answered },
    count: (transport: string, outcome: string) => counts.cell(transport, outcome).value,
    ask: ({ sources: [address] }: TrunkSettings, transport: 'udp' | 'tcp' = 'udp') =>
      answerer.answer(INVITE, { transport, address: address!, port: 5060 })?.kind,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

test('four messages are read for each call of a trunk’s limit, and for at least ten calls', (t) => {
  const { ask, pass, count, answered } = answering(t)
  for (const [trunk, read] of [
    [SLOW, 40],
    [USUAL, 80],
    [FAST, 80],
  ] as const) {
    const kinds = Array.from({ length: 100 }, () => ask(trunk))
    assert.equal(kinds.filter((kind) => kind === 'answered').length, read, trunk.name)
    assert.equal(kinds.filter((kind) => kind === 'ignored').length, 100 - read)
  }
  assert.deepEqual([count('udp', 'answered'), count('udp', 'dropped')], [200, 100])
  assert.equal(count('udp', 'ignored'), 0)
  assert.equal(answered.length, 200)
  pass(100)
  assert.deepEqual(
    Array.from({ length: 5 }, () => ask(SLOW)),
    [...Array(4).fill('answered'), 'ignored'],
  )
})

test('a connection is read in any case, and pauses at most a second once its trunk sent too much', (t) => {
  const { answerer, ask, pass, count } = answering(t)
  const pauseMs = (address: string) => answerer.pauseMs({ transport: 'tcp', address, port: 1 })
  for (let i = 0; i < 40; i += 1) assert.equal(ask(SLOW, 'tcp'), 'answered')
  assert.equal(pauseMs('10.0.0.1'), 0)
  for (let i = 0; i < 10; i += 1) assert.equal(ask(SLOW, 'tcp'), 'answered')
  assert.equal(pauseMs('10.0.0.1'), 250)
  assert.deepEqual([pauseMs('10.0.0.2'), pauseMs('10.9.9.9')], [0, 0], 'others do not pause')
  for (let i = 0; i < 90; i += 1) ask(SLOW, 'tcp')
  assert.equal(pauseMs('10.0.0.1'), 1_000)
  pass(400)
  assert.equal(pauseMs('10.0.0.1'), 600)
  assert.deepEqual([count('tcp', 'answered'), count('tcp', 'dropped')], [140, 0])
})

test('a stranger has no share and no answer, and is counted by transport', (t) => {
  const { answerer, ask, count } = answering(t)
  const share = (address: string) => answerer.shareOf({ transport: 'tls', address })
  assert.deepEqual(share('10.0.0.3'), { trunk: 'fast', trunks: 3 })
  assert.equal(share('10.0.0.4'), null)
  assert.equal(ask(trunkOf('', '10.0.0.4')), undefined)
  assert.deepEqual([count('tls', 'stranger'), count('udp', 'stranger')], [1, 1])
  answerer.useTrunks([USUAL])
  assert.equal(share('10.0.0.3'), null)
  assert.deepEqual(share('10.0.0.2'), { trunk: 'usual', trunks: 1 })
})

test('a call is counted by its answer', () => {
  for (const [status, number, why, answer] of [
    [302, 'n', null, 'redirected'],
    [503, 'n', null, 'overload'],
    [480, 'n', 'number limit', 'limited'],
    [480, 'n', 'account limit', 'limited'],
    [480, 'n', 'balance', 'limited'],
    [480, 'n', 'not forwarded', 'refused'],
    [404, 'n', null, 'refused'],
    [404, null, null, 'unknown'],
    [400, null, null, 'invalid'],
  ] as const) {
    assert.equal(callAnswer({ status, number, why }), answer, `${status} ${why}`)
  }
})

function limiting(limits: { number?: [number, number]; account?: [number, number] }) {
  let nowMs = Date.parse('2026-11-15T12:00:00.000Z')
  const pair = ([perSecond, perDay]: [number, number] = [0, 0]) => ({ perSecond, perDay })
  const both = { number: pair(limits.number), account: pair(limits.account) }
  const owners: Record<string, string> = { a: 'acc_1', b: 'acc_1', c: 'acc_2' }
  const calls = new CallLimits(
    both,
    { nowMs: () => nowMs },
    (n) => (owners[n] ?? null) as AccountId,
  )
  return {
    calls,
    admit: (number: string, atMs = 5_000) => calls.admit(number, randomUUID(), atMs),
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

test('a number and an account get their calls of each second', () => {
  const { admit, calls } = limiting({ number: [2, 0], account: [3, 0] })
  assert.deepEqual(
    ['a', 'a', 'a'].map((n) => admit(n)),
    [null, null, 'number limit'],
  )
  assert.deepEqual(
    ['b', 'b', 'c'].map((n) => admit(n)),
    [null, 'account limit', null],
  )
  assert.equal(admit('a', 5_999), 'number limit')
  assert.equal(admit('a', 6_000), null, 'a new second')
  calls.recent.has('known')
  admit('a', 6_000)
  assert.equal(calls.admit('a', 'known', 6_000), null, 'a repetition is not limited')
  assert.equal(admit('a', 6_000), 'number limit')
})

test('a number, an account, and a trunk get their calls of each day, over all nodes', () => {
  const { admit, calls, pass } = limiting({ number: [0, 2], account: [0, 4] })
  const day = Math.floor(Date.parse('2026-11-15T12:00:00.000Z') / DAY_MS)
  const refused = () =>
    calls.refuseTrunk({ ...USUAL, limits: { callsPerSecond: 0, callsPerDay: 3 } })
  calls.count('a', 'usual')
  assert.equal(admit('a'), null)
  calls.count('a', 'usual')
  assert.deepEqual([admit('a'), admit('b'), refused()], ['number limit', null, null])
  calls.observe('account', 'acc_1', day, 4)
  assert.deepEqual([admit('b'), admit('c')], ['account limit', null])
  calls.observe('account', 'acc_1', day, 3)
  assert.equal(admit('b'), 'account limit', 'a lower count is older')
  calls.observe('trunk', 'usual', day - 1, 9)
  assert.equal(refused(), null, 'of yesterday')
  calls.observe('trunk', 'usual', day, 3)
  assert.equal(refused(), 3_600, 'at most an hour')
  assert.equal(calls.refuseTrunk(USUAL), null, 'a trunk without a limit')
  pass(DAY_MS / 2 - 1_500)
  assert.equal(refused(), 2, 'until midnight')
  pass(1_500)
  assert.deepEqual([refused(), admit('a'), admit('b')], [null, null, null], 'a new day')
  calls.count('a', 'usual')
  calls.observe('number', 'a', day + 1, 2)
  assert.equal(admit('a'), 'number limit')
  calls.observe('number', 'c', day + 1, 2)
  calls.observe('number', 'c', day + 2, 1)
  pass(DAY_MS)
  assert.equal(admit('c'), null, 'a later day replaces the count')
})

test('an account that cannot pay is not called, and others are', () => {
  const { admit, calls } = limiting({})
  calls.unpaid.add('acc_1' as AccountId)
  assert.deepEqual([admit('a'), admit('c'), admit('nobody')], ['balance', null, null])
})

test('counts of many numbers are remembered for a while', () => {
  const { admit, calls } = limiting({ number: [0, 1] })
  calls.count('a', 't')
  for (let i = 0; i < 50_000; i += 1) calls.count(`n${i}`, 't')
  assert.equal(admit('a'), 'number limit', 'moved on')
  for (let i = 0; i < 49_990; i += 1) calls.count(`m${i}`, 't')
  assert.equal(admit('a'), 'number limit', 'used a moment ago')
  for (let i = 0; i < 100_000; i += 1) calls.count(`o${i}`, 't')
  assert.equal(admit('a'), null, 'forgotten')
})
