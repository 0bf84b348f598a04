// The signals that end a process: the first one, its echo through npm, and a second one.

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { endSignal } from './end-signal.js'

test('the first signal stops the process in order, and a second one stops it at once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const [first, second] of [
    ['SIGINT', 'SIGINT'],
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
  ]) {
    const source = new EventEmitter()
    const endNow = t.mock.fn()
    const ended = endSignal(source, endNow)
    source.emit(first!)
    await ended
    t.mock.timers.tick(500)
    assert.equal(endNow.mock.callCount(), 0)
    source.emit(second!)
    assert.equal(endNow.mock.callCount(), 1)
  }
})

test('a Ctrl-C that arrives from both the terminal and npm counts once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const source = new EventEmitter()
  const endNow = t.mock.fn()
  const ended = endSignal(source, endNow)
  source.emit('SIGINT')
  t.mock.timers.tick(499)
  source.emit('SIGINT')
  await ended
  assert.equal(endNow.mock.callCount(), 0)
  t.mock.timers.tick(1)
  source.emit('SIGINT')
  assert.equal(endNow.mock.callCount(), 1)
})
