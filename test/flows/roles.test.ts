// A process serves over HTTP what belongs to its roles.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Role } from '../../src/kit/config.js'
import { openLog } from '../../src/kit/log.js'
import { startService } from '../../src/serve.js'
import { cloneDatabase, testConfig } from '../harness.js'

const OPERATOR = 'operator-token-of-the-roles-test'
const PATHS = [
  '/',
  '/v1/account',
  '/v1/message/send',
  '/operator/v1/account/list',
  '/sandbox/clock',
  '/console/',
  '/docs',
  '/openapi.json',
  '/media/med_x',
]
const SENTENCE =
  'This process does not serve the API: it runs without the `api` role (LONGCODE_ROLES).'

/** A process with only these roles, behind a real port. */
async function node(t: TestContext, roles: readonly Role[]) {
  const { url, drop } = await cloneDatabase()
  const config = { ...testConfig({ env: { LONGCODE_OPERATOR_TOKEN: OPERATOR } }), roles }
  const service = await startService(config, url, openLog('silent'))
  t.after(() => service.stop().then(drop))
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  return async (path: string, method = 'GET') => {
    const headers = { authorization: `Bearer ${OPERATOR}` }
    const response = await fetch(`${address}${path}`, { method, headers, redirect: 'manual' })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, body: isJson ? JSON.parse(text) : {} }
  }
}

for (const role of ['schedule', 'deliver', 'dispatch', 'voice'] as const) {
  test(`a node with only the ${role} role reports that it has no API, and is alive and ready`, async (t) => {
    const ask = await node(t, [role])
    for (const path of PATHS) {
      for (const method of ['GET', 'POST']) {
        const { status, body } = await ask(path, method)
        assert.deepEqual([status, body.code, body.error], [404, 'path_unknown', SENTENCE], path)
      }
    }
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      assert.equal((await ask(path)).status, 200, path)
    }
    assert.equal((await ask('/healthz', 'POST')).status, 405)
  })
}

test('carrier callbacks are handled by nodes with dispatch or api, and by no others', async (t) => {
  const unknownLink = 'No such path'
  for (const [role, sentence] of [
    ['dispatch', unknownLink],
    ['api', unknownLink],
    ['schedule', SENTENCE],
  ] as const) {
    const ask = await node(t, [role])
    const { status, body } = await ask('/carrier/nobody/receipts', 'POST')
    assert.deepEqual([status, body.error], [404, sentence], role)
  }
})

test('a node with the api role serves everything', async (t) => {
  const ask = await node(t, ['api'])
  for (const path of PATHS) {
    const { body } = await ask(path)
    assert.notEqual(body.code, 'path_unknown', path)
  }
})
