// When a queue is read, and what is returned between reads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HintedAccounts, Hints } from '../hints.js'
import { PollAhead } from './poll-ahead.js'

const at = (ms: number) => new Date(1_000_000 + ms)

/** A queue with work at these times. */
function stage(times: number[], isShared: boolean, hasTurn = true) {
  const hints = new Hints()
  const announced: string[] = []
  if (isShared)
    hints.share({
      relay: (hint, ids) => announced.push([hint, ...(ids ?? [])].join(' ')),
      hasTurn: () => hasTurn,
    })
  const reads: number[] = []
  /** Of which accounts, for each read. */
  const readOf: HintedAccounts[] = []
  const poll = new PollAhead({
    ...{ hints, turn: 'dispatch', announcedBy: 'messages', limit: 3 },
    read: async ({ until, accountIds }) => {
      reads.push(until.getTime() - 1_000_000)
      readOf.push(accountIds)
      if (accountIds && !accountIds.includes('acc_1')) return []
      const found = times.map((ms) => ({ accountId: 'acc_1', dueAt: at(ms) }))
      return found.filter(({ dueAt }) => dueAt <= until).slice(0, 3)
    },
  })
  const find = async (ms: number) =>
    (await poll.find(at(ms))).map(({ dueAt }) => dueAt.getTime() - 1_000_000)
  return { poll, reads, readOf, find, times, announced }
}

test('a process on its own reads what is due now, each time', async () => {
  const { find, reads } = stage([150], false)
  assert.deepEqual(await find(0), [])
  assert.deepEqual(await find(100), [])
  assert.deepEqual(await find(200), [150])
  assert.deepEqual(reads, [0, 100, 200])
})

test('with shared hints, an empty queue is read every 30 seconds', async () => {
  const { find, reads } = stage([], true)
  for (const ms of [0, 200, 29_900, 30_000, 30_200]) assert.deepEqual(await find(ms), [])
  assert.deepEqual(reads, [30_000, 60_000])
})

test('what becomes due between reads is returned on time, and then the queue is read again', async () => {
  const { find, reads, times } = stage([1_000, 3_000], true)
  assert.deepEqual(await find(0), [])
  assert.deepEqual(await find(900), [])
  assert.deepEqual(await find(1_000), [1_000])
  times.shift() // it was handled
  assert.deepEqual(await find(1_001), [])
  assert.deepEqual(await find(3_000), [3_000])
  assert.deepEqual(reads, [30_000, 31_001])
})

test('a hint causes a read, also if it arrives during one', async () => {
  const { poll, find, reads, times } = stage([], true)
  await find(0)
  times.push(50)
  poll.hint(null)
  const reading = find(100)
  poll.hint(null)
  assert.deepEqual(await reading, [50])
  times.pop()
  await find(101)
  assert.deepEqual(reads, [30_000, 30_100, 30_101])
})

test('with shared hints, a hint for some accounts reads only theirs, until nothing more is due', async () => {
  const { poll, find, readOf, times } = stage([], true)
  await find(0)
  times.push(50, 5_000)
  poll.hint(['acc_1', 'acc_2'])
  assert.deepEqual(await find(100), [50])
  times.shift()
  assert.deepEqual(await find(101), [])
  assert.deepEqual(await find(102), [])
  assert.deepEqual(readOf, [null, ['acc_1', 'acc_2'], ['acc_1']])
  assert.deepEqual(await find(5_000), [5_000], 'it was read ahead')
})

test('a hint for many accounts reads all, as does one on a single PostgreSQL', async () => {
  const { poll, find, readOf } = stage([], true)
  await find(0)
  poll.hint(Array.from({ length: 17 }, (_, i) => `acc_${i}`))
  await find(1)
  await find(2)
  assert.deepEqual(readOf, [null, null])
  const single = stage([], false)
  single.poll.hint(['acc_1'])
  await single.find(0)
  assert.deepEqual(single.readOf, [null])
})

test('after as many results as a read may return, everything is read again', async () => {
  const { find, readOf, times } = stage([10, 20, 3_000, 4_000], true)
  assert.deepEqual(await find(50), [10, 20])
  times.splice(0, 2)
  assert.deepEqual(await find(51), [])
  assert.deepEqual(await find(4_000), [3_000, 4_000])
  assert.deepEqual(readOf, [null, null])
})

test('without the turn, an empty queue is read every five minutes', async () => {
  const { find, reads } = stage([], true, false)
  for (const ms of [0, 30_000, 299_900, 300_000]) await find(ms)
  assert.deepEqual(reads, [30_000, 330_000])
})

test('the process with the turn announces work once, until the queue is empty again', async () => {
  const { find, times, announced } = stage([1_000, 2_000], true)
  await find(0)
  assert.deepEqual(announced, [])
  await find(1_000)
  times.shift()
  await find(2_000)
  assert.deepEqual(announced, ['messages acc_1'])
  times.shift()
  await find(2_001)
  times.push(3_000)
  await find(32_001)
  assert.deepEqual(announced, ['messages acc_1', 'messages acc_1'])
})

test('what was hinted is not announced again', async () => {
  const { poll, find, announced } = stage([50], true)
  poll.hint(null)
  assert.deepEqual(await find(100), [50])
  assert.deepEqual(announced, [])
})

test('a process that can take no work asks the others to read, if it has the turn', () => {
  const [own, others] = [stage([], true), stage([], true, false)]
  own.poll.pass()
  own.poll.pass()
  others.poll.pass()
  assert.deepEqual([own.announced, others.announced], [['messages'], []])
})

test('a failed read is repeated', async () => {
  const hints = new Hints()
  hints.share({ relay: () => {}, hasTurn: () => true })
  let reads = 0
  const read = async () => {
    reads += 1
    if (reads === 1) throw new Error('no connection')
    return []
  }
  const poll = new PollAhead({ hints, turn: 'dispatch', announcedBy: 'messages', read })
  await assert.rejects(poll.find(at(0)), /no connection/)
  await poll.find(at(1))
  await poll.find(at(2))
  assert.equal(reads, 2)
})
