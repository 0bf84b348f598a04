// More sends than can be stored: sends over the limit of waiting ones are refused immediately, before any work is done
// for them, and everything else continues.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually, type Reply, type TestService } from '../harness.js'
import { assertDollars, SMS_PRICE, sendingService, VZW } from '../sending.js'

const WAITING_MAX = 3
const OPERATOR_TOKEN = 'operator-of-a-busy-service'

/** Accepted messages are not stored until the gate is opened. */
function closeGate(t: TestContext, { world: { db } }: TestService): () => void {
  const { pipeline } = db
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  t.mock.method(db, 'pipeline', (key: string) => ({
    query: async (statement: Parameters<ReturnType<typeof pipeline>['query']>[0]) => {
      await gate
      return pipeline.call(db, key).query(statement)
    },
  }))
  return open
}

function assertShed({ status, body, headers }: Reply): void {
  assert.deepEqual([status, body.success, body.code], [503, false, 'sends_too_many'])
  assert.equal(headers['retry-after'], '1')
}

async function readRefused(service: TestService): Promise<number> {
  const { body } = await service.get('/metrics', { token: OPERATOR_TOKEN })
  return Number(/^longcode_sends_refused_total (\d+)$/m.exec(body)?.[1])
}

test('sends over the limit of waiting ones are refused immediately and cost nothing', async (t) => {
  const { service, campaignId, send, trySend } = await sendingService(t, {
    env: {
      LONGCODE_SENDS_WAITING: String(WAITING_MAX),
      LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    },
  })
  await send() // fills the caches that the first send needs
  const before = await service.balance()
  const open = closeGate(t, service)
  const waiting = Array.from({ length: WAITING_MAX }, (_, i) =>
    trySend({ body: `Waiting ${i}` }, { headers: { 'idempotency-key': `key ${i}` } }),
  )
  await eventually(async () => (await trySend()).status === 503, 'a refused send')

  const key = { headers: { 'idempotency-key': 'refused' } }
  assertShed(await trySend({ body: 'By the fast path' }, key))
  const slow = { campaign: campaignId, to: VZW, body: 'By the route' }
  assertShed(await service.post('/v1/message/send/', slow))
  const batch = { messages: [slow, slow] }
  const batchKey = { headers: { 'idempotency-key': 'a batch' } }
  assertShed(await service.post('/v1/message/batch', batch, batchKey))
  assert.equal((await service.get('/healthz', { token: null })).status, 200)
  assert.equal((await service.get('/v1/account')).status, 200)
  assert.ok((await readRefused(service)) >= 4)

  open()
  const accepted = await Promise.all(waiting)
  assert.deepEqual(new Set(accepted.map(({ status }) => status)), new Set([200]))
  const again = await service.post('/v1/message/batch', batch, batchKey)
  assert.equal(again.status, 200, 'its key was not reserved')
  assert.equal(again.body.results.length, 2)
  assert.equal(again.headers['idempotent-replayed'], undefined)
  const later = await trySend({ body: 'By the fast path' }, key)
  assert.equal(later.status, 200, JSON.stringify(later.body))
  assertDollars(before - (await service.balance()), (WAITING_MAX + 3) * SMS_PRICE)
})

test('a batch larger than the limit is accepted if nothing waits', async (t) => {
  const { service, campaignId } = await sendingService(t, { env: { LONGCODE_SENDS_WAITING: '1' } })
  const messages = Array.from({ length: 5 }, () => ({
    campaign: campaignId,
    to: VZW,
    body: 'Hello',
  }))
  const { status, body } = await service.post('/v1/message/batch', { messages })
  assert.equal(status, 200)
  assert.ok(body.results.every(({ success }: { success: boolean }) => success))
})
