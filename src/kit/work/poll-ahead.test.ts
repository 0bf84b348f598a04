// When a queue is read, and what is returned between reads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hints } from '../hints.js'
import { PollAhead } from './poll-ahead.js'

const at = (ms: number) => new Date(1_000_000 + ms)

/** A queue with work at these times. */
function stage(times: number[], isShared: boolean) {
  const hints = new Hints()
  if (isShared) hints.share(() => {})
  const reads: number[] = []
  const poll = new PollAhead({
    hints,
    read: async (until) => {
      reads.push(until.getTime() - 1_000_000)
      return times.map((ms) => ({ dueAt: at(ms) })).filter(({ dueAt }) => dueAt <= until)
    },
  })
  const find = async (ms: number) =>
    (await poll.find(at(ms))).map(({ dueAt }) => dueAt.getTime() - 1_000_000)
  return { poll, reads, find, times }
}

test('a process on its own reads what is due now, each time', async () => {
  const { find, reads } = stage([150], false)
  assert.deepEqual(await find(0), [])
  assert.deepEqual(await find(100), [])
  assert.deepEqual(await find(200), [150])
  assert.deepEqual(reads, [0, 100, 200])
})

test('with shared hints, an empty queue is read every five seconds', async () => {
  const { find, reads } = stage([], true)
  for (const ms of [0, 200, 4_900, 5_000, 5_200]) assert.deepEqual(await find(ms), [])
  assert.deepEqual(reads, [5_000, 10_000])
})

test('what becomes due between reads is returned on time, and then the queue is read again', async () => {
  const { find, reads, times } = stage([1_000, 3_000], true)
  assert.deepEqual(await find(0), [])
  assert.deepEqual(await find(900), [])
  assert.deepEqual(await find(1_000), [1_000])
  times.shift() // it was handled
  assert.deepEqual(await find(1_001), [])
  assert.deepEqual(await find(3_000), [3_000])
  assert.deepEqual(reads, [5_000, 6_001])
})

test('a hint causes a read, also if it arrives during one', async () => {
  const { poll, find, reads, times } = stage([], true)
  await find(0)
  times.push(50)
  poll.hint()
  const reading = find(100)
  poll.hint()
  assert.deepEqual(await reading, [50])
  times.pop()
  await find(101)
  assert.deepEqual(reads, [5_000, 5_100, 5_101])
})

test('a failed read is repeated', async () => {
  const hints = new Hints()
  hints.share(() => {})
  let reads = 0
  const read = async () => {
    reads += 1
    if (reads === 1) throw new Error('no connection')
    return []
  }
  const poll = new PollAhead({ hints, read })
  await assert.rejects(poll.find(at(0)), /no connection/)
  await poll.find(at(1))
  await poll.find(at(2))
  assert.equal(reads, 2)
})
