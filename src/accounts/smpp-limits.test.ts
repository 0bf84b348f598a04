// The addresses that a system ID may bind from.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayBindFrom, readNetwork } from './smpp-limits.js'

test('addresses and networks are accepted, and nothing else', () => {
  assert.deepEqual(readNetwork('192.0.2.7'), { address: '192.0.2.7', bits: 32 })
  assert.deepEqual(readNetwork(' 192.0.2.0/24 '), { address: '192.0.2.0', bits: 24 })
  assert.deepEqual(readNetwork('2001:db8::/32'), { address: '2001:db8::', bits: 32 })
  for (const text of ['', 'example.com', '192.0.2', '192.0.2.0/33', '192.0.2.0/', '1.2.3.4/8/8']) {
    assert.equal(readNetwork(text), null, text)
  }
})

test('an address matches a network of its family, including IPv4 in IPv6', () => {
  const allowed = ['192.0.2.0/24', '2001:db8::1']
  for (const address of ['192.0.2.200', '::ffff:192.0.2.200', '2001:db8::1']) {
    assert.ok(mayBindFrom(allowed, address), address)
  }
  for (const address of ['192.0.3.1', '::ffff:192.0.3.1', '2001:db8::2', '']) {
    assert.ok(!mayBindFrom(allowed, address), address)
  }
  assert.ok(mayBindFrom(null, '203.0.113.1'))
  assert.ok(!mayBindFrom([], '203.0.113.1'))
})
