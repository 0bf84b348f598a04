// Natural batching without a database: what goes together, what waits, and which result each item gets.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BatchWriter, type BatchWriterOptions, KeyedBatchWriter } from './batch-writer.js'

/** A writer whose writes end when the test decides. */
function slowWriter(options: Partial<BatchWriterOptions<number, number>> = {}) {
  const writes: { items: number[]; end: (error?: Error) => void }[] = []
  const writer = new BatchWriter<number, number>({
    batchMax: 100,
    write: (items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(items.map((i) => i * 10)))
        writes.push({ items, end })
      }),
    ...options,
  })
  const add = (...items: number[]) => Promise.all(items.map((item) => writer.add(item)))
  return { writer, writes, add, sizes: () => writes.map(({ items }) => items.length) }
}

test('items that arrive during a write go with the next one, and each has its own result', async () => {
  const { writer, writes, add } = slowWriter()
  const first = add(1)
  const rest = add(2, 3, 4)
  assert.deepEqual([writes.length, writer.depth], [1, 4])
  writes[0]!.end()
  assert.deepEqual(await first, [10])
  assert.deepEqual(writes[1]!.items, [2, 3, 4])
  writes[1]!.end()
  assert.deepEqual(await rest, [20, 30, 40])
  await writer.drain()
  assert.ok(writer.isIdle)
})

test('a failed write fails only its items', async () => {
  const { writes, add } = slowWriter()
  const first = add(1)
  const second = add(2)
  writes[0]!.end(new Error('lost'))
  await assert.rejects(first, /lost/)
  writes[1]!.end()
  assert.deepEqual(await second, [20])
})

test('a second concurrent write waits until it has enough items', async () => {
  const { writes, add, sizes } = slowWriter({ concurrency: 2, alongsideMin: [3] })
  const all = [add(1), add(2, 3)]
  assert.deepEqual(sizes(), [1])
  all.push(add(4))
  assert.deepEqual(sizes(), [1, 3])
  all.push(add(5, 6, 7, 8))
  assert.deepEqual(sizes(), [1, 3], 'no more than two at once')
  for (let i = 0; i < 3; i += 1) {
    writes[i]!.end()
    await sleep(1)
  }
  assert.deepEqual(sizes(), [1, 3, 4])
  await Promise.all(all)
})

test('a third write waits for more items than a second one', async () => {
  const { writes, add, sizes } = slowWriter({ concurrency: 3, alongsideMin: [2, 4] })
  const all = [add(1), add(2, 3), add(4, 5, 6)]
  assert.deepEqual(sizes(), [1, 2])
  all.push(add(7))
  assert.deepEqual(sizes(), [1, 2, 4])
  for (const { end } of writes) end()
  await Promise.all(all)
})

test('writes keep their minimum interval, except for a full batch', async () => {
  const { writes, add, sizes, writer } = slowWriter({ everyMs: 40, batchMax: 5 })
  const first = add(1)
  writes[0]!.end()
  await first
  const second = add(2, 3)
  assert.deepEqual(sizes(), [1], 'the second waits')
  const third = add(4, 5, 6)
  assert.deepEqual(sizes(), [1, 5], 'a full one does not')
  writes[1]!.end()
  await Promise.all([second, third])
  const last = add(7)
  const drained = writer.drain()
  while (writes.length < 3) await sleep(5)
  writes[2]!.end()
  assert.deepEqual(await last, [70])
  await drained
})

test('many items at once fill batch after batch, next to single items', async () => {
  const { writer, writes, add, sizes } = slowWriter({ batchMax: 4 })
  const before = add(1)
  const alone = add(2)
  const group = writer.addAll([3, 4, 5, 6, 7, 8, 9])
  const late = add(10)
  assert.deepEqual([sizes(), writer.depth], [[1], 10])
  for (let i = 0; i < 4; i += 1) {
    writes[i]!.end()
    await sleep(1)
  }
  assert.deepEqual(sizes(), [1, 4, 4, 1])
  assert.deepEqual(await group, [30, 40, 50, 60, 70, 80, 90])
  assert.deepEqual([await before, await alone, await late], [[10], [20], [100]])
  assert.deepEqual(await writer.addAll([]), [])
  assert.ok(writer.isIdle)
})

test('a failed write fails the group that was in it', async () => {
  const { writer, writes, add } = slowWriter({ batchMax: 2 })
  const group = writer.addAll([1, 2, 3])
  const other = add(4)
  writes[0]!.end(new Error('lost'))
  await assert.rejects(group, /lost/)
  writes[1]!.end()
  assert.deepEqual(await other, [40])
})

