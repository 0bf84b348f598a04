// What an operator's allow list permits, and what needs the exact address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAllowList } from './allow-list.js'
import { checkTargetUrl } from './http-client/public-address.js'

function allow(...items: string[]) {
  const list = readAllowList(items)
  assert.ok(list, items.join())
  return list
}

test('a network allows its addresses, in every spelling, and no others', () => {
  const list = allow('10.1.0.0/16', 'fd12:3456::/32')
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::a01:203', 'fd12:3456::1']) {
    assert.equal(list.hasAddress('example.com', address), true, address)
  }
  for (const address of ['10.2.0.1', '127.0.0.1', '::1', 'fd12:3457::1', 'fe80::1%eth0', '']) {
    assert.equal(list.hasAddress('example.com', address), false, address)
  }
})

test('a listed host may have any private address, and other hosts may not', () => {
  const list = allow('Hooks.Internal', 'receiver')
  assert.equal(list.hasHost('hooks.internal'), true)
  assert.equal(list.hasHost('hooks.internal.'), true)
  assert.equal(list.hasHost('evil.hooks.internal'), false)
  for (const address of ['10.0.0.1', '127.0.0.1', 'fd00::1']) {
    assert.equal(list.hasAddress('receiver', address), true, address)
    assert.equal(list.hasAddress('example.com', address), false, address)
  }
})

test('metadata addresses of clouds are reachable only if listed themselves', () => {
  const addresses = [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '169.254.170.2',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    'fe80::1',
  ]
  const wide = allow('0.0.0.0/0', '::/0', '169.254.0.0/16', 'metadata.google.internal')
  const named = allow(...addresses)
  for (const address of addresses) {
    assert.equal(wide.hasAddress('metadata.google.internal', address), false, address)
    assert.equal(named.hasAddress(address, address), true, address)
  }
})

test('a URL is checked against the list: names by name, addresses by network', () => {
  const list = allow('10.0.0.0/8', 'hooks.internal', '127.0.0.1', '::1')
  const isOk = (url: string) => checkTargetUrl(url, { allowPrivate: false, allow: list }).ok
  for (const url of [
    'http://10.9.8.7:8080/',
    'http://0x0a.1/',
    'http://hooks.internal/x',
    'http://HOOKS.internal./',
    'http://127.0.0.1:3000/',
    'http://2130706433/',
    'http://[::1]:3000/',
    'https://example.com/',
  ]) {
    assert.equal(isOk(url), true, url)
  }
  for (const url of [
    'http://127.0.0.2/',
    'http://localhost/',
    'http://other.internal/',
    'http://redis/',
    'http://192.168.0.1/',
    'http://169.254.169.254/',
    'http://10.0.0.1:5432/',
    'http://hooks.internal:25/',
  ]) {
    assert.equal(isOk(url), false, url)
  }
})

test('an invalid host, address, or network is refused', () => {
  for (const item of [
    '',
    'a b',
    '10.0.0.0/33',
    '10.0.0/8',
    'x/8',
    'http://a',
    'host:80',
    '*.a',
    '300.1.1.1',
  ]) {
    assert.equal(readAllowList([item]), null, item)
  }
})
