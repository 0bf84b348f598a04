// What a link's meter counts, for how long, and which errors it remembers, for the operator's list and for Prometheus.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { submission } from '../../test/smpp-fixtures.js'
import { Clock } from '../kit/clock.js'
import { Metrics } from '../kit/metrics.js'
import type { Carrier, CarrierListener, Receipt, SubmitAnswer } from '../messages/carrier-port.js'
import { LinkMeter, LinkMeters } from './link-meter.js'

const NONE = {
  answers: { sent: 0, slow_down: 0, failed: 0, down: 0, unknown: 0 },
  receipts: { SENT: 0, DELIVERED: 0, READ: 0, FAILED: 0 },
  inbound: 0,
}

const SENT = { kind: 'sent' } as const
const failed = (errorCode: number, carrierCode?: string) =>
  ({ kind: 'failed', errorCode, ...(carrierCode && { carrierCode }) }) as const
const receipt = (status: Receipt['status'], errorCode: number | null = null, carrierCode = '') =>
  ({ link: 'acme', of: { carrierId: 'x' }, status, errorCode, carrierCode }) as unknown as Receipt

/** A machine clock in minutes that the test moves. The first minute does not begin at zero. */
function minutesOf(t: TestContext) {
  let minute = 100.5
  t.mock.method(performance, 'now', () => minute * 60_000)
  return (later: number) => {
    minute += later
  }
}

/** A clock that is one second ahead of its last time. */
function tickingClock(): Clock {
  const clock = new Clock()
  let at = Date.parse('2026-11-16T12:00:00Z')
  clock.now = () => {
    at += 1_000
    return new Date(at)
  }
  return clock
}

test('each answer, receipt, and inbound message is counted by its kind', () => {
  const meter = new LinkMeter(new Clock())
  assert.deepEqual(meter.counts(), { minutes: 15, ...NONE })
  const kinds = ['sent', 'slow_down', 'failed', 'down', 'unknown'] as const
  for (const [i, kind] of kinds.entries()) {
    const answer = { kind, errorCode: 1370, detail: 'cut' } as SubmitAnswer & { kind: typeof kind }
    meter.answered(Array.from({ length: i + 1 }, () => answer))
  }
  const statuses = ['SENT', 'DELIVERED', 'READ', 'FAILED'] as const
  for (const [i, status] of statuses.entries()) {
    for (let count = 0; count <= i; count += 1) meter.received(receipt(status))
  }
  for (let count = 0; count < 7; count += 1) meter.cameIn()
  assert.deepEqual(meter.counts(), {
    minutes: 15,
    answers: { sent: 1, slow_down: 2, failed: 3, down: 4, unknown: 5 },
    receipts: { SENT: 1, DELIVERED: 2, READ: 3, FAILED: 4 },
    inbound: 7,
  })
})

test('counts are those of the last 15 minutes, and older ones disappear minute by minute', (t) => {
  const move = minutesOf(t)
  const meter = new LinkMeter(new Clock())
  const all = () => {
    const { answers, receipts, inbound } = meter.counts()
    return [answers.sent, receipts.DELIVERED, inbound]
  }
  for (let minute = 0; minute < 40; minute += 1) {
    meter.answered([SENT])
    meter.answered([SENT])
    meter.received(receipt('DELIVERED'))
    meter.cameIn()
    const minutes = Math.min(minute + 1, 15)
    assert.deepEqual(all(), [2 * minutes, minutes, minutes], `minute ${minute}`)
    move(1)
  }
  for (let minutes = 14; minutes >= 0; minutes -= 1) {
    assert.deepEqual(all(), [2 * minutes, minutes, minutes], `${minutes} minutes left`)
    move(1)
  }
})

test('a pause between counts does not prolong them', (t) => {
  const move = minutesOf(t)
  const meter = new LinkMeter(new Clock())
  meter.cameIn()
  move(14)
  meter.cameIn()
  assert.equal(meter.counts().inbound, 2)
  move(1)
  assert.equal(meter.counts().inbound, 1)
  move(100)
  meter.cameIn()
  assert.equal(meter.counts().inbound, 1)
})

