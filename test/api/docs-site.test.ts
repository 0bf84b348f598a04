// The documentation site as the service serves it: every file with its type and a policy without inline scripts or
// styles, nothing outside its folder, and the API reference in its place while it is not built.

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { useOpenApi } from '../../src/http/reference/openapi.js'
import { useReference } from '../../src/http/reference/reference-pages.js'
import { temporaryFolder } from '../commands/run-command.js'
import { testService } from '../harness.js'

const POLICY = /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'$/

test('pages, their Markdown, and llms.txt are served with their types and without inline code', async (t) => {
  const { app } = await testService(t)
  const types: Record<string, RegExp> = {
    '/docs': /^text\/html/,
    '/docs/': /^text\/html/,
    '/docs/webhooks': /^text\/html/,
    '/docs/webhooks/': /^text\/html/,
    '/docs/carriers/telnyx': /^text\/html/,
    '/docs/errors': /^text\/html/,
    '/docs/settings': /^text\/html/,
    '/docs/webhooks.md': /^text\/markdown/,
    '/docs/index.md': /^text\/markdown/,
    '/docs/api.md': /^text\/markdown/,
    '/docs/llms.txt': /^text\/plain/,
    '/llms.txt': /^text\/plain/,
    '/docs/pictures/trace.svg': /^image\/svg\+xml/,
    '/docs/files/carriers.example.yaml.txt': /^text\/plain/,
  }
  for (const [url, type] of Object.entries(types)) {
    const { statusCode, headers, body } = await app.inject({ url })
    assert.equal(statusCode, 200, url)
    assert.match(String(headers['content-type']), type, url)
    assert.match(String(headers['content-security-policy']), POLICY, url)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    if (!type.test('text/html')) continue
    assert.doesNotMatch(body, /<script(?![^>]* src="\/docs\/assets\/)|<style| style=| on\w+="/, url)
    assert.doesNotMatch(body, /<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?\/\//, url)
  }
})

test('assets are cached for good, and pages are revalidated', async (t) => {
  const { app } = await testService(t)
  const page = await app.inject({ url: '/docs' })
  assert.equal(page.headers['cache-control'], 'no-cache')
  const assets = page.body.match(/\/docs\/assets\/[\w.-]+/g) ?? []
  assert.ok(assets.length >= 4, assets.join(', '))
  for (const url of assets) {
    const { statusCode, headers } = await app.inject({ url })
    assert.equal(statusCode, 200, url)
    assert.match(String(headers['cache-control']), /immutable/)
  }
})

test('an unknown page is 404, and nothing outside the folder can be requested', async (t) => {
  const { app } = await testService(t)
  for (const url of [
    '/docs/nothing',
    '/docs/../package.json',
    '/docs/..%2f..%2fpackage.json',
    '/docs/%2e%2e/%2e%2e/package.json',
    '/docs/assets/../../main.js',
    '/docs/.inputs',
    '/docs/__proto__',
  ]) {
    const { statusCode, body } = await app.inject({ url })
    assert.equal(statusCode, 404, url)
    assert.doesNotMatch(body, /"dependencies"/)
  }
  const { body } = await app.inject({ url: '/docs/nothing' })
  assert.match(body, /<h1>Page not found<\/h1>/)
})

/** The pages with the site in another folder. */
async function pagesWith(t: TestContext, folder: string) {
  const app = Fastify()
  t.after(() => app.close())
  await useOpenApi(app)
  useReference(app, folder)
  return app
}

test('while the site is not built, its address shows the API reference and how to build it', async (t) => {
  const app = await pagesWith(t, temporaryFolder(t))
  const { statusCode, body } = await app.inject({ url: '/docs' })
  assert.equal(statusCode, 200)
  assert.match(body, /The documentation site is not built\. Run npm run docs\./)
  assert.match(body, /<h1>Longcode API<\/h1>/)
  assert.match((await app.inject({ url: '/docs/errors' })).body, /<section id="body_invalid">/)
  const reference = await app.inject({ url: '/docs/api' })
  assert.doesNotMatch(reference.body, /not built/)
})

test('files that are not part of a site are not served from its folder', async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(path.join(folder, 'sub'))
  for (const name of ['index.html', '404.html', 'sub/page.html', 'secret.env', 'sub/key.pem']) {
    writeFileSync(path.join(folder, name), name)
  }
  const app = await pagesWith(t, folder)
  const statusOf = async (url: string) => (await app.inject({ url })).statusCode
  assert.equal(await statusOf('/docs/sub/page'), 200)
  assert.equal(await statusOf('/docs/sub/page.html'), 200)
  assert.equal(await statusOf('/docs/secret.env'), 404)
  assert.equal(await statusOf('/docs/sub/key.pem'), 404)
})
