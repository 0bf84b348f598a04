// Connections over a limit are refused, and a connection that ends frees its place.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionGate } from './connection-gate.js'

test('a process admits connections up to its limit, and again when one ends', () => {
  const gate = new ConnectionGate({ max: 2, perAddress: 0, trusted: [] })
  assert.equal(gate.admit('192.0.2.1'), null)
  assert.equal(gate.admit('192.0.2.2'), null)
  assert.equal(gate.admit('192.0.2.3'), 'connections_exhausted')
  gate.release('192.0.2.1')
  assert.equal(gate.admit('192.0.2.3'), null)
  assert.equal(gate.open, 2)
})

test('one address cannot use up the connections of others', () => {
  const gate = new ConnectionGate({ max: 10, perAddress: 2, trusted: [] })
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1']) assert.equal(gate.admit(address), null)
  assert.equal(gate.admit('192.0.2.1'), 'connections_per_address')
  assert.equal(gate.admit('192.0.2.2'), null)
  gate.release('::ffff:192.0.2.1')
  assert.equal(gate.admit('192.0.2.1'), null)
})

test('addresses in the same IPv6 /64 network count as one', () => {
  const gate = new ConnectionGate({ max: 0, perAddress: 2, trusted: [] })
  assert.equal(gate.admit('2001:db8:0:1::1'), null)
  assert.equal(gate.admit('2001:db8:0:1:ffff::2'), null)
  assert.equal(gate.admit('2001:db8:0:1::3'), 'connections_per_address')
  assert.equal(gate.admit('2001:db8:0:2::1'), null)
})

test('a trusted proxy is limited only by the process limit, not by its address', () => {
  const trusted = ['loopback', '10.0.0.0/8', '2001:db8::5']
  const gate = new ConnectionGate({ max: 5, perAddress: 1, trusted })
  for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '10.1.2.3', '10.1.2.3']) {
    assert.equal(gate.admit(address), null, address)
  }
  assert.equal(gate.admit('2001:db8::5'), null)
  assert.equal(gate.admit('10.1.2.3'), 'connections_exhausted')
})

test('zero means no limit', () => {
  const gate = new ConnectionGate({ max: 0, perAddress: 0, trusted: [] })
  for (let i = 0; i < 1_000; i += 1) assert.equal(gate.admit('192.0.2.1'), null)
})
