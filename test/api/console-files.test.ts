// GET /console and everything below it: the page and its files, with headers that block all other sources.

import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import Fastify from 'fastify'
import { useConsole } from '../../src/http/console/console-files.js'
import { testService } from '../harness.js'

test('every console address returns the same page, and the files it loads exist', async (t) => {
  const { app } = await testService(t)
  const page = await app.inject({ url: '/console/' })
  assert.equal(page.statusCode, 200)
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(page.headers['cache-control'], 'no-cache')
  for (const url of ['/console', '/console/messages/msg_1', '/console/sign-in?next=/start']) {
    assert.equal((await app.inject({ url })).body, page.body, url)
  }
  const files = [...page.body.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, url]) => url!)
  assert.ok(files.length >= 3, 'theme, script, and style')
  for (const url of files) {
    const file = await app.inject({ url, headers: { 'accept-encoding': 'br' } })
    assert.deepEqual([file.statusCode, file.headers['content-encoding']], [200, 'br'], url)
    const isForever = /immutable/.test(String(file.headers['cache-control']))
    assert.equal(isForever, url.startsWith('/console/assets/'), url)
  }
})

test('the page can load and request only resources of this service', async (t) => {
  const { app } = await testService(t)
  const { headers, body } = await app.inject({ url: '/console/' })
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
  assert.match(policy, /connect-src 'self'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  assert.doesNotMatch(
    body,
    /<script(?![^>]* src=)|style=/,
    'the page has no inline script or style',
  )
})

test('a service without a built console explains how to build it', async () => {
  const app = Fastify()
  useConsole(app, await mkdtemp(path.join(tmpdir(), 'longcode-')))
  const { statusCode, body } = await app.inject({ url: '/console/' })
  assert.deepEqual([statusCode, body], [404, 'The console is not built. Run npm run build.\n'])
})
