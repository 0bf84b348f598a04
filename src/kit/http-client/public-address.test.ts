// Which addresses and URLs customers may use, in every spelling that has been used to make a server contact
// itself, its neighbors, or its cloud's metadata.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkTargetUrl, isPublicAddress } from './public-address.js'

const PRIVATE_ADDRESSES = [
  // Loopback and "this host", as a resolver might spell them.
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '127.1',
  '017700000001',
  '0177.0.0.1',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '::',
  // Private, shared, and link-local IPv4.
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.0.1',
  '100.64.0.1',
  // Cloud metadata.
  '169.254.169.254',
  '0xa9fea9fe',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  // IPv4 inside IPv6.
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:a00:1',
  '::ffff:169.254.169.254',
  '::ffff:168.63.129.16',
  '::7f00:1',
  '::127.0.0.1',
  '::ffff:0:7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::7f00:1',
  '64:ff9b:1::808:808',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2001:0:53aa:64c:0:0:80ff:fffe',
  // Link-local, unique-local, site-local, multicast.
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fdff::1',
  'fec0::1',
  'ff02::1',
  '224.0.0.1',
  '239.255.255.255',
  '255.255.255.255',
  // Documentation, benchmarking, reserved, and special purpose.
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '198.18.0.1',
  '198.19.255.255',
  '240.0.0.1',
  '192.88.99.1',
  '2001:db8::1',
  '3fff::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '100::1',
  '5f00::1',
  '4000::1',
]

const PUBLIC_ADDRESSES = [
  '1.1.1.1',
  '8.8.8.8',
  '134744072',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '168.63.129.17',
  '2606:4700:4700::1111',
  '[2a00:1450:4001:81b::200e]',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
]

test('no private, reserved, or metadata address is public, in any spelling', () => {
  for (const address of PRIVATE_ADDRESSES) assert.equal(isPublicAddress(address), false, address)
})

test('ordinary addresses are public', () => {
  for (const address of PUBLIC_ADDRESSES) assert.equal(isPublicAddress(address), true, address)
})

test('invalid addresses are not public', () => {
  for (const text of ['', 'example.com', '1.2.3.4.5', '256.1.1.1', ':::', '[', '1.1.1.1/24', '٣']) {
    assert.equal(isPublicAddress(text), false, text)
  }
})

test('an IPv4 address is as public as the same address mapped into IPv6', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      assert.equal(isPublicAddress(`::ffff:${address}`), isPublicAddress(address))
    }),
  )
})

test('a URL with a private address is refused in production and allowed in the sandbox', () => {
  for (const address of PRIVATE_ADDRESSES.filter((text) => !text.includes('%'))) {
    const host = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address
    const text = `http://${host}:8080/hook`
    assert.deepEqual(
      checkTargetUrl(text, { allowPrivate: false }),
      { ok: false, problem: 'must point to a public address' },
      text,
    )
    assert.equal(checkTargetUrl(text, { allowPrivate: true }).ok, true, text)
  }
})

const PRIVATE_URLS = [
  'http://localhost/',
  'http://LOCALHOST:3000/',
  'http://localhost./',
  'http://hooks.localhost/',
  'http://127.0.0.1./',
  'http://127。0。0。1/',
  'http://①②⑦.⓪.⓪.①/',
  'http://%31%32%37.0.0.1/',
  'http://printer.local/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://router.home.arpa/',
  'http://db.localdomain/',
  'http://intranet/',
  'http://redis:8080/',
  'https://localhost?x=example.com',
  'https://localhost#example.com',
  'HTTPS://[::FFFF:7F00:1]/',
]

test('a URL whose host is private by name or after normalization is refused in production', () => {
  for (const text of PRIVATE_URLS) {
    assert.deepEqual(
      checkTargetUrl(text, { allowPrivate: false }),
      { ok: false, problem: 'must point to a public address' },
      text,
    )
  }
})

