// Writes with an Idempotency-Key, other than sends: done once despite repeated and parallel requests, and only for
// the request that the key was used with.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reserveKey, runOnce } from '../../src/accounts/idempotency.js'
import { purgeKeys } from '../../src/accounts/purge-keys.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import {
  type CallOptions,
  type Json,
  type Reply,
  type TestService,
  testService,
} from '../harness.js'

const KEPT_MS = 86_400_000

function keyed(key: string, token?: string): CallOptions {
  return { headers: { 'idempotency-key': key }, ...(token !== undefined && { token }) }
}

/** Five at once: one does the work, and the others repeat its response or learn that it is in progress. */
async function askFiveTimes(service: TestService, url: string, body: Json): Promise<Reply> {
  const ask = () => service.post(url, body, keyed(`five of ${url}`))
  const replies = await Promise.all([ask(), ask(), ask(), ask(), ask()])
  const fresh = replies.filter(
    ({ status, headers }) => status === 200 && !headers['idempotent-replayed'],
  )
  assert.equal(fresh.length, 1, JSON.stringify(replies.map((reply) => reply.body)))
  for (const reply of replies) {
    if (reply.status === 200) assert.deepEqual(reply.body, fresh[0]!.body)
    else assert.deepEqual([reply.status, reply.body.code], [409, 'idempotency_in_flight'])
  }
  const later = await ask()
  assert.equal(later.headers['idempotent-replayed'], 'true')
  assert.deepEqual(later.body, fresh[0]!.body)
  return later
}

test('parallel requests with one key buy one campaign, one number, and one webhook, each paid once', async (t) => {
  const service = await testService(t)
  const { brandId, campaignId } = await activeCampaign(service)
  const before = await service.balance()
  await askFiveTimes(service, '/v1/campaign/create', {
    brandId,
    usecase: 'MARKETING',
    description: 'Offers of the week for members of the coffee club',
    consentFlow: 'Members tick a box on the form at acme.example/club',
  })
  assert.equal(await service.balance(), before - 20)
  const { body: campaigns } = await service.get('/v1/campaign/list')
  assert.equal(campaigns.campaigns.length, 2)

  await addInventory(service, ['+14153000001'])
  await askFiveTimes(service, '/v1/number/buy', { number: '+14153000001', campaign: campaignId })
  assert.equal(await service.balance(), before - 21)

  const url = `/v1/campaign/${campaignId}/webhooks`
  await askFiveTimes(service, url, { url: 'https://example.com/a', eventTypes: ['message.status'] })
  assert.equal((await service.get(url)).body.webhooks.length, 1)

  await askFiveTimes(service, '/v1/brand/draft', { entityName: 'Once LLC' })
  assert.equal((await service.get('/v1/brand/list?status=DRAFT')).body.brands.length, 1)
})

test('a key applies only to its own path, method, and body', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const [a, b] = [await buyNumber(service, campaignId), await buyNumber(service, campaignId)]
  const remove = (number: string) =>
    service.call('DELETE', `/v1/number/${number.slice(1)}`, undefined, keyed('release'))
  assert.equal((await remove(a)).status, 200)
  assert.deepEqual(told(await remove(b)), [422, 'idempotency_other_request'])
  assert.equal((await service.get(`/v1/number/${b.slice(1)}`)).status, 200)
  assert.equal((await remove(a)).headers['idempotent-replayed'], 'true')

  const { body } = await service.post(`/v1/campaign/${campaignId}/webhooks`, {
    url: 'https://example.com/a',
    eventTypes: ['message.status'],
  })
  const path = `/v1/webhook/${body.webhook.id}`
  const call = (method: string) => service.call(method, path, undefined, keyed('change'))
  assert.equal((await call('PATCH')).status, 200)
  assert.deepEqual(told(await call('DELETE')), [422, 'idempotency_other_request'])
  assert.equal((await service.get(path)).status, 200)

  const recipient = `/v1/campaign/${campaignId}/optouts/14155550101`
  const optOut = (reason: string) =>
    service.call('PUT', recipient, { reason }, keyed('asked by phone'))
  assert.equal((await optOut('Asked')).status, 200)
  assert.deepEqual(told(await optOut('Asked twice')), [422, 'idempotency_other_request'])
})

