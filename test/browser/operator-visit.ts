// An operator session: a service whose reviews are decided by people, with the operator signed in.

import type { TestContext } from 'node:test'
import { OPERATOR_TOKEN } from '../api/operator-service.js'
import type { Reply } from '../harness.js'
import { type Visit, visit } from './browser.js'

export interface OperatorVisit extends Visit {
  /** Signs in with the operator token, as a person would, and opens a path. */
  openOperatorPage: (place: string) => Promise<void>
  /** A request by another operator. */
  operate: (method: string, path: string, body?: unknown) => Promise<Reply>
}

export async function operatorVisit(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<OperatorVisit | null> {
  const visited = await visit(t, {
    env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN, LONGCODE_REGISTRY: 'manual', ...env },
  })
  if (!visited) return null
  const { page, url, service } = visited
  return {
    ...visited,
    openOperatorPage: async (place) => {
      await page.goto(`${url}operator/${place}`)
      await page.getByLabel('Access token').fill(OPERATOR_TOKEN)
      await page.keyboard.press('Enter')
      await page.getByRole('banner').getByText('Operator', { exact: true }).waitFor()
    },
    operate: (method, path, body) =>
      service.call(method, `/operator/v1${path}`, body, { token: OPERATOR_TOKEN }),
  }
}