const BAD_URLS: [text: string, problem: string][] = [
  ['', 'must start with http:// or https://'],
  ['example.com/hook', 'must start with http:// or https://'],
  ['ftp://example.com/', 'must start with http:// or https://'],
  ['file:///etc/passwd', 'must start with http:// or https://'],
  ['javascript:alert(1)', 'must start with http:// or https://'],
  ['http:example.com', 'must start with http:// or https://'],
  [' http://example.com/', 'must start with http:// or https://'],
  ['http://user:secret@example.com/', 'must not contain a user name or password'],
  ['http://example.com@127.0.0.1/', 'must not contain a user name or password'],
  ['http://', 'must name a host'],
  ['http:///', 'must name a host'],
  ['http://?x', 'must name a host'],
  ['http://[fe80::1%25eth0]/', 'must not name an IPv6 zone'],
  ['http://[fe80::1%eth0]/', 'must not name an IPv6 zone'],
  ['http://example.com:0/', 'must use a port from 1 to 65535'],
  ['http://example.com:65536/', 'must use a port from 1 to 65535'],
  ['http://example.com:http/', 'is not a valid web address'],
  ['http://[::1/', 'is not a valid web address'],
  ['http://256.256.256.256/', 'is not a valid web address'],
  ['http://a..example.com/', 'must name a valid host'],
  ['http://-a.example.com/', 'must name a valid host'],
  ['http://./', 'must name a valid host'],
  [`http://${'a'.repeat(64)}.example.com/`, 'must name a valid host'],
  ['http://example.com\\@127.0.0.1/', 'must not contain spaces, control characters or backslashes'],
  ['http://example.com/a b', 'must not contain spaces, control characters or backslashes'],
  ['http://exam\tple.com/', 'must not contain spaces, control characters or backslashes'],
  ['http://example.com/\r\nX: y', 'must not contain spaces, control characters or backslashes'],
  [`http://example.com/${'a'.repeat(1982)}`, 'must be at most 2000 characters'],
]

test('a malformed URL is refused with the reason, in the sandbox too', () => {
  for (const [text, problem] of BAD_URLS) {
    assert.deepEqual(checkTargetUrl(text, { allowPrivate: true }), { ok: false, problem }, text)
  }
})

test('ports of mail, databases, and similar services are refused in production; unusual ports are not', () => {
  for (const port of [22, 25, 53, 110, 143, 3306, 5432, 6379, 11211]) {
    const text = `http://example.com:${port}/`
    assert.deepEqual(checkTargetUrl(text, { allowPrivate: false }), {
      ok: false,
      problem: `must not use port ${port}, which belongs to a service other than HTTP`,
    })
    assert.equal(checkTargetUrl(text, { allowPrivate: true }).ok, true, text)
  }
  for (const port of [1, 81, 3000, 8443, 10080, 65535]) {
    const text = `http://example.com:${port}/`
    assert.equal(checkTargetUrl(text, { allowPrivate: false }).ok, true, text)
  }
})

const GOOD_URLS: [text: string, href: string][] = [
  ['https://example.com', 'https://example.com/'],
  ['HTTPS://Example.COM:443/Hook?a=1', 'https://example.com/Hook?a=1'],
  ['https://example.com/hook#part', 'https://example.com/hook'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['https://my_hooks.example.com/', 'https://my_hooks.example.com/'],
  ['http://8.8.8.8:8080/', 'http://8.8.8.8:8080/'],
  ['http://[2606:4700:4700::1111]/', 'http://[2606:4700:4700::1111]/'],
  ['https://localhost.example.com/', 'https://localhost.example.com/'],
  [`http://example.com/${'a'.repeat(1981)}`, `http://example.com/${'a'.repeat(1981)}`],
]

test('a public URL is accepted and normalized, without its fragment', () => {
  for (const [text, href] of GOOD_URLS) {
    const check = checkTargetUrl(text, { allowPrivate: false })
    assert.equal(check.ok && check.url.href, href, text)
  }
})

test('any text gets a result', () => {
  const text = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.string().map((tail) => `http://${tail}`),
  )
  fc.assert(
    fc.property(text, (input) => {
      const check = checkTargetUrl(input, { allowPrivate: false })
      assert.ok(check.ok ? /^https?:$/.test(check.url.protocol) : check.problem.length > 0)
    }),
  )
})
