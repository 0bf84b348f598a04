// A request has one Host header in any case, and only HTTP/1.0 can omit it.

import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { isHostClear } from './request-head.js'

test('a request needs one Host header, except in HTTP/1.0', () => {
  const isClear = (rawHeaders: string[], httpVersionMinor = 1) =>
    isHostClear({ rawHeaders, httpVersionMinor } as IncomingMessage)
  assert.equal(isClear(['Accept', '*/*', 'HOST', 'a']), true)
  assert.equal(isClear(['x-host', 'a', 'y', 'host']), false, 'a value is not a name')
  assert.equal(isClear(['host', 'a', 'Host', 'a']), false)
  assert.equal(isClear(['host', 'a', 'date', 'b']), true, 'other names with four letters')
  assert.equal(isClear([]), false)
  assert.equal(isClear([], 0), true)
  assert.equal(isClear(['host', 'a'], 0), true)
  assert.equal(isClear(['host', 'a', 'host', 'b'], 0), false)
})