test('errors are grouped by origin, code, and text, and the newest comes first', () => {
  const meter = new LinkMeter(tickingClock())
  meter.answered([SENT, { kind: 'slow_down' }, { kind: 'down' }])
  for (const status of ['SENT', 'DELIVERED', 'READ'] as const)
    meter.received(receipt(status, 1, 'x'))
  assert.deepEqual(meter.errors(), [])

  meter.answered([failed(1370, 'spam'), failed(1350, 'spam'), failed(1370, 'spam'), failed(1370)])
  meter.answered([{ kind: 'unknown', detail: 'cut', link: 'acme' }])
  meter.received(receipt('FAILED', 1370, 'spam'))
  meter.answered([failed(1350, 'spam')])
  const at = (seconds: number) => new Date(Date.parse('2026-11-16T12:00:00Z') + seconds * 1_000)
  assert.deepEqual(meter.errors(), [
    { of: 'answer', errorCode: 1350, carrierCode: 'spam', count: 2, lastAt: at(7) },
    { of: 'receipt', errorCode: 1370, carrierCode: 'spam', count: 1, lastAt: at(6) },
    { of: 'answer', errorCode: null, carrierCode: 'cut', count: 1, lastAt: at(5) },
    { of: 'answer', errorCode: 1370, carrierCode: null, count: 1, lastAt: at(4) },
    { of: 'answer', errorCode: 1370, carrierCode: 'spam', count: 2, lastAt: at(3) },
  ])
})

