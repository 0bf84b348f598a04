// The judge finds every kind of loss: each is planted in an otherwise correct run and must be the only finding.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Fragment, Refused, Taken } from '../carrier.js'
import type { Counters } from '../counters.js'
import type { Customer } from '../customers.js'
import type { EventFact, LedgerFact, MessageFact } from '../facts.js'
import { Journal, type Wanted } from '../journal.js'
import { growthOf } from '../load/slope.js'
import { readOptions } from '../options.js'
import type { Arrival, ChaosReceiver } from '../receivers.js'
import type { Evidence } from './evidence.js'
import { judge, KINDS } from './judge.js'
import { partsOf, segmentsOf, sentTextOf } from './text-model.js'

const START_MS = Date.parse('2026-11-16T20:00:00.000Z')
const KEPT = { writtenAtMs: START_MS, keptAtMs: START_MS }
const [ATT, TMO, VZW] = ['+14153001000', '+16283001000', '+15103001000']
const PRICE = 7_900n
const CREDIT = 1_000_000n

interface Run extends Evidence {
  customer: Customer
  journal: Journal
  taken: Taken[]
  fragments: Fragment[]
  refused: Refused[]
  counters: Map<string, Counters>
  arrivals: Map<string, Arrival>
}

/** Three messages: accepted, sent, delivered, charged, reported, and counted. At rest. */
function wellRun(): Run {
  const arrivals = new Map<string, Arrival>()
  const receiver = { arrivals, forged: 0 } as unknown as ChaosReceiver
  const customer: Customer = {
    ...{ name: 'one', accountId: 'acc_1', campaignId: 'cmp_1', token: 't', receiver },
    ...{ number: '+16502001000', creditMicros: CREDIT, limits: { smsTpmAtt: 1, dailyTmoCap: 1 } },
  }
  const run: Run = {
    ...{ customer, journal: new Journal(), arrivals, taken: [], fragments: [], refused: [] },
    facts: {
      ...{ messages: [], events: [], entries: [] },
      ledgers: ['wallet', 'funding', 'messages'].map((ledger) => ({
        ...{ accountId: 'acc_1', ledger, micros: 0n },
      })),
      leftovers: new Map([['queued', 0]]),
    },
    counters: new Map(),
    ...{ cutoffMs: Number.POSITIVE_INFINITY, clockAheadMs: 0 },
  }
  enter(run, { reason: 'credit', reference: 'c', from: 'funding', to: 'wallet', micros: CREDIT })
  for (const to of [ATT, TMO, VZW]) addMessage(run, to)
  count(run)
  return run
}

/** What the service would report. */
function count(run: Run): void {
  const { messages } = run.facts
  run.counters.set('acc_1', {
    ...{ outbound: messages.length, inbound: 0, errors: {}, waiting: 0 },
    statuses: { DELIVERED: messages.length },
    ...{ messages: messages.length, segments: messages.length },
    costMicros: Number(PRICE) * messages.length,
    balanceMicros: Number(walletOf(run).micros),
  })
}

function walletOf({ facts }: Run): LedgerFact {
  return facts.ledgers[0]!
}

interface Entry {
  reason: string
  reference: string
  from: string
  to: string
  micros: bigint
}

function enter({ facts }: Run, { reason, reference, from, to, micros }: Entry): void {
  facts.entries.push({ accountId: 'acc_1', reason, reference, from, to, amountMicros: micros })
  for (const ledger of facts.ledgers) {
    if (ledger.ledger === from) ledger.micros -= micros
    if (ledger.ledger === to) ledger.micros += micros
  }
}

