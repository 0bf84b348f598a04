// Deadlines on one clock, slots with a bounded wait, and accounts that leave a shared connection, with a clock that the
// test moves.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DatabaseFailure } from './db-failure.js'
import { Deadlines } from './deadlines.js'
import { Detours } from './detours.js'
import { KeyedSlots, Slots } from './slots.js'

function testDeadlines(t: TestContext): { deadlines: Deadlines; pass: (ms: number) => void } {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const deadlines = new Deadlines()
  t.after(() => deadlines.stop())
  return { deadlines, pass: (ms) => t.mock.timers.tick(ms) }
}

/** Work that ends when the test decides. */
function openWork() {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { work: () => ended, end: () => end() }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

test('an unfinished wait expires once, soon after its limit', (t) => {
  const { deadlines, pass } = testDeadlines(t)
  const expired: string[] = []
  deadlines.begin(1_000, () => expired.push('short'))
  deadlines.begin(5_000, () => expired.push('long'))
  deadlines.end(deadlines.begin(1_000, () => expired.push('ended')))
  pass(1_000)
  assert.deepEqual(expired, [])
  pass(500)
  assert.deepEqual(expired, ['short'])
  pass(10_000)
  assert.deepEqual(expired, ['short', 'long'])
})

test('slots are given in order of arrival, and a waiter that waits too long is refused', async (t) => {
  const { deadlines, pass } = testDeadlines(t)
  const slots = new Slots({ count: 1, waitMsMax: 1_000, deadlines })
  const first = openWork()
  const order: number[] = []
  const running = slots.run(first.work)
  const late = assert.rejects(
    slots.run(async () => order.push(0)),
    (error) => error instanceof DatabaseFailure && error.trouble === 'database_busy',
  )
  pass(1_500)
  await late
  const others = [1, 2, 3].map((n) => slots.run(async () => order.push(n)))
  assert.equal(slots.waiting, 3)
  first.end()
  await Promise.all([running, ...others])
  assert.deepEqual(order, [1, 2, 3])
  assert.equal(slots.isIdle, true)
})

test('a slot that rests stays taken after its work, and then goes to the next', async (t) => {
  const { deadlines, pass } = testDeadlines(t)
  const rest = { times: Number.POSITIVE_INFINITY, msMax: 20 }
  const slots = new KeyedSlots({ count: 1, waitMsMax: 1_000, deadlines, rest })
  const order: string[] = []
  const failing = slots.run('a', () => Promise.reject(new Error('a fault')))
  const next = slots.run('a', async () => order.push('next'))
  await assert.rejects(failing, /a fault/)
  order.push('failed')
  pass(20)
  await next
  assert.deepEqual([order, slots.has('a')], [['failed', 'next'], true])
  pass(20)
  assert.equal(slots.has('a'), false)
})

test('slots of a key are removed when unused', async (t) => {
  const { deadlines } = testDeadlines(t)
  const slots = new KeyedSlots({ count: 2, waitMsMax: 1_000, deadlines })
  const { work, end } = openWork()
  const running = [slots.run('a', work), slots.run('a', work), slots.run('a', work)]
  assert.deepEqual([slots.has('a'), slots.has('b')], [true, false])
  end()
  await Promise.all(running)
  assert.equal(slots.has('a'), false)
})

const locked = () => Promise.reject(new DatabaseFailure('database_busy', 'locked', '55P03'))
const never = () => assert.fail('this path is not used')

test('an account that meets a lock runs separately until it is done, one step after the other', async (t) => {
  const { deadlines } = testDeadlines(t)
  const detours = new Detours({ countMax: 2, waitMsMax: 1_000, deadlines })
  const first = openWork()
  const order: string[] = []
  const one = detours.run('a', locked, () => first.work().then(() => order.push('one')))
  await settle()
  const two = detours.run('a', never, async () => order.push('two')) // not even tried on the shared connection
  await detours.run('b', async () => order.push('other'), never)
  first.end()
  await Promise.all([one, two])
  await detours.run('a', async () => order.push('shared again'), never)
  assert.deepEqual(order, ['other', 'one', 'two', 'shared again'])
})

test('the number of waiting accounts is limited, and other failures are passed on unchanged', async (t) => {
  const { deadlines, pass } = testDeadlines(t)
  const detours = new Detours({ countMax: 1, waitMsMax: 1_000, deadlines })
  const { work, end } = openWork()
  const holding = detours.run('a', locked, work)
  await settle()
  const turnedAway = assert.rejects(detours.run('b', locked, never), DatabaseFailure)
  await settle()
  pass(1_500)
  await turnedAway
  end()
  await holding
  await assert.rejects(
    detours.run('a', () => Promise.reject(new Error('a fault')), never),
    /a fault/,
  )
})
