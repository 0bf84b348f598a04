// The judge finds every kind of loss: each is planted in an otherwise correct run and must be the only finding.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fragment, Taken } from '../carrier.js'
import type { Customer } from '../customers.js'
import type { EventFact, Facts, MessageFact } from '../facts.js'
import { Journal, type Wanted } from '../journal.js'
import { growthOf } from '../load/slope.js'
import { readOptions } from '../options.js'
import type { Arrival, ChaosReceiver } from '../receivers.js'
import { judge } from './judge.js'

const START_MS = Date.parse('2026-11-16T20:00:00.000Z')
const [ATT, TMO, VZW] = ['+14153001000', '+16283001000', '+15103001000']

interface Run {
  customer: Customer
  journal: Journal
  facts: Facts
  taken: Taken[]
  fragments: Fragment[]
  arrivals: Map<string, Arrival>
}

/** Three messages: accepted, sent, delivered, charged, and reported. */
function wellRun(): Run {
  const arrivals = new Map<string, Arrival>()
  const receiver = { arrivals, forged: 0 } as unknown as ChaosReceiver
  const customer: Customer = {
    ...{ name: 'one', accountId: 'acc_1', campaignId: 'cmp_1', token: 't', receiver },
    ...{ number: '+16502001000', creditMicros: 100n, limits: { smsTpmAtt: 1, dailyTmoCap: 1 } },
  }
  const wallets = new Map([['acc_1', 100n]])
  const facts: Facts = {
    ...{ messages: [], events: [], entries: [], wallets, drift: 0 },
    leftovers: new Map([['queued', 0]]),
  }
  const run: Run = { customer, journal: new Journal(), facts, taken: [], fragments: [], arrivals }
  facts.entries.push({ accountId: 'acc_1', reason: 'credit', reference: 'c', amountMicros: 100n })
  for (const to of [ATT, TMO, VZW]) addMessage(run, to)
  return run
}

function addMessage(run: Run, to: string): MessageFact {
  const { customer, journal, facts, taken, arrivals } = run
  const id = `msg_${facts.messages.length}`
  const text = journal.nextText(24)
  const request = { path: '', key: id, body: '', wanted: [] as Wanted[], unanswered: 0 }
  const wanted: Wanted = {
    ...{ customer, text, to, askedAtMs: START_MS, id, code: null, request },
    answer: 'accepted',
  }
  request.wanted.push(wanted)
  journal.add(request)
  const message: MessageFact = {
    ...{ id, accountId: 'acc_1', direction: 'OUTBOUND', peer: to, body: text, automatic: null },
    ...{ status: 'DELIVERED', errorCode: null, priceMicros: 5n, entries: [] },
    isRefunded: false,
    timeline: ['sent', 'delivered'],
  }
  facts.messages.push(message)
  facts.entries.push({ accountId: 'acc_1', reason: 'message', reference: id, amountMicros: -5n })
  facts.wallets.set('acc_1', facts.wallets.get('acc_1')! - 5n)
  const [from, atMs] = [customer.number, START_MS + 1_000]
  taken.push({ text, from, to, parts: 1, atMs, receipt: 'DELIVERED' })
  const moves = [
    ['QUEUED', 'SENT'],
    ['SENT', 'DELIVERED'],
  ] as const
  for (const [i, [previousStatus, status]] of moves.entries()) {
    const event: EventFact = {
      ...{ id: `evt_${id}_${i}`, accountId: 'acc_1', eventType: 'message.status', messageId: id },
      ...{ sequence: i + 1, status, previousStatus },
    }
    facts.events.push(event)
    arrivals.set(event.id, { ...event, isAnswered: true, isEarly: false })
  }
  return message
}

/** The first message. */
function transfer({ facts }: Run, kind: 'refund' | 'recharge'): void {
  const message = facts.messages[0]!
  const amountMicros = kind === 'refund' ? 5n : -5n
  const [accountId, reference] = ['acc_1', `${kind}:${message.id}`]
  facts.entries.push({ accountId, reason: `message_${kind}`, reference, amountMicros })
  facts.wallets.set('acc_1', facts.wallets.get('acc_1')! + amountMicros)
  message.isRefunded = kind === 'refund'
}

function found(run: Run): string[] {
  return [...judge(run)].filter(([, cases]) => cases.length > 0).map(([name]) => name)
}

