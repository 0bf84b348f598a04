// The traceparent header.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  formatTraceparent,
  newSpanId,
  newTraceId,
  parseTraceparent,
  spanIdOf,
} from './trace-context.js'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test('a valid traceparent is read, and written in the same form', () => {
  const context = { traceId: TRACE, spanId: SPAN, isSampled: true }
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-01`), context)
  assert.equal(formatTraceparent(context), `00-${TRACE}-${SPAN}-01`)
  assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-00`)?.isSampled, false)
  assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-03`)?.isSampled, true)
  assert.deepEqual(parseTraceparent(`cc-${TRACE}-${SPAN}-01-later`), context)
})

test('a malformed traceparent counts as missing', () => {
  for (const text of [
    undefined,
    '',
    TRACE,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01${' '.repeat(300)}`,
  ]) {
    assert.equal(parseTraceparent(text), null, String(text))
  }
})

test('new IDs differ, and a named span has the same ID everywhere', () => {
  assert.match(newTraceId(), /^[0-9a-f]{32}$/)
  assert.notEqual(newSpanId(), newSpanId())
  assert.equal(spanIdOf('msg_1 dispatch 1'), spanIdOf('msg_1 dispatch 1'))
  assert.notEqual(spanIdOf('msg_1 dispatch 1'), spanIdOf('msg_1 dispatch 2'))
})
