// The API reference in a browser: three documents, on pages that load nothing from elsewhere, run only scripts
// of this service, are compressed, and are cached.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { testService } from '../harness.js'

const DOCUMENTS = ['/openapi.json', '/openapi.operator.json', '/openapi.sandbox.json']
const PAGES = ['/docs', '/docs/api', '/docs/operator', '/docs/sandbox', '/docs/errors']
const FILES = [...PAGES, ...DOCUMENTS, '/favicon.svg']

test('pages run only scripts of this service and cannot be framed', async (t) => {
  const { app } = await testService(t)
  const front = await app.inject({ url: '/' })
  assert.deepEqual([front.statusCode, front.headers.location], [302, '/console/'])
  const icon = await app.inject({ url: '/favicon.svg' })
  assert.match(String(icon.headers['content-type']), /^image\/svg\+xml/)
  for (const url of PAGES) {
    const { statusCode, headers, body } = await app.inject({ url })
    assert.equal(statusCode, 200, url)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'; script-src 'self';/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.doesNotMatch(
      body,
      /(?:src|href)="(?:https?:)?\/\//,
      'nothing is loaded from other hosts',
    )
    assert.doesNotMatch(body, /<script(?![^>]*src="\/docs\/)/, 'the page has no inline script')
  }
})

test('a page lists every operation before its script loads', async (t) => {
  const { app } = await testService(t)
  const { body } = await app.inject({ url: '/docs/api' })
  assert.match(body, /POST \/v1\/message\/send<\/code> Send an SMS or MMS/)
  assert.doesNotMatch(body, /\/operator\/v1|\/sandbox\/clock/)
  for (const page of PAGES.filter((one) => one !== '/docs/api'))
    assert.ok(body.includes(`<a href="${page}">`), page)
  const sandbox = await app.inject({ url: '/docs/sandbox' })
  assert.match(sandbox.body, /POST \/sandbox\/clock\/advance/)
  const operators = await app.inject({ url: '/docs/operator' })
  assert.match(operators.body, /For the people who run the service/)
  assert.match(operators.body, /POST \/operator\/v1\/account\/create/)
  assert.doesNotMatch(operators.body, /\/v1\/message\/send/)
})

test('each operation is in one of three documents, by audience', async (t) => {
  const { app } = await testService(t)
  const pathsOf = async (url: string) =>
    Object.keys((await app.inject({ url })).json().paths as object)
  const [customer, operator, sandbox] = await Promise.all(DOCUMENTS.map(pathsOf))
  assert.ok(customer!.includes('/v1/message/send'))
  assert.ok(customer!.every((path) => path.startsWith('/v1/')))
  assert.ok(operator!.every((path) => /^\/(?:operator|console|healthz|readyz)\b/.test(path)))
  assert.ok(sandbox!.every((path) => path.startsWith('/sandbox/')))
  const all = Object.keys((app.swagger() as unknown as { paths: object }).paths)
  assert.deepEqual([...customer!, ...operator!, ...sandbox!].sort(), all.sort())
  const old = await app.inject({ url: '/operator/openapi.json' })
  assert.deepEqual([old.statusCode, old.headers.location], [302, '/openapi.operator.json'])
})

test('static files are compressed, and a client with a current copy gets 304', async (t) => {
  const { app } = await testService(t)
  const page = (await app.inject({ url: '/docs/api' })).body
  const scripts = [...page.matchAll(/src="(\/docs\/[^"]+)"/g)].map(([, src]) => src!)
  assert.equal(scripts.length, 2)
  for (const url of [...FILES, ...scripts]) {
    const plain = await app.inject({ url })
    const ask = (accepted: string) => app.inject({ url, headers: { 'accept-encoding': accepted } })
    const br = await ask('gzip, deflate, br')
    assert.equal(br.headers['content-encoding'], 'br', url)
    assert.deepEqual(brotliDecompressSync(br.rawPayload), plain.rawPayload)
    const gzip = await ask('gzip, br;q=0')
    assert.equal(gzip.headers['content-encoding'], 'gzip', url)
    assert.deepEqual(gunzipSync(gzip.rawPayload), plain.rawPayload)
    const again = await app.inject({
      url,
      headers: { 'if-none-match': String(plain.headers.etag) },
    })
    assert.equal(again.statusCode, 304, url)
    assert.equal(again.body, '')
  }
  const bundle = await app.inject({ url: scripts[0]!, headers: { 'accept-encoding': 'br' } })
  assert.match(String(bundle.headers['cache-control']), /immutable/)
})

test('a client that requests too many pages is rate limited', async (t) => {
  const { app } = await testService(t)
  const ask = () => app.inject({ url: '/favicon.svg' })
  const replies = await Promise.all(Array.from({ length: 3_000 }, ask))
  const refused = replies.find(({ statusCode }) => statusCode !== 200)
  assert.ok(refused, 'some of three thousand concurrent requests are refused')
  assert.equal(refused.statusCode, 429)
  assert.equal(refused.json().code, 'rate_limited')
  assert.ok(Number(refused.headers['retry-after']) >= 1)
  const other = await app.inject({ url: '/favicon.svg', remoteAddress: '203.0.113.9' })
  assert.equal(other.statusCode, 200, 'other clients are not affected')
})
