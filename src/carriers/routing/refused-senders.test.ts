// Numbers that a carrier refuses as senders: how long nothing is sent from them, what ends that, and what is stored.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Clock } from '../../kit/clock.js'
import { Hints } from '../../kit/hints.js'
import type { SubmitAnswer } from '../../messages/carrier-port.js'
import { RefusedSenders } from './refused-senders.js'

const [ONE, TWO] = ['+14152000001', '+14152000002']

/** The database answers with these rows. By default, numbers have no owner, and so no flag. */
function open(rows: object[] = []) {
  const clock = new Clock()
  let nowMs = clock.nowMs()
  clock.nowMs = () => nowMs
  const state = {
    ...{ rows, isAway: false, transactions: 0, isFlagged: false },
    meanwhile: () => {},
  }
  const limits: unknown[] = []
  const db = {
    query: async ({ values }: { values: unknown[] }) => {
      limits.push(values[0])
      return state.rows
    },
    transaction: async () => {
      if (state.isAway) throw new Error('the database is down')
      state.transactions += 1
      state.meanwhile()
      return state.isFlagged
    },
  }
  const hints = new Hints()
  let hinted = 0
  let delivered = 0
  hints.subscribe('links', () => {
    hinted += 1
  })
  hints.subscribe('deliveries', () => {
    delivered += 1
  })
  const logged: object[] = []
  const log = { warn: (facts: object) => logged.push(facts) }
  const world = { db, clock, log, hints }
  const senders = new RefusedSenders(
    world as unknown as ConstructorParameters<typeof RefusedSenders>[0],
  )
  const move = (ms: number) => {
    nowMs += ms
  }
  return {
    ...{ senders, state, limits, clock, move, logged },
    ...{ hinted: () => hinted, delivered: () => delivered },
  }
}

const refused = (carrierCode: string) => ({
  ...{ kind: 'failed', errorCode: 1345, concerns: 'sender' },
  carrierCode: `${carrierCode}, just before`,
})

test('nothing is sent from a refused number over that link for a minute', () => {
  const { senders, move, hinted } = open()
  assert.equal(senders.refusalOf('a', ONE), null)
  senders.refuse('a', ONE, '40305')
  assert.deepEqual(senders.refusalOf('a', ONE), refused('40305'))
  assert.equal(senders.refusalOf('b', ONE), null, 'another link may accept it')
  assert.equal(senders.refusalOf('a', TWO), null, 'another number is not affected')
  assert.equal(hinted(), 1)
  move(59_999)
  assert.deepEqual(senders.refusalOf('a', ONE), refused('40305'))
  move(1)
  assert.equal(senders.refusalOf('a', ONE), null)
})

test('only a refusal of the sender counts, and only an accepted message ends it', () => {
  const refusal: SubmitAnswer = {
    ...{ kind: 'failed', errorCode: 1345, concerns: 'sender' },
    carrierCode: '40305',
  }
  const { senders, hinted } = open()
  for (const answer of [
    undefined,
    { kind: 'failed', errorCode: 1350 },
    { kind: 'failed', errorCode: 1375, concerns: 'link' },
    { kind: 'slow_down' },
    { kind: 'sent' },
  ] as (SubmitAnswer | undefined)[]) {
    senders.note('a', ONE, answer)
  }
  assert.deepEqual([senders.refusalOf('a', ONE), hinted()], [null, 0], 'nothing to write')
  senders.note('a', ONE, refusal)
  assert.deepEqual(senders.refusalOf('a', ONE), refused('40305'))
  for (const answer of [undefined, { kind: 'slow_down' }, { kind: 'down' }] as const) {
    senders.note('a', ONE, answer)
  }
  assert.ok(senders.refusalOf('a', ONE))
  senders.note('b', ONE, { kind: 'sent' })
  assert.ok(senders.refusalOf('a', ONE), 'another link accepted it')
  assert.equal(hinted(), 1)
  senders.note('a', ONE, { kind: 'sent' })
  assert.deepEqual([senders.refusalOf('a', ONE), hinted()], [null, 2])
})

