// Parsing server-sent events from arbitrary network chunks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventLines } from './event-lines.js'

const TEXT = 'retry: 1000\n: now 12:00\n\nid: evt_1\nevent: message.status\ndata: {"a":1}\n\n'

test('an event is complete at its empty line, wherever the network splits the text', () => {
  for (let cut = 0; cut <= TEXT.length; cut += 1) {
    const lines = new EventLines()
    const events = [...lines.push(TEXT.slice(0, cut)), ...lines.push(TEXT.slice(cut))]
    assert.deepEqual(events, [{ id: 'evt_1', type: 'message.status', data: '{"a":1}' }])
  }
})

test('the parser skips heartbeats, joins multi-line data, and accepts carriage returns', () => {
  const lines = new EventLines()
  assert.deepEqual(lines.push(': now\n\n: now\n\n'), [])
  assert.deepEqual(lines.push('data: a\r\ndata:b\r\n\r\n'), [
    { id: '', type: 'message', data: 'a\nb' },
  ])
})
