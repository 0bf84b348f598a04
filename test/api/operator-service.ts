// A test service with an operator token, used by the tests of the operator routes.

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
  /** Sends a request to a route below /operator/v1 with the operator's token. */
  operate: (method: string, path: string, body?: unknown) => Promise<Reply>
  /** The entries of the audit log, newest first, without fields that differ between runs. */
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