test('a key belongs to its account: another account’s request with it is done', async (t) => {
  const service = await testService(t)
  const other = await service.otherAccount()
  const draft = (token?: string) =>
    service.post('/v1/brand/draft', { entityName: 'Acme LLC' }, keyed('draft', token))
  const [own, theirs] = [await draft(), await draft(other.token)]
  assert.equal(theirs.headers['idempotent-replayed'], undefined)
  assert.notEqual(theirs.body.brand.id, own.body.brand.id)

  const { clock, db } = service.world
  const later = new Date(clock.now().getTime() + KEPT_MS)
  const forget = () => purgeKeys(db, db.workers, later, 1)
  const deleted = [await forget(), await forget(), await forget()]
  assert.deepEqual(deleted, [1, 1, 0], 'deleting one key leaves the other')
})

test('a key is stored for exactly a day, however it was reserved', async (t) => {
  const { world, accountId } = await testService(t)
  const { db } = world
  const start = new Date('2026-03-01T12:00:00.000Z')
  const requestHash = Buffer.alloc(32)
  const at = (key: string, ms: number) => ({
    ...{ accountId, key, requestHash },
    now: new Date(start.getTime() + ms),
  })
  const run = (ms: number) => runOnce(db, at('run', ms), async () => ({ at: ms }))
  assert.deepEqual(await run(0), { answer: { at: 0 }, isReplay: false })
  assert.deepEqual(await run(KEPT_MS - 1), { answer: { at: 0 }, isReplay: true })
  assert.deepEqual(await run(KEPT_MS), { answer: { at: KEPT_MS }, isReplay: false })
  assert.deepEqual(await run(2 * KEPT_MS - 1), { answer: { at: KEPT_MS }, isReplay: true })

  const other = { requestHash: Buffer.alloc(32, 1) }
  assert.equal(await reserveKey(db, at('reserve', 0)), null)
  assert.equal(
    await reserveKey(db, at('reserve', 1)),
    null,
    'the work was interrupted and is done again',
  )
  const early = reserveKey(db, { ...at('reserve', KEPT_MS - 1), ...other })
  await assert.rejects(early, { code: 'idempotency_other_request' })
  assert.equal(await reserveKey(db, { ...at('reserve', KEPT_MS), ...other }), null)

  const deleted = (ms: number) => purgeKeys(db, db.workers, new Date(start.getTime() + ms), 10)
  assert.deepEqual([await deleted(2 * KEPT_MS - 1), await deleted(2 * KEPT_MS)], [0, 2])
})

test('while a request is in progress, its key is reserved, and other keys are not', async (t) => {
  const { world, accountId } = await testService(t)
  const once = { accountId, key: 'a', requestHash: Buffer.alloc(32), now: world.clock.now() }
  const refused = await runOnce(world.db, once, async () => {
    const same = runOnce(world.db, once, async () => ({ done: 'twice' }))
    await assert.rejects(same, { code: 'idempotency_in_flight' })
    return (await runOnce(world.db, { ...once, key: 'b' }, async () => ({ done: 'b' }))).answer
  })
  assert.deepEqual(refused, { answer: { done: 'b' }, isReplay: false })
})

test('a failed request frees its key and leaves nothing behind', async (t) => {
  const service = await testService(t, { balance: '5' })
  const { brandId } = await activeCampaign(service)
  const input = {
    brandId,
    usecase: 'MARKETING',
    description: 'Offers of the week for members of the coffee club',
    consentFlow: 'Members tick a box on the form at acme.example/club',
  }
  const create = () => service.post('/v1/campaign/create', input, keyed('later'))
  assert.equal((await create()).status, 402)
  assert.equal((await create()).status, 402, 'not a replay of a failure')
  assert.equal(await service.balance(), 5)
})

function told({ status, body }: Reply): [number, string] {
  return [status, body.code]
}
