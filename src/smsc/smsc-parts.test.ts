// The parts of our SMSC alone: what it stores, its ids, and how it parses a typed line.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/until.js'
import { AcceptedMessages, type AcceptedPart } from './accepted-messages.js'
import { Delayed } from './delayed.js'
import { inboundPdus, readTypedLine } from './inbound.js'
import { MessageIds } from './message-ids.js'
import { happens, seededRandom, shuffled } from './random.js'

const SIMPLE = { idForm: 'decimal', receiptIdForm: null } as const

function partOf(id: number, sequence: number, text: string, total = 3): AcceptedPart {
  return {
    id: { inAnswer: String(id), inReceipt: String(id) },
    connection: 1,
    systemId: 'me',
    from: '+14155550100',
    to: '+14155550199',
    text,
    part: { reference: 5, total, sequence },
    dataCoding: 0,
    registeredDelivery: 1,
    validityPeriod: '',
    tlvs: [],
    acceptedAt: new Date(0),
    state: 'ENROUTE',
    error: 0,
    doneAt: null,
  }
}

test('parts in any order make a message, and a repeated part replaces the first one', () => {
  const taken = new AcceptedMessages(100)
  assert.equal(taken.add(partOf(1, 3, 'c')), null)
  assert.equal(taken.add(partOf(2, 1, 'x')), null)
  assert.equal(taken.add(partOf(3, 1, 'a')), null)
  assert.equal(taken.unfinishedCount, 1)
  const message = taken.add(partOf(4, 2, 'b'))
  assert.deepEqual([message!.text, message!.ids], ['abc', ['3', '4', '1']])
  assert.deepEqual([taken.unfinishedCount, taken.messages.length], [0, 1])
  assert.equal(taken.find('2')?.text, 'x')
})

test('only the latest messages are stored', () => {
  const taken = new AcceptedMessages(100)
  for (let id = 1; id <= 1_000; id++) taken.add(partOf(id, 1, `text ${id}`, 1))
  assert.ok(taken.messages.length <= 100 && taken.messages.length >= 75)
  assert.equal(taken.messages.at(-1)!.text, 'text 1000')
  assert.ok(taken.find('1000') && taken.find('960'))
  assert.equal(taken.find('890'), undefined)
})

test('a restarted SMSC does not reuse message ids', () => {
  const ids = new MessageIds(SIMPLE, 1_000)
  const given = Array.from({ length: 100 }, () => ids.give().inAnswer)
  const later = new MessageIds(SIMPLE, 1_010)
  assert.equal(new Set(given).size, 100)
  assert.ok(!given.includes(later.give().inAnswer))
})

test('an id is the same number in both forms', () => {
  const { inAnswer, inReceipt } = new MessageIds(
    { idForm: 'decimal', receiptIdForm: 'hex' },
    1_763_280_000_000,
  ).give()
  assert.equal(BigInt(`0x${inReceipt}`), BigInt(inAnswer))
})

test('the same seed gives the same random choices, in the configured proportion', () => {
  const draw = (seed: number) => Array.from({ length: 5 }, seededRandom(seed))
  assert.deepEqual(draw(7), draw(7))
  assert.notDeepEqual(draw(7), draw(8))
  const random = seededRandom(1)
  const hits = Array.from({ length: 10_000 }, () => happens(random, 30)).filter(Boolean).length
  assert.ok(hits > 2_800 && hits < 3_200, String(hits))
  assert.equal(
    happens(() => 0, 0),
    false,
  )
  assert.deepEqual(shuffled([1, 2, 3, 4], seededRandom(3)).sort(), [1, 2, 3, 4])
})

test('delayed items keep their order even if the delay shrinks', async () => {
  const seen: number[] = []
  const delayed = new Delayed<number>((item) => seen.push(item))
  delayed.add(1, 0)
  assert.deepEqual(seen, [1])
  delayed.add(2, 5)
  delayed.add(3, 0)
  assert.deepEqual([seen.length, delayed.size], [1, 2])
  await until(() => seen.length === 3, 'all of them')
  assert.deepEqual(seen, [1, 2, 3])
  delayed.add(4, 1)
  delayed.stop()
  assert.equal(delayed.size, 0)
})

test('a typed line is parsed, or the error explains what is wrong', () => {
  assert.deepEqual(readTypedLine('  +14155550199 12345  Grüße,  dort '), {
    message: { from: '+14155550199', to: '12345', text: 'Grüße,  dort' },
  })
  const problemOf = (line: string) => {
    const read = readTypedLine(line)
    return 'problem' in read ? read.problem : null
  }
  assert.match(problemOf('+14155550199 Hello')!, /Type: FROM TO TEXT/)
  assert.equal(
    problemOf('me +14155550100 Hi'),
    '"me" is not a number. Use digits, with or without a +.',
  )
  assert.match(problemOf(`123 456 ${'x'.repeat(1_601)}`)!, /longer than 1600 characters/)
})

test('a request for a part that the message does not have is refused', () => {
  const message = { from: '1', to: '2', text: 'short', order: [2] }
  assert.throws(() => inboundPdus(message, [], 1), /the message has 1 parts and no part 2/)
})
