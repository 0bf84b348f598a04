// Waits until a number, brand, or campaign has a status. The wait ends as soon as only a new request could still lead there.

import assert from 'node:assert/strict'
import { eventually, type TestService } from './harness.js'

/** Here it stays until a client sends a request about it. */
const RESTS = {
  number: ['FAILED'],
  brand: ['DRAFT', 'UNVERIFIED'],
  campaign: ['DRAFT', 'ENDED'],
}

export async function untilStatus(
  service: Pick<TestService, 'get'>,
  what: keyof typeof RESTS,
  id: string,
  status: string,
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types; the schema is checked anyway
): Promise<any> {
  return eventually(async () => {
    const found = (await service.get(`/v1/${what}/${id}`)).body[what]
    if (found?.status === status) return found
    const why = JSON.stringify(found?.reviewNotes ?? found?.statusReason)
    assert.ok(!RESTS[what].includes(found?.status), `the ${what} is ${found?.status}: ${why}`)
    return null
  }, `${what} ${status}`)
}
