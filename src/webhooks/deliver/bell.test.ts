// A bell wakes one waiter, once, and loses no ring.

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { Bell } from './bell.js'

const never = new AbortController().signal
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Says whether the wait is over, as far as it can be by now. */
function watch(waiting: Promise<void>): () => Promise<boolean> {
  let isOver = false
  void waiting.then(() => {
    isOver = true
  })
  return async () => {
    await turn()
    return isOver
  }
}

test('a wait ends after its time, or at a ring before that', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const bell = new Bell()
  const timed = watch(bell.wait(1_000, never))
  t.mock.timers.tick(999)
  assert.equal(await timed(), false)
  t.mock.timers.tick(1)
  assert.equal(await timed(), true)
  const rung = watch(bell.wait(1_000, never))
  assert.equal(await rung(), false)
  bell.ring()
  assert.equal(await rung(), true)
})

test('a ring that nobody heard ends the next wait, and only that one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const bell = new Bell()
  bell.ring()
  bell.ring()
  assert.equal(await watch(bell.wait(1_000, never))(), true)
  const next = watch(bell.wait(1_000, never))
  assert.equal(await next(), false)
  bell.ring()
  assert.equal(await next(), true)
  assert.equal(await watch(bell.wait(1_000, never))(), false, 'a ring that was heard is over')
})

test('a stop ends the wait, later ones do not begin, and nothing is left behind', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const bell = new Bell()
  const stopping = new AbortController()
  for (let i = 0; i < 3; i += 1) {
    const waiting = watch(bell.wait(1_000, stopping.signal))
    bell.ring()
    assert.equal(await waiting(), true)
  }
  assert.equal(getEventListeners(stopping.signal, 'abort').length, 0)
  const waiting = watch(bell.wait(1_000, stopping.signal))
  stopping.abort()
  assert.equal(await waiting(), true)
  assert.equal(await watch(bell.wait(1_000, stopping.signal))(), true)
})
