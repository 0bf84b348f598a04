// A service without work rests. A loop that reports work when it did none starts its next step at once, forever: nothing
// fails, but it takes a core and the database's time. The test counts how often each statement runs.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '../../src/kit/config.js'
import { boundCustomer, smppToken } from '../bound-customer.js'
import { eventually, type TestService } from '../harness.js'
import { providerService } from '../providers/provider-service.js'
import { type Sending, sendingService } from '../sending.js'
import { createWebhook, webhookReceiver } from './webhook-receiver.js'

const ROLES: readonly Role[] = ['api', 'dispatch', 'deliver', 'schedule', 'voice']
const WATCH_MS = 3_000
/** The most frequent poll of a resting service is far below. A loop that does not rest is far above. */
const RUNS_MAX = 60

/** How often each statement ran during a while, if more often than a resting service would. */
async function watchStatements({ world: { db } }: TestService): Promise<string[]> {
  const counts = new Map<string, number>()
  for (const store of [db, db.patient]) {
    const { query } = store
    store.query = (statement) => {
      counts.set(statement.text, (counts.get(statement.text) ?? 0) + 1)
      return query.call(store, statement) as never
    }
  }
  await sleep(WATCH_MS)
  assert.ok(counts.size > 10, 'the loops are running')
  return [...counts]
    .filter(([, count]) => count > RUNS_MAX)
    .map(([text, count]) => `${count} times: ${text.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
}

/** Everything that loops look after: messages, deliveries, a bound customer, a call target, days that are over. */
async function useEverything(t: TestContext, sending: Sending): Promise<void> {
  const { service, send, until, inbound, number, campaignId, advance } = sending
  const receiver = await webhookReceiver(t)
  await createWebhook(service, campaignId, receiver.url)
  await service.call('PATCH', `/v1/number/${number}/forwarding`, { forwardNumber: '+12125550199' })
  const customer = await boundCustomer(t, service, await smppToken(service))
  await until(await send(), 'DELIVERED')
  await inbound('+14155550107', 'An answer')
  await eventually(async () => customer.texts().length === 1, 'the answer over SMPP')
  await eventually(async () => receiver.received.length > 1, 'a webhook')
  await advance(3 * 24 * 3600)
  await until(await send(), 'DELIVERED')
}

test('a service that has done all its work rests', async (t) => {
  const env = { LONGCODE_SMPP_PORT: '0', LONGCODE_SIP_PORT: '0' }
  const sending = await sendingService(t, { roles: ROLES, env })
  await useEverything(t, sending)
  assert.deepEqual(await watchStatements(sending.service), [])
})

test('a service with a provider’s link rests, too', async (t) => {
  const { service, send, until } = await providerService(t, 'telnyx', '', undefined, ROLES)
  await until(await send(), 'DELIVERED')
  assert.deepEqual(await watchStatements(service), [])
})