function addMessage(run: Run, to: string): MessageFact {
  const { customer, journal, facts, taken, arrivals } = run
  const id = `msg_${facts.messages.length}`
  const text = journal.nextStart()
  const request = { path: '', key: id, body: '', wanted: [] as Wanted[], unanswered: 0 }
  const wanted: Wanted = {
    ...{ customer, text, written: text, to, askedAtMs: START_MS, id, code: null, request },
    ...{ acceptedAtMs: START_MS, scheduledAtMs: null, validitySeconds: null, metadata: {} },
    ...{ answer: 'accepted', cancel: 'none' },
  }
  request.wanted.push(wanted)
  journal.add(request)
  const message: MessageFact = {
    ...{ id, accountId: 'acc_1', direction: 'OUTBOUND', peer: to, body: text, automatic: null },
    ...{ status: 'DELIVERED', errorCode: null, segments: 1, priceMicros: PRICE, entries: [] },
    isRefunded: false,
    timeline: ['sent', 'delivered'],
  }
  facts.messages.push(message)
  enter(run, { reason: 'message', reference: id, from: 'wallet', to: 'messages', micros: PRICE })
  const [from, atMs] = [customer.number, START_MS + 1_000]
  const report = { status: 'DELIVERED', codes: [] } as const
  taken.push({ text, from, to, parts: 1, atMs, report, receipt: 'DELIVERED' })
  const moves = [
    ['QUEUED', 'SENT'],
    ['SENT', 'DELIVERED'],
  ] as const
  for (const [i, [previousStatus, status]] of moves.entries()) {
    const event: EventFact = {
      ...{ id: `evt_${id}_${i}`, accountId: 'acc_1', eventType: 'message.status', messageId: id },
      ...{ sequence: i + 1, status, previousStatus, data: null },
    }
    facts.events.push(event)
    const shown = { id, status, from, to, body: text, errorCode: null, sentAt: 'now' }
    arrivals.set(event.id, {
      ...{ ...event, atMs, message: shown, isAnswered: true, isEarly: false, isChanged: false },
    })
  }
  return message
}

/** The first message. */
function transfer(run: Run, kind: 'refund' | 'recharge'): void {
  const message = first(run)
  const isRefund = kind === 'refund'
  const [from, to] = isRefund ? ['messages', 'wallet'] : ['wallet', 'messages']
  const reference = `${kind}:${message.id}`
  enter(run, { reason: `message_${kind}`, reference, from: from!, to: to!, micros: PRICE })
  message.isRefunded = isRefund
}

/** Counters have their own test. */
function found(run: Run): string[] {
  return [...judge(run)]
    .filter(([name, cases]) => cases.length > 0 && name !== 'wrong counters')
    .map(([name]) => name)
    .sort()
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
    for (const { message } of run.arrivals.values()) {
      if (message?.id === second.id) Object.assign(message, { body, to: ATT })
    }
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
    journal.inbound.push({ customer, from: VZW, text: 'Hello?', ...KEPT }),
  'wrong segments or price': (run) => {
    first(run).segments = 2
  },
  'webhooks with wrong contents': ({ arrivals }) => {
    arrivals.get('evt_msg_0_1')!.message!.to = VZW
  },
  'too many or too few refunds': (run) => {
    transfer(run, 'refund')
  },
  'ledgers that do not add up': ({ facts }) => {
    facts.ledgers[2]!.micros += 1n
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
    arrivals.set('evt_none', {
      ...{ ...arrivals.get('evt_msg_0_1')!, id: 'evt_none', messageId: null, message: null },
    }),
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
  enter(run, {
    reason: 'message',
    reference: 'msg_0',
    from: 'wallet',
    to: 'messages',
    micros: PRICE,
  })
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
  assert.deepEqual(found(run), ['delivered without a receipt', 'never arrived but charged'])
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
  assert.deepEqual(found(run), ['never arrived but charged', 'too many or too few refunds'])
  transfer(run, 'refund')
  assert.deepEqual(found(run), [])
  transfer(run, 'recharge')
  assert.deepEqual(found(run), ['never arrived but charged', 'too many or too few refunds'])
})

