// Only trusted proxies are believed, from the nearest to the first that is not trusted.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { createAddressOf } from './client-address.js'

const from = (remoteAddress: string) => ({ remoteAddress }) as Socket

test('without trusted proxies, the address is that of the connection', () => {
  const addressOf = createAddressOf([])
  assert.equal(addressOf(from('203.0.113.5'), { 'x-forwarded-for': '198.51.100.7' }), '203.0.113.5')
})

test('a trusted proxy is believed, and nobody else is', () => {
  const addressOf = createAddressOf(['loopback', '10.0.0.0/8'])
  const cases: [string, string | undefined, string][] = [
    ['127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['::ffff:127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['127.0.0.1', '203.0.113.9, 198.51.100.7, 10.1.2.3', '198.51.100.7'],
    ['203.0.113.5', '198.51.100.7', '203.0.113.5'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['10.0.0.1', '10.0.0.2', '10.0.0.2'],
  ]
  for (const [peer, forwarded, expected] of cases) {
    assert.equal(
      addressOf(from(peer), { 'x-forwarded-for': forwarded }),
      expected,
      `${peer} ${forwarded}`,
    )
  }
})
