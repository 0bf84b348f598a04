// An item in flight is held once, released once, and awaited by a stop.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InFlight } from './in-flight.js'

test('a held item is found and counted, and is gone once released', () => {
  const inFlight = new InFlight<number>()
  inFlight.hold('a', 1)
  inFlight.hold('b', 2)
  assert.deepEqual([inFlight.size, inFlight.get('a'), inFlight.get('c')], [2, 1, undefined])
  inFlight.release('a')
  assert.deepEqual([inFlight.size, inFlight.get('a'), [...inFlight.values()]], [1, undefined, [2]])
})

test('no item is held twice, and only held items are released', () => {
  const inFlight = new InFlight<number>()
  inFlight.hold('a', 1)
  assert.throws(() => inFlight.hold('a', 2), /held already/)
  assert.equal(inFlight.get('a'), 1)
  inFlight.release('a')
  assert.throws(() => inFlight.release('a'), /not held/)
})

test('a drain ends when the last item is released, or immediately if there is none, for all waiters', async () => {
  const inFlight = new InFlight<number>()
  await inFlight.drain()
  inFlight.hold('a', 1)
  inFlight.hold('b', 2)
  const ended: string[] = []
  const waiting = Promise.all([
    inFlight.drain().then(() => ended.push('first')),
    inFlight.drain().then(() => ended.push('second')),
  ])
  inFlight.release('a')
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(ended, [])
  inFlight.release('b')
  await waiting
  assert.deepEqual(ended, ['first', 'second'])
  await inFlight.drain()
})