test('the judge finds no losses in a correct run', () => {
  assert.deepEqual(found(wellRun()), [])
})

const first = ({ facts }: Run) => facts.messages[0]!

const PLANTED: Record<string, (run: Run) => void> = {
  'duplicate messages': (run) => {
    const { body } = first(run)
    const second = addMessage(run, VZW)
    run.journal.wanted.pop()
    run.taken.pop()
    second.body = body
  },
  'contradictory responses': ({ journal }) => journal.refuse(journal.wanted[0]!, 'field_invalid'),
  'requests never finished': ({ journal, facts }) => {
    const wanted = { ...journal.wanted[0]!, answer: 'open' as const, text: 'never answered' }
    journal.wanted.push(wanted)
    assert.ok(facts)
  },
  'responses with status 500': ({ journal }) => journal.countAnswer(500, 'server_failure'),
  'too many submits': (run) => run.taken.push({ ...run.taken[2]! }),
  'inbound messages lost': ({ journal, customer }) =>
    journal.inbound.push({ customer, from: VZW, text: 'Hello?' }),
  'too many or too few refunds': (run) => {
    transfer(run, 'refund')
  },
  'wrong wallets': ({ facts }) => facts.wallets.set('acc_1', 1n),
  'ledgers that do not add up': ({ facts }) => {
    facts.drift = 1
  },
  'AT&T limits exceeded': (run) => {
    addMessage(run, ATT)
    run.taken.at(-1)!.atMs += 50_000
  },
  'T-Mobile caps exceeded': (run) => {
    addMessage(run, TMO)
    run.taken.at(-1)!.atMs += 3_000_000
  },
  'accepted after a STOP': ({ journal, customer }) =>
    journal.stopped.push({ customer, phone: VZW, fromMs: START_MS - 1, untilMs: START_MS + 500 }),
  'sent after a STOP': ({ journal, customer, taken }) => {
    const untilMs = Number.POSITIVE_INFINITY
    journal.stopped.push({ customer, phone: VZW, fromMs: START_MS + 1, untilMs })
    taken[2]!.atMs = START_MS + 61_000
  },
  'webhooks missing': ({ arrivals }) => arrivals.delete('evt_msg_0_1'),
  'webhooks out of order': ({ arrivals }) => {
    arrivals.get('evt_msg_0_1')!.isEarly = true
  },
  'webhooks without an event': ({ arrivals }) =>
    arrivals.set('evt_none', { ...arrivals.get('evt_msg_0_1')!, id: 'evt_none' }),
  'webhooks with a wrong signature': ({ customer }) => {
    customer.receiver.forged = 1
  },
  'left behind': ({ facts }) => facts.leftovers.set('handoffs', 1),
}

for (const [name, plant] of Object.entries(PLANTED)) {
  test(`the judge finds: ${name}`, () => {
    const run = wellRun()
    plant(run)
    assert.deepEqual(found(run), [name])
  })
}

test('the judge finds a missing message and its charge', () => {
  const run = wellRun()
  run.facts.messages.shift()
  assert.deepEqual(found(run), ['accepted messages lost', 'charged twice or not at all'])
})

test('the judge finds a second charge even if the wallet matches it', () => {
  const run = wellRun()
  run.facts.entries.push({ ...run.facts.entries[1]! })
  run.facts.wallets.set('acc_1', run.facts.wallets.get('acc_1')! - 5n)
  assert.deepEqual(found(run), ['charged twice or not at all'])
})

test('the judge finds a message without a final status, unless its outcome cannot be known', () => {
  const run = wellRun()
  first(run).status = 'SENT'
  run.taken[0]!.receipt = null
  run.facts.events = run.facts.events.filter(({ id }) => id !== 'evt_msg_0_1')
  run.arrivals.delete('evt_msg_0_1')
  assert.deepEqual(found(run), ['messages without a final state'])
  first(run).timeline = ['unknown', 'settled']
  transfer(run, 'refund')
  assert.deepEqual(found(run), [])
})

test('the judge finds a delivered message that no carrier received, and its charge', () => {
  const run = wellRun()
  run.taken.pop()
  assert.deepEqual(found(run), ['delivered and never submitted', 'never arrived but charged'])
})