/** The first message. */
function fail(run: Run, errorCode: number): void {
  Object.assign(first(run), { status: 'FAILED', errorCode })
  run.facts.events[1]!.status = 'FAILED'
  const arrival = run.arrivals.get('evt_msg_0_1')!
  arrival.status = 'FAILED'
  Object.assign(arrival.message!, { status: 'FAILED', errorCode })
}

test('the judge finds a failure for which no carrier is to blame, and its charge', () => {
  const run = wellRun()
  fail(run, 1375)
  run.taken.shift()
  const kinds = ['never arrived but charged', 'too many or too few refunds']
  assert.deepEqual(found(run), ['failed without a reason', ...kinds])
  const [from, to, text] = [run.customer.number, ATT!, first(run).body]
  run.refused.push({ from, to, text, code: 1375 })
  assert.deepEqual(found(run), kinds)
  transfer(run, 'refund')
  assert.deepEqual(found(run), [])
})

test('the judge expects the failure that a receipt reports, with its code and its charge', () => {
  const run = wellRun()
  fail(run, 1380)
  assert.deepEqual(found(run), ['failed without a reason'])
  run.taken[0]!.report = { status: 'FAILED', codes: [1380] }
  assert.deepEqual(found(run), [])
  fail(run, 1350)
  run.taken[0]!.report = { status: 'FAILED', codes: [1350] }
  assert.deepEqual(found(run), ['too many or too few refunds'])
})

test('the judge finds a wrong counter', () => {
  const run = wellRun()
  assert.deepEqual(judge(run).get('wrong counters'), [])
  run.counters.get('acc_1')!.segments = 4
  assert.deepEqual(judge(run).get('wrong counters'), ['one: segments is 4, not 3'])
})

test('the judge finds a scheduled message that leaves early or after it was canceled', () => {
  const run = wellRun()
  const wanted = run.journal.wanted[0]!
  wanted.scheduledAtMs = START_MS + 2_000
  assert.deepEqual(found(run), ['invalid moves', 'sent too early'])
  wanted.scheduledAtMs = null
  wanted.cancel = 'confirmed'
  assert.deepEqual(found(run), ['canceled and not stopped'])
})

test('the judge finds an inbound message that is stored twice, or that nobody wrote', () => {
  const run = wellRun()
  const inbound: MessageFact = {
    ...{ ...first(run), id: 'msg_in', direction: 'INBOUND', peer: VZW!, body: 'Hello?' },
    ...{ segments: 1, priceMicros: 0n },
  }
  run.facts.messages.push(inbound)
  assert.deepEqual(found(run), ['inbound messages that nobody wrote'])
  const { customer } = run
  run.journal.inbound.push({ customer, from: VZW!, text: 'Hello?', ...KEPT })
  assert.deepEqual(found(run), [])
  run.facts.messages.push({ ...inbound, id: 'msg_again' })
  assert.deepEqual(found(run), ['inbound messages doubled'])
})

test('the judge accepts a long inbound message in pieces only if its parts arrived a minute apart', () => {
  const run = wellRun()
  const { customer } = run
  const text = `Reply 7. ${'I have much more to say. '.repeat(8)}`
  const written = { customer, from: VZW!, text, writtenAtMs: START_MS, keptAtMs: START_MS + 61_000 }
  run.journal.inbound.push(written)
  const store = (id: string, body: string) =>
    run.facts.messages.push({
      ...{ ...first(run), id, direction: 'INBOUND', peer: VZW!, body },
      ...{ segments: body.length > 160 ? 2 : 1, priceMicros: 0n },
    })
  store('msg_start', text.slice(0, 153))
  assert.deepEqual(found(run), ['inbound messages lost'])
  const working = { ...run, cutoffMs: START_MS + 70_000 }
  assert.deepEqual(found(working), [], 'the rest may still wait')
  store('msg_rest', text.slice(153))
  assert.deepEqual(found(run), [])
  store('msg_again', text.slice(153))
  assert.deepEqual(found(run), ['inbound messages that nobody wrote'])
  run.facts.messages.pop()
  store('msg_whole', text)
  assert.deepEqual(found(run), ['inbound messages doubled'])
  run.facts.messages.pop()
  written.keptAtMs = START_MS + 2_000
  assert.deepEqual(found(run), ['inbound messages lost', 'inbound messages that nobody wrote'])
})