test('a refusal has the carrier’s words, up to 200 characters, or says that there are none', () => {
  const { senders } = open()
  senders.note('a', ONE, { kind: 'failed', errorCode: 1345, concerns: 'sender' })
  assert.deepEqual(senders.refusalOf('a', ONE), refused('without a code'))
  senders.refuse('a', ONE, 'x'.repeat(201))
  assert.deepEqual(senders.refusalOf('a', ONE), refused('x'.repeat(200)))
})

test('at most 1,000 refusals are remembered', () => {
  const { senders } = open()
  const number = (i: number) => `+1415${2_000_000 + i}`
  for (let i = 0; i <= 1_000; i += 1) senders.refuse('a', number(i), 'x')
  assert.ok(senders.refusalOf('a', number(999)))
  assert.equal(senders.refusalOf('a', number(1_000)), null)
})

test('each step follows the database, and keeps what is not written yet', async () => {
  const { senders, state, limits, clock, move } = open()
  senders.refuse('a', ONE, 'here')
  state.isAway = true
  await assert.rejects(senders.follow(), /database is down/)
  assert.ok(senders.refusalOf('a', ONE), 'it still applies here')
  state.isAway = false
  const until = new Date(clock.nowMs() + 5_000)
  state.rows = [{ link: 'b', phoneNumber: TWO, reason: 'elsewhere', until }]
  await senders.follow()
  assert.deepEqual([state.transactions, limits], [1, [1_000]])
  assert.deepEqual(senders.refusalOf('b', TWO), refused('elsewhere'))
  assert.equal(senders.refusalOf('a', ONE), null, 'nobody owns the number: it has no flag')
  move(4_999)
  assert.ok(senders.refusalOf('b', TWO))
  move(1)
  assert.equal(senders.refusalOf('b', TWO), null)
  state.rows = []
  await senders.follow()
  assert.equal(state.transactions, 1, 'written once')
})

test('fifty are written per step, and the others still apply meanwhile', async () => {
  const { senders, state } = open()
  const numbers = Array.from({ length: 60 }, (_, i) => `+1415${2_000_000 + i}`)
  for (const number of numbers) senders.refuse('a', number, 'x')
  await senders.follow()
  assert.equal(state.transactions, 50)
  assert.deepEqual(
    [numbers[49]!, numbers[50]!, numbers[59]!].map((one) => senders.refusalOf('a', one) !== null),
    [false, true, true],
  )
  await senders.follow()
  assert.equal(state.transactions, 60)
})

test('a number that is accepted before its refusal is written is written as accepted', async () => {
  const { senders, state } = open()
  senders.refuse('a', ONE, 'x')
  senders.accept('a', ONE)
  await senders.follow()
  assert.deepEqual([state.transactions, senders.refusalOf('a', ONE)], [1, null])
  senders.accept('a', ONE)
  await senders.follow()
  assert.equal(state.transactions, 1, 'it was not refused')
})

test('a flag that was set is logged and sends its webhooks, a cleared one sends them, and others do neither', async () => {
  const { senders, state, logged, delivered } = open()
  senders.refuse('a', ONE, '40305')
  await senders.follow()
  assert.deepEqual([logged, delivered()], [[], 0], 'nobody owns the number')
  state.isFlagged = true
  senders.refuse('a', ONE, '40305')
  await senders.follow()
  assert.deepEqual([logged, delivered()], [[{ link: 'a', code: '40305' }], 1])
  senders.refuse('a', ONE, '40305')
  senders.accept('a', ONE)
  await senders.follow()
  assert.deepEqual([logged.length, delivered()], [1, 2])
})

test('an acceptance is written even if the refusal was written long before', async () => {
  const { senders, state, clock } = open()
  const until = new Date(clock.nowMs() + 5_000)
  state.rows = [{ link: 'a', phoneNumber: ONE, reason: 'x', until }]
  await senders.follow()
  assert.equal(state.transactions, 0)
  senders.accept('a', ONE)
  await senders.follow()
  assert.equal(state.transactions, 1)
})

test('what is learned while it is being written is written next', async () => {
  const { senders, state } = open()
  senders.refuse('a', ONE, 'first')
  state.meanwhile = () => {
    state.meanwhile = () => {}
    senders.refuse('a', ONE, 'second')
  }
  await senders.follow()
  assert.deepEqual(senders.refusalOf('a', ONE), refused('second'))
  await senders.follow()
  assert.equal(state.transactions, 2)
})
