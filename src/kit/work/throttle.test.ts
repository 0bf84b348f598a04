// Which keys are passed on, and when.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Throttle } from './throttle.js'

test('a key is passed on at once, and again after an interval in which it was added', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const passed: string[] = []
  const throttle = new Throttle<string>(100, (key) => passed.push(key))
  throttle.add('a')
  throttle.add('a')
  throttle.add('a')
  throttle.add('b')
  assert.deepEqual(passed, ['a', 'b'])
  t.mock.timers.tick(100)
  assert.deepEqual(passed, ['a', 'b', 'a'])
  t.mock.timers.tick(100)
  throttle.add('b')
  assert.deepEqual(passed, ['a', 'b', 'a', 'b'])
})

test('nothing is passed on after a stop', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const passed: string[] = []
  const throttle = new Throttle<string>(100, (key) => passed.push(key))
  throttle.add('a')
  throttle.add('a')
  throttle.stop()
  t.mock.timers.tick(1_000)
  assert.deepEqual(passed, ['a'])
})