test('the number of items in flight is limited, but one batch is always allowed', async () => {
  const { writer, writes, sizes } = slowWriter({ batchMax: 2, concurrency: 9, itemsMax: 3 })
  const group = writer.addAll([1, 2, 3, 4, 5])
  assert.deepEqual(sizes(), [2])
  writes[0]!.end()
  await sleep(0)
  assert.deepEqual(sizes(), [2, 2, 1])
  writes[1]!.end()
  writes[2]!.end()
  assert.deepEqual(await group, [10, 20, 30, 40, 50])

  const narrow = slowWriter({ batchMax: 2, concurrency: 9, itemsMax: 1 })
  void narrow.writer.addAll([1, 2, 3])
  assert.deepEqual(narrow.sizes(), [2])
})

test('a key may have its own limits', async () => {
  const written: [string, number[]][] = []
  const writer = new KeyedBatchWriter<number, number>({
    batchMax: 4,
    limitsOf: (key) => ({ batchMax: key === 'narrow' ? 1 : 4 }),
    write: async (key, items) => {
      written.push([key, items])
      return items
    },
  })
  await Promise.all([writer.addAll('narrow', [1, 2]), writer.addAll('wide', [3, 4])])
  assert.deepEqual(written, [
    ['narrow', [1]],
    ['wide', [3, 4]],
    ['narrow', [2]],
  ])
})

test('every key has its own batches', async () => {
  const written: [string, number[]][] = []
  const writer = new KeyedBatchWriter<number, number>({
    batchMax: 2,
    write: async (key, items) => {
      written.push([key, items])
      return items
    },
  })
  await Promise.all([
    writer.add('a', 1),
    writer.add('b', 2),
    writer.add('a', 3),
    writer.add('a', 4),
  ])
  await writer.drain()
  assert.deepEqual(written, [
    ['a', [1]],
    ['b', [2]],
    ['a', [3, 4]],
  ])
  assert.equal(writer.depth, 0)
})

/** Two keys on one lane; the test ends each write. */
function sharedLane() {
  const writes: { text: string; end: (error?: Error) => void }[] = []
  const writer = new KeyedBatchWriter<number, number>({
    batchMax: 100,
    concurrency: 3,
    alongsideMin: [3, 5],
    laneOf: () => 'same',
    largeFrom: 5,
    write: (key, items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(items))
        writes.push({ text: `${key}${items.join('')}`, end })
      }),
  })
  const add = (key: string, ...items: number[]) => {
    for (const item of items) void writer.add(key, item).catch(() => {})
  }
  const end = async (nth: number, error?: Error) => {
    writes[nth]!.end(error)
    await sleep(1)
  }
  return { writer, add, end, texts: () => writes.map(({ text }) => text).join(' ') }
}

test('keys that share a lane collect items while another key’s write runs, and take turns', async () => {
  const { writer, add, end, texts } = sharedLane()
  add('a', 1)
  add('b', 1)
  add('b', 2)
  add('c', 1)
  assert.equal(texts(), 'a1')
  add('a', 2)
  await end(0)
  assert.equal(texts(), 'a1 b12', 'the longest waiting first')
  add('c', 2)
  await end(1, new Error('lost'))
  assert.equal(texts(), 'a1 b12 c12', 'also after a failure')
  await end(2)
  assert.equal(texts(), 'a1 b12 c12 a2')
  await end(3)
  assert.equal(writer.depth, 0)
})

test('a batch with enough items runs alongside another one, unless others wait; a large one needs no lane', async () => {
  const { writer, add, end, texts } = sharedLane()
  add('a', 1)
  add('b', 1, 2, 3)
  assert.equal(texts(), 'a1 b123')
  add('c', 1)
  add('a', 2, 3, 4)
  assert.equal(texts(), 'a1 b123', 'c has waited longer')
  add('d', 1, 2, 3, 4)
  await writer.addAll('e', []) // no items, no write
  const large = writer.addAll('e', [1, 2, 3, 4, 5])
  assert.equal(texts(), 'a1 b123 e12345')
  await end(2)
  assert.deepEqual(await large, [1, 2, 3, 4, 5])
  await end(0)
  assert.equal(texts(), 'a1 b123 e12345', 'b is still running')
  await end(1)
  assert.equal(texts(), 'a1 b123 e12345 c1 a234 d1234', 'no other key waits')
  for (const nth of [3, 4, 5]) await end(nth)
  assert.equal(writer.depth, 0)
})
