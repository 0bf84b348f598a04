// What every route returns for an invalid request that never reaches its handler: the error fields of the
// route, the right status, and a stable code.

import assert from 'node:assert/strict'
import { SCOPES, type Scope } from '../../src/kit/contract/operation.js'
import type { Json, TestService } from '../harness.js'

export interface Endpoint {
  method: string
  url: string
  /** The fields of an error reply besides `error`. */
  failure: Json
  scope: Scope
  takesBody?: boolean
}

export async function assertFailureShapes(service: TestService, endpoint: Endpoint): Promise<void> {
  const { method, url, failure, scope } = endpoint
  const body = endpoint.takesBody ? {} : undefined
  const expectFailure = async (
    status: number,
    code: string,
    sent: unknown,
    options: Parameters<TestService['call']>[3],
  ) => {
    const reply = await service.call(method, url, sent, options)
    const { error, details, ...rest } = reply.body
    assert.equal(reply.status, status, `${method} ${url} ${code}`)
    assert.deepEqual(rest, { ...failure, code }, `${method} ${url} ${code}`)
    assert.equal(typeof error, 'string')
  }

  const others = SCOPES.filter((known) => known !== scope)
  await expectFailure(401, 'token_absent', body, { token: null })
  await expectFailure(401, 'token_unknown', body, { token: `lc_${'x'.repeat(43)}` })
  await expectFailure(403, 'scope_absent', body, { token: await service.tokenWith(others) })
  if (!endpoint.takesBody) return
  const json = { 'content-type': 'application/json' }
  await expectFailure(400, 'json_broken', '{"a":', { headers: json })
  await expectFailure(400, 'body_invalid', '[]', { headers: json })
  await expectFailure(415, 'not_json', 'a=b', { headers: { 'content-type': 'text/plain' } })
}
