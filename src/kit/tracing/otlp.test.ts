// Spans as OTLP.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeSpans } from './otlp.js'

test('a span is encoded as OTLP JSON, with times in nanoseconds and typed attributes', () => {
  const span = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    parentSpanId: 'c'.repeat(16),
    name: 'carrier submit',
    kind: 'client' as const,
    startMs: 1_794_000_000_000.25,
    endMs: 1_794_000_000_010,
    attributes: { link: 'acme', attempt: 2, share: 0.5, isLast: true, none: null },
    error: 'throttled',
  }
  const { resourceSpans } = JSON.parse(encodeSpans([span], { 'service.name': 'longcode' }))
  assert.deepEqual(resourceSpans[0].resource.attributes, [
    { key: 'service.name', value: { stringValue: 'longcode' } },
  ])
  assert.deepEqual(resourceSpans[0].scopeSpans[0].spans, [
    {
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId,
      name: 'carrier submit',
      kind: 3,
      startTimeUnixNano: '1794000000000250000',
      endTimeUnixNano: '1794000000010000000',
      attributes: [
        { key: 'link', value: { stringValue: 'acme' } },
        { key: 'attempt', value: { intValue: '2' } },
        { key: 'share', value: { doubleValue: 0.5 } },
        { key: 'isLast', value: { boolValue: true } },
      ],
      status: { code: 2, message: 'throttled' },
    },
  ])
})
