// The signals that end a process: the first, its echo through npm, and a second one.

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { endSignal } from './end-signal.js'

test('the first signal asks for an orderly end, a second one for the end at once', async (t) => {
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

test('one Ctrl-C that arrives twice, from the terminal and from npm, is one', async (t) => {
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
