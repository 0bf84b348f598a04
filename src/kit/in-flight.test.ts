// What is in flight is held once, released once, and waited for by a stop.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InFlight } from './in-flight.js'

test('what is held is found, counted, and gone when it is released', () => {
  const inFlight = new InFlight<number>()
  inFlight.hold('a', 1)
  inFlight.hold('b', 2)
  assert.deepEqual([inFlight.size, inFlight.get('a'), inFlight.get('c')], [2, 1, undefined])
  inFlight.release('a')
  assert.deepEqual([inFlight.size, inFlight.get('a'), [...inFlight.values()]], [1, undefined, [2]])
})

test('nothing is held twice, and only what is held is released', () => {
  const inFlight = new InFlight<number>()
  inFlight.hold('a', 1)
  assert.throws(() => inFlight.hold('a', 2), /held already/)
  assert.equal(inFlight.get('a'), 1)
  inFlight.release('a')
  assert.throws(() => inFlight.release('a'), /not held/)
})

test('a drain ends when the last is released, at once where nothing is held, for all who wait', async () => {
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
