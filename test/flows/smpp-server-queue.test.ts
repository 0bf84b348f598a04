// What waits for an SMPP customer: receipts for its submits, and inbound messages. Messages that the account sends
// over HTTP, or over another system ID, leave nothing in its queue.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { boundCustomer, plain, smppToken } from '../bound-customer.js'
import { eventually, type TestService } from '../harness.js'
import { type Sending, sendingService, VZW } from '../sending.js'
import { createWebhook } from './webhook-receiver.js'

async function smppService(t: TestContext): Promise<Sending> {
  return sendingService(t, {
    roles: ['api', 'dispatch', 'schedule'],
    env: { LONGCODE_SMPP_PORT: '0' },
  })
}

/** How many deliveries were created for a token, by type of event. */
async function deliveriesFor(
  { world, accountId }: TestService,
  tokenId: string,
): Promise<Record<string, number>> {
  const rows = await world.db.query<{ eventType: string; count: number }>(sql`
    select event_type as "eventType", count(*)::int as count from event_deliveries
    where account_id = ${accountId} and subscriber_id = ${tokenId} group by 1`)
  return Object.fromEntries(rows.map(({ eventType, count }) => [eventType, count]))
}

test('messages sent over HTTP while a customer is unbound leave nothing in its queue', async (t) => {
  const { service, campaignId, number, send, until, inbound } = await smppService(t)
  const credentials = await smppToken(service)
  const { tokenId } = credentials
  const sender = await boundCustomer(t, service, credentials, { as: 'bind_transmitter' })
  const other = await boundCustomer(t, service, await smppToken(service))
  const webhook = await createWebhook(service, campaignId, 'http://127.0.0.1:9/hook')

  const byHttp = []
  for (let i = 0; i < 20; i++) byHttp.push(await send({ metadata: { smppReceipt: '1' } }))
  const silent = await sender.submit(plain(number, VZW, 'No receipt', { registeredDelivery: 0 }))
  const ofOther = await other.submit(plain(number, VZW, 'Of the other'))
  for (const id of [...byHttp, silent.id, ofOther.id]) await until(id, 'DELIVERED')
  assert.deepEqual(await deliveriesFor(service, tokenId), {})
  const all = await deliveriesFor(service, webhook.id)
  assert.equal(all['message.status'], 2 * (byHttp.length + 2), 'a webhook still gets every status')

  const { id } = await sender.submit(plain(number, VZW, 'With a receipt'))
  await until(id, 'DELIVERED')
  await inbound(VZW, 'An answer')
  await eventually(async () => (await deliveriesFor(service, tokenId))['message.incoming'] === 1)
  assert.deepEqual(await deliveriesFor(service, tokenId), {
    'message.incoming': 1,
    'message.status': 2,
  })

  const receiver = await boundCustomer(t, service, credentials, { as: 'bind_receiver' })
  await eventually(async () => receiver.delivered.length === 2)
  assert.deepEqual(receiver.receipts(), [{ id, state: 'DELIVERED', error: '000' }])
  assert.deepEqual(receiver.texts(), ['An answer'])
})

/** Counts the deliveries that the service claims from now on. */
function countClaims({ world: { db } }: TestService): { claimed: number } {
  const counts = { claimed: 0 }
  const { query } = db
  db.query = async (statement) => {
    const rows: unknown[] = await query.call(db, statement)
    counts.claimed += rows.filter((row) => (row as { isClaimed?: boolean }).isClaimed).length
    return rows as never
  }
  return counts
}

test('a bind claims no more than its window, so the rest is left to other binds', async (t) => {
  const { service, inbound } = await smppService(t)
  const credentials = await smppToken(service)
  await boundCustomer(t, service, credentials, { as: 'bind_transmitter' })
  for (let i = 0; i < 30; i++) await inbound(VZW, `Message ${i}`)
  const { tokenId } = credentials
  await eventually(async () => (await deliveriesFor(service, tokenId))['message.incoming'] === 30)
  const counts = countClaims(service)
  const receiver = await boundCustomer(t, service, credentials, { as: 'bind_receiver' })
  await eventually(async () => receiver.delivered.length === 30)
  assert.equal(counts.claimed, 30, 'each of them once')
})

test('a subscription made by an older version is narrowed at the next bind', async (t) => {
  const { service, send, until } = await smppService(t)
  const credentials = await smppToken(service)
  const { tokenId } = credentials
  ;(await boundCustomer(t, service, credentials)).end()
  await service.world.db.query(sql`
    update event_subscriptions set receipts_of = null
    where account_id = ${service.accountId} and subscriber_id = ${tokenId}`)
  await boundCustomer(t, service, credentials, { as: 'bind_transmitter' })
  await until(await send(), 'DELIVERED')
  assert.deepEqual(await deliveriesFor(service, tokenId), {})
})