test('the last ten errors are kept, with at most 100 characters of text', () => {
  const meter = new LinkMeter(new Clock())
  for (let i = 0; i < 10; i += 1) meter.answered([failed(1499, `error ${i}`)])
  const texts = () => meter.errors().map(({ carrierCode }) => carrierCode)
  assert.deepEqual(
    texts(),
    [9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((i) => `error ${i}`),
  )
  meter.answered([failed(1499, 'error 0')])
  meter.answered([failed(1499, `${'x'.repeat(100)}y`)])
  const latest = ['x'.repeat(100), 'error 0', ...[9, 8, 7, 6, 5, 4, 3, 2].map((i) => `error ${i}`)]
  assert.deepEqual(texts(), latest)
  meter.answered([failed(1499, `${'x'.repeat(100)}z`)])
  assert.deepEqual(texts(), latest, 'the same error')
  assert.equal(meter.errors()[0]!.count, 2)
})

/** A link that answers as the test wants, and hands over its listener. */
function fakeLink(more: Partial<Carrier> = {}) {
  const started: { listener: CarrierListener | null } = { listener: null }
  const answers: SubmitAnswer[] = []
  const link = {
    name: 'acme',
    networkOf: () => null,
    submit: async () => answers,
    afterUnknown: () => ({ waitMs: 1, mayRepeat: false }),
    start: async (listener: CarrierListener) => {
      started.listener = listener
    },
    stop: async () => {},
    ...more,
  } as Carrier
  return { link, answers, started }
}

function metersOf() {
  const metrics = new Metrics()
  const meters = new LinkMeters({ metrics, clock: tickingClock() })
  const samples = (name: string) =>
    Object.fromEntries(
      metrics
        .counters()
        .find((one) => one.name === `longcode_carrier_${name}_total`)!
        .samples()
        .map(({ labels, value }) => [labels.join(' '), value]),
    )
  return { metrics, meters, samples }
}

test('a metered link counts its answers and their duration, but not messages that never left', async (t) => {
  const { metrics, meters, samples } = metersOf()
  const { link, answers } = fakeLink()
  const metered = meters.meter(link)
  answers.push(SENT, SENT, failed(1370), { kind: 'window_missed' }, { kind: 'down' })
  let now = 1_000
  t.mock.method(performance, 'now', () => {
    now += 1_500
    return now
  })
  assert.equal(await metered.submit([submission()]), answers, 'all of them, unchanged')
  assert.deepEqual(samples('answers'), {
    'acme sent ': 2,
    'acme failed 1370': 1,
    'acme down ': 1,
  })
  const { sent, failed: refused, down } = meters.of('acme').counts().answers
  assert.deepEqual([sent, refused, down], [2, 1, 1])
  const [duration] = metrics.histograms()
  const { name, labels, count, sum } = duration!
  assert.deepEqual(
    [name, labels, count, sum],
    ['longcode_carrier_submit_duration_seconds', { link: 'acme' }, 1, 1.5],
  )
})

test('a metered link counts what its listener gets, and hands it on', async () => {
  const { meters, samples } = metersOf()
  const { link, started } = fakeLink()
  const got: unknown[] = []
  const listener = {
    receipt: async (one: unknown) => void got.push(one),
    lateAnswer: async (one: unknown) => void got.push(one),
    inbound: async (one: unknown) => {
      got.push(one)
      return { messageId: 'msg_7' }
    },
    learned: (number: string) => void got.push(number),
  } as unknown as CarrierListener
  await meters.meter(link, 'upstream').start(listener)
  const { receipt: onReceipt, lateAnswer, inbound, learned } = started.listener!
  const [good, bad] = [receipt('DELIVERED'), receipt('FAILED', 1380, 'off')]
  await onReceipt(good)
  await onReceipt(bad)
  const late = { answer: failed(1350) } as unknown as Parameters<typeof lateAnswer>[0]
  await lateAnswer(late)
  const message = {} as Parameters<typeof inbound>[0]
  assert.deepEqual(await inbound(message), { messageId: 'msg_7' })
  learned!('+14155550107', {})
  assert.deepEqual(got, [good, bad, late, message, '+14155550107'])

  assert.deepEqual(samples('receipts'), { 'upstream DELIVERED ': 1, 'upstream FAILED 1380': 1 })
  assert.deepEqual(samples('answers'), { 'upstream late_failed 1350': 1 })
  assert.deepEqual(samples('inbound'), { upstream: 1 })
  const { answers, receipts, inbound: count } = meters.of('upstream').counts()
  assert.deepEqual([receipts.DELIVERED, receipts.FAILED, count], [1, 1, 1])
  assert.deepEqual(answers, NONE.answers, 'a late answer was counted when it was unknown')
})

test('a reload keeps the counts of a link, and links do not share them', async () => {
  const { meters } = metersOf()
  const { link, answers } = fakeLink()
  answers.push(SENT)
  await meters.meter(link).submit([])
  await meters.meter(link).submit([])
  await meters.meter(link, 'other').submit([])
  assert.equal(meters.of('acme').counts().answers.sent, 2)
  assert.equal(meters.of('other').counts().answers.sent, 1)
})

test('a link that reports no status shows whether it is up, and since when', () => {
  const { meters } = metersOf()
  const state = { isUp: true }
  const { link } = fakeLink({ isUp: () => state.isUp })
  const metered = meters.meter(link)
  const first = metered.links!()
  const rest = { detail: null, connections: [], window: null, rate: null }
  const at = (seconds: number) => new Date(Date.parse('2026-11-16T12:00:00Z') + seconds * 1_000)
  assert.deepEqual(first, [{ link: 'acme', kind: 'acme', isUp: true, since: at(1), ...rest }])
  assert.deepEqual(metered.links!(), first)
  state.isUp = false
  assert.equal(metered.isUp!(), false)
  const [down] = metered.links!()
  assert.deepEqual([down!.isUp, down!.since], [false, at(2)])
  assert.deepEqual(metered.links!(), [down])
  state.isUp = true
  assert.deepEqual(metered.links!()[0]!.since, at(3))

  const plain = meters.meter(fakeLink().link)
  assert.equal(plain.isUp!(), true)
  assert.equal(plain.links!()[0]!.isUp, true)
  assert.deepEqual(meters.meter(fakeLink({ isAbsent: true }).link).links!(), [])
  const own = meters.meter(fakeLink({ links: () => [] }).link)
  assert.deepEqual(own.links!(), [])
})

test('the metrics of links have their labels, and a text that explains them', () => {
  const { metrics, meters } = metersOf()
  meters.meter(fakeLink().link)
  assert.deepEqual(
    metrics.counters().map(({ name, labelNames }) => `${name}: ${labelNames.join()}`),
    [
      'longcode_carrier_answers_total: link,answer,code',
      'longcode_carrier_receipts_total: link,status,code',
      'longcode_carrier_inbound_total: link',
    ],
  )
  for (const { name, help } of [...metrics.counters(), ...metrics.histograms()]) {
    assert.match(help, /^\w+(?:,? \w+){3}/, name)
  }
})
