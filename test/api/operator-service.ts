// A service with an operator: what the tests of the operator's routes start from.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import {
  type Json,
  type Reply,
  type TestOptions,
  type TestService,
  testService,
} from '../harness.js'

export const OPERATOR_TOKEN = 'lco_the-token-of-the-environment'

export interface OperatedService extends TestService {
  /** Calls a route below /operator/v1 with the operator's token. */
  operate: (method: string, path: string, body?: unknown) => Promise<Reply>
  /** The entries of the audit log, newest first, without what differs from run to run. */
  audit: (query?: string) => Promise<Json[]>
}

export async function operatedService(
  t: TestContext,
  options: TestOptions = {},
): Promise<OperatedService> {
  const env = { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN, ...options.env }
  const service = await testService(t, { ...options, env })
  const operate = (method: string, path: string, body?: unknown) =>
    service.call(method, `/operator/v1${path}`, body, { token: OPERATOR_TOKEN })
  return {
    ...service,
    operate,
    audit: async (query = '') => {
      const { status, body } = await operate('GET', `/audit/list?limit=100${query}`)
      assert.equal(status, 200)
      return body.acts.map(({ act, accountId, subject, before, after }: Json) => ({
        act,
        accountId,
        subject,
        before,
        after,
      }))
    },
  }
}

/** What every route of the operator owes to those who get it wrong before its code is reached. */
export async function assertOperatorFailures(
  service: OperatedService,
  route: { method: string; path: string; failure: Json; takesBody?: boolean },
): Promise<void> {
  const { method, path, failure, takesBody = false } = route
  const url = `/operator/v1${path}`
  const expect = async (
    code: string,
    status: number,
    body: unknown,
    options: Parameters<TestService['call']>[3],
  ) => {
    const reply = await service.call(method, url, body, options)
    const { error, details, ...rest } = reply.body
    assert.equal(reply.status, status, `${method} ${url} ${code}`)
    assert.deepEqual(rest, { ...failure, code }, `${method} ${url} ${code}`)
    assert.equal(typeof error, 'string')
  }
  const body = takesBody ? {} : undefined
  await expect('token_absent', 401, body, { token: null })
  await expect('token_unknown', 401, body, { token: service.token })
  await expect('token_unknown', 401, body, { token: `lco_${'x'.repeat(43)}` })
  if (!takesBody) return
  const json = { 'content-type': 'application/json' }
  await expect('json_broken', 400, '{"a":', { token: OPERATOR_TOKEN, headers: json })
  await expect('body_invalid', 400, '[]', { token: OPERATOR_TOKEN, headers: json })
  const text = { 'content-type': 'text/plain' }
  await expect('not_json', 415, 'a=b', { token: OPERATOR_TOKEN, headers: text })
}
