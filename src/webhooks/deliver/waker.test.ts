// A waker wakes one waiter, once, and loses no wake.

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { Waker } from './waker.js'

const never = new AbortController().signal
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Whether the wait is over, as far as it can be by now. */
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

test('a wait ends after its time, or earlier at a wake', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const waker = new Waker()
  const timed = watch(waker.wait(1_000, never))
  t.mock.timers.tick(999)
  assert.equal(await timed(), false)
  t.mock.timers.tick(1)
  assert.equal(await timed(), true)
  const woken = watch(waker.wait(1_000, never))
  assert.equal(await woken(), false)
  waker.wake()
  assert.equal(await woken(), true)
})

test('a wake without a waiter ends only the next wait', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const waker = new Waker()
  waker.wake()
  waker.wake()
  assert.equal(await watch(waker.wait(1_000, never))(), true)
  const next = watch(waker.wait(1_000, never))
  assert.equal(await next(), false)
  waker.wake()
  assert.equal(await next(), true)
  assert.equal(
    await watch(waker.wait(1_000, never))(),
    false,
    'a wake that ended a wait has no further effect',
  )
})

test('a stop ends the wait, later ones do not start, and nothing is left behind', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const waker = new Waker()
  const stopping = new AbortController()
  for (let i = 0; i < 3; i += 1) {
    const waiting = watch(waker.wait(1_000, stopping.signal))
    waker.wake()
    assert.equal(await waiting(), true)
  }
  assert.equal(getEventListeners(stopping.signal, 'abort').length, 0)
  const waiting = watch(waker.wait(1_000, stopping.signal))
  stopping.abort()
  assert.equal(await waiting(), true)
  assert.equal(await watch(waker.wait(1_000, stopping.signal))(), true)
})
