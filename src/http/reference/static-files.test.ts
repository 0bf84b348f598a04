// Files that are the same for everyone: caching, compression, and limits.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { createStaticFiles, hashOf } from './static-files.js'

function stage(t: TestContext) {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const app = Fastify()
  t.after(() => app.close())
  app.setErrorHandler<Error & { status: number }>((error, _request, reply) =>
    reply.code(error.status).send({ error: error.message }),
  )
  const serve = createStaticFiles(app)
  let made = 0
  serve('/page', {
    type: 'text/html; charset=utf-8',
    make: () => {
      made += 1
      return `<p>${'hello '.repeat(100)}</p>`
    },
  })
  serve('/styled', { type: 'text/html', make: () => '<p>', isStyledInside: true })
  serve('/page-1.js', { type: 'text/javascript', make: () => Buffer.from('1'), isForever: true })
  const get = (url: string, headers: Record<string, string> = {}, remoteAddress = '192.0.2.1') =>
    app.inject({ url, headers, remoteAddress })
  return {
    get,
    made: () => made,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

test('a file is built once, has security headers, and is revalidated unless its name contains a hash', async (t) => {
  const { get, made } = stage(t)
  const { headers, body } = await get('/page')
  assert.equal(body.length, 607)
  const safe = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
    etag: `"${hashOf(body)}"`,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  }
  assert.deepEqual({ ...headers, ...safe }, headers)
  assert.equal((await get('/page')).statusCode, 200)
  assert.equal(made(), 1)
  const policy = String((await get('/styled')).headers['content-security-policy'])
  const strict = safe['content-security-policy']
  assert.equal(policy, strict.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"))
  const script = await get('/page-1.js')
  assert.equal(script.headers['cache-control'], 'public, max-age=31536000, immutable')
})

test('the best compression that the client supports is used', async (t) => {
  const { get } = stage(t)
  for (const [accepted, encoding] of [
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['gzip, br', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.0,gzip ;q=0', undefined],
    ['br;q=0.5', 'br'],
    ['x-gzip2, xbr', undefined],
  ] as const) {
    const { headers } = await get('/page', { 'accept-encoding': accepted })
    assert.equal(headers['content-encoding'], encoding, accepted)
  }
  const { rawPayload } = await get('/page', { 'accept-encoding': 'gzip' })
  assert.equal(gunzipSync(rawPayload).length, 607)
})

test('a client that has the current file gets 304, and one with another version gets the file', async (t) => {
  const { get } = stage(t)
  const etag = String((await get('/page')).headers.etag)
  assert.match(etag, /^"[\w-]{16}"$/)
  const again = await get('/page', { 'if-none-match': `"other", W/${etag}` })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
  assert.equal((await get('/page', { 'if-none-match': '"other"' })).statusCode, 200)
})

test('no other path leads to a file, however it is written', async (t) => {
  const { get } = stage(t)
  for (const url of [
    '/page/',
    '/page/../package.json',
    '/%2e%2e/package.json',
    '/..%2fpackage.json',
    '/page%00',
    '//page',
  ]) {
    const { statusCode } = await get(url)
    assert.equal(statusCode, 404, url)
  }
})

test('an address gets a burst of a thousand files and fifty a second, and others have their own', async (t) => {
  const { get, pass } = stage(t)
  for (let i = 0; i < 1_000; i += 1) assert.equal((await get('/page-1.js')).statusCode, 200)
  const refused = await get('/page-1.js')
  assert.equal(refused.statusCode, 429)
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal(refused.headers['ratelimit-limit'], '1000')
  assert.equal((await get('/page-1.js', {}, '192.0.2.2')).statusCode, 200)
  pass(20)
  assert.equal((await get('/page-1.js')).statusCode, 200)
  assert.equal((await get('/page-1.js')).statusCode, 429)
})
