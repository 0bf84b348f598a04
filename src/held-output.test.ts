// The log around the start banner.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdOutput } from './held-output.js'

test('lines are held until the release, then written in order and at once', () => {
  const written: string[] = []
  const held = holdOutput({ write: (text) => written.push(text) })
  held.write('1\n')
  held.write('2\n')
  assert.deepEqual(written, [])
  held.release()
  held.release()
  held.write('3\n')
  assert.deepEqual(written, ['1\n2\n', '3\n'])
})

test('a slow start shows its log after five seconds', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const written: string[] = []
  holdOutput({ write: (text) => written.push(text) }).write('waiting\n')
  t.mock.timers.tick(5_000)
  assert.deepEqual(written, ['waiting\n'])
})

test('a process that ends shows what was held', () => {
  const last: string[] = []
  const held = holdOutput({ write: () => assert.fail('too late') }, (text) => last.push(text))
  held.write('cannot start\n')
  const ended = process.listeners('exit').at(-1) as () => void
  ended()
  assert.deepEqual(last, ['cannot start\n'])
})