/** Settled without evidence, and charged. */
function settledRun(): Run {
  const run = wellRun()
  first(run).status = 'SENT'
  first(run).timeline = ['unknown', 'settled']
  run.facts.events = run.facts.events.filter(({ id }) => id !== 'evt_msg_0_1')
  run.arrivals.delete('evt_msg_0_1')
  run.taken[0]!.receipt = null
  return run
}

test('the judge finds a charge for a settled message that no carrier received, until it is refunded', () => {
  const run = settledRun()
  run.taken.shift()
  assert.deepEqual(found(run), ['too many or too few refunds', 'never arrived but charged'])
  transfer(run, 'refund')
  assert.deepEqual(found(run), [])
  transfer(run, 'recharge')
  assert.deepEqual(found(run), ['too many or too few refunds', 'never arrived but charged'])
})

test('the judge finds a charge for a failed message that no carrier received', () => {
  const run = wellRun()
  Object.assign(first(run), { status: 'FAILED', errorCode: 1375 })
  run.facts.events[1]!.status = 'FAILED'
  run.taken.shift()
  assert.deepEqual(found(run), ['never arrived but charged'])
})

test('the judge accepts a charge if a part of a long message arrived', () => {
  const run = settledRun()
  first(run).timeline = ['unknown', 'matched', 'sent']
  run.taken.shift()
  assert.deepEqual(found(run), ['never arrived but charged'])
  const { body, peer } = first(run)
  run.fragments.push({ from: run.customer.number, to: peer, text: body.slice(0, 16) })
  assert.deepEqual(found(run), [])
})

test('the judge finds a message that is still SENT after its receipt was acknowledged', () => {
  const run = settledRun()
  transfer(run, 'refund')
  assert.deepEqual(found(run), [])
  for (const receipt of ['DELIVERED', 'FAILED'] as const) {
    run.taken[0]!.receipt = receipt
    assert.deepEqual(found(run), ['receipt arrived but still SENT'])
  }
})

test('the judge expects a late receipt to charge a refunded message again, unless the balance is too low', () => {
  const run = wellRun()
  first(run).timeline = ['unknown', 'settled', 'delivered']
  transfer(run, 'refund')
  assert.deepEqual(found(run), ['too many or too few refunds'])
  first(run).timeline.push('forgiven')
  assert.deepEqual(found(run), [])
  first(run).timeline = ['unknown', 'settled', 'delivered', 'recharged']
  transfer(run, 'recharge')
  assert.deepEqual(found(run), [])
  transfer(run, 'recharge')
  assert.deepEqual(found(run), ['too many or too few refunds'])
})

test('the judge finds an invalid status change and a gap in the sequence', () => {
  const back = wellRun()
  back.facts.events[1]!.previousStatus = 'FAILED'
  assert.deepEqual(found(back), ['invalid moves'])
  const gap = wellRun()
  gap.facts.events[1]!.sequence = 3
  assert.deepEqual(found(gap), ['invalid moves'])
})

test('the judge allows one more submit for each resend in the timeline', () => {
  const run = wellRun()
  run.taken.push({ ...run.taken[2]! })
  run.facts.messages[2]!.timeline = ['unknown', 'repeated', 'sent', 'delivered']
  assert.deepEqual(found(run), [])
})

test('an option outside its bounds is refused in one sentence', () => {
  const usual = { kind: 'faults', minutes: 1, seed: 5, rate: 25, database: null }
  assert.deepEqual(readOptions([], 5), usual)
  const soak = { ...usual, kind: 'soak', minutes: 2.5, seed: 7 }
  assert.deepEqual(readOptions(['soak', '--minutes', '2.5', '--seed', '7'], 5), soak)
  const url = 'postgres://127.0.0.1:9700/empty'
  assert.deepEqual(readOptions(['--database', url], 5), { ...usual, database: url })
  assert.throws(() => readOptions(['--minutes', '1e9'], 5), /^Error: --minutes must be a number/)
  assert.throws(() => readOptions(['mayhem'], 5), /^Error: Usage: npm run chaos/)
  assert.throws(() => readOptions(['--loud'], 5), /Usage: npm run chaos/)
})

test('the slope of growing figures is positive, and that of fluctuating figures is zero', () => {
  assert.equal(growthOf([100, 110, 120]).toFixed(2), '0.20')
  assert.equal(growthOf([100, 120, 120, 100]).toFixed(2), '0.00')
})