test('while the service works, the judge leaves what may still happen for later', () => {
  const run = wellRun()
  const working = { ...run, cutoffMs: START_MS, counters: null }
  run.arrivals.delete('evt_msg_0_1')
  run.facts.leftovers.set('queued', 1)
  run.facts.messages.pop()
  run.facts.entries.pop()
  for (const ledger of run.facts.ledgers) {
    if (ledger.ledger === 'wallet') ledger.micros += PRICE
    if (ledger.ledger === 'messages') ledger.micros -= PRICE
  }
  assert.deepEqual(
    [...judge(working)].filter(([, cases]) => cases.length > 0),
    [],
  )
  assert.ok(found(run).includes('accepted messages lost'))
})

test('every kind of finding is listed', () => {
  assert.deepEqual([...judge(wellRun()).keys()].sort(), [...KINDS].sort())
})

test('the judge counts segments and parts on its own', () => {
  const lengths = (text: string) => [segmentsOf(text), partsOf(text)]
  assert.deepEqual(lengths('a'.repeat(160)), [1, 1])
  assert.deepEqual(lengths('a'.repeat(161)), [2, 2])
  assert.deepEqual(lengths('a'.repeat(310)), [2, 3])
  assert.deepEqual(lengths(`${'a'.repeat(158)}€`), [1, 1])
  assert.deepEqual(lengths(`${'a'.repeat(159)}€`), [2, 2])
  assert.deepEqual(lengths('п'.repeat(70)), [1, 1])
  assert.deepEqual(lengths('п'.repeat(71)), [2, 2])
  assert.deepEqual(lengths('п'.repeat(140)), [2, 3])
  assert.equal(sentTextOf('“it’s”…'), `"it's"...`)
  assert.equal(sentTextOf('“привет”'), '“привет”')
})

test('the judge imports nothing from the service', () => {
  const folder = import.meta.dirname
  const files = readdirSync(folder).filter((file) => !file.endsWith('.test.ts'))
  for (const file of files) {
    const values = readFileSync(path.join(folder, file), 'utf8').matchAll(
      /^import (?!type\b)[^;]*? from '([^']+)'/gm,
    )
    for (const [, source] of values) assert.match(source!, /^(?:\.\/|\.\.\/carrier\.js$)/, file)
  }
})

test('the judge accepts a charge if a part of a long message arrived', () => {
  const run = settledRun()
  first(run).timeline = ['unknown', 'matched', 'sent']
  run.taken.shift()
  assert.deepEqual(found(run), ['never arrived but charged'])
  const { body, peer } = first(run)
  const part = { from: run.customer.number, to: peer, text: body.slice(0, 16) }
  run.fragments.push({ ...part, report: null, isReceipted: true })
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
  back.arrivals.get('evt_msg_0_1')!.message = null
  assert.deepEqual(found(back), ['invalid moves'])
  const gap = wellRun()
  gap.facts.events[1]!.sequence = 3
  gap.arrivals.get('evt_msg_0_1')!.message = null
  assert.deepEqual(found(gap), ['invalid moves'])
})

test('the judge allows one more submit for each resend in the timeline', () => {
  const run = wellRun()
  run.taken.push({ ...run.taken[2]! })
  run.facts.messages[2]!.timeline = ['unknown', 'repeated', 'sent', 'delivered']
  assert.deepEqual(found(run), [])
})

test('an option outside its bounds is refused in one sentence', () => {
  const usual = { kind: 'faults', minutes: 1, seed: 5, rate: 25, database: null, planted: null }
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
