// DELETE /v1/token/{id} and token expiration: revoked and expired tokens stop working, and only their
// account can revoke them.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { hashToken } from '../../src/accounts/token.js'
import { findLiveToken } from '../../src/accounts/token-queries.js'
import { type TestService, testService } from '../harness.js'

/** Moves time past the lifetime of the token cache. Real time passes too. */
function tokenCacheExpiry(t: TestContext): () => void {
  const real = performance.now.bind(performance)
  let aheadMs = 0
  t.mock.method(performance, 'now', () => real() + aheadMs)
  return () => {
    aheadMs += 5_000
  }
}

async function create(service: TestService, input: object = {}, owner?: string) {
  const options = owner === undefined ? {} : { token: owner }
  const { status, body } = await service.post('/v1/token/create', input, options)
  assert.equal(status, 200)
  const use = async () => (await service.get('/v1/account', { token: body.accessToken })).status
  return { id: body.token.id as string, text: body.accessToken as string, use }
}

test('a revoked token stops working within five seconds and disappears from the list', async (t) => {
  const waitFive = tokenCacheExpiry(t)
  const service = await testService(t)
  const token = await create(service, { name: 'ci' })
  const kept = await create(service, { name: 'kept' })
  assert.equal(await token.use(), 200)
  const revoked = await service.call('DELETE', `/v1/token/${token.id}`)
  assert.deepEqual(revoked.body, { success: true, id: token.id, alsoRevoked: [] })
  waitFive()
  assert.equal(await token.use(), 401)
  waitFive()
  assert.equal(await token.use(), 401)
  assert.equal(await kept.use(), 200)

  const send = { token: token.text }
  assert.equal((await service.post('/v1/message/send', { body: 'x' }, send)).status, 401)
  const { body: list } = await service.get('/v1/token/list')
  const ids = list.tokens.map(({ id }: { id: string }) => id)
  assert.deepEqual([ids.includes(token.id), ids.includes(kept.id)], [false, true])
  const again = await service.call('DELETE', `/v1/token/${token.id}`)
  assert.deepEqual([again.status, again.body.code], [404, 'token_missing'])
})

test('revoking a token revokes the tokens it created, except those the request keeps', async (t) => {
  const waitFive = tokenCacheExpiry(t)
  const service = await testService(t)
  const family = async () => {
    const first = await create(service, { name: 'first' })
    const second = await create(service, { name: 'second' }, first.text)
    const third = await create(service, { name: 'third' }, second.text)
    const sibling = await create(service, { name: 'sibling' }, first.text)
    return { first, second, third, sibling }
  }
  const states = async (tokens: Awaited<ReturnType<typeof family>>) => {
    waitFive()
    return Promise.all(Object.values(tokens).map(({ use }) => use()))
  }
  const all = await family()
  const { body } = await service.get('/v1/token/list')
  const listed = body.tokens.find(({ id }: { id: string }) => id === all.third.id)
  assert.equal(listed.createdBy, all.second.id)
  const gone = await service.call('DELETE', `/v1/token/${all.first.id}`)
  assert.deepEqual(
    gone.body.alsoRevoked.sort(),
    [all.second.id, all.third.id, all.sibling.id].sort(),
  )
  assert.deepEqual(await states(all), [401, 401, 401, 401])

  const named = await family()
  const url = `/v1/token/${named.first.id}?keep=`
  const unknown = await service.call('DELETE', `${url}nobody`)
  assert.deepEqual(
    [unknown.status, unknown.body.error],
    [400, 'keep has an unknown token of this account: nobody'],
  )
  assert.deepEqual(await states(named), [200, 200, 200, 200])
  await service.call('DELETE', `${url}second`)
  assert.deepEqual(
    await states(named),
    [401, 200, 200, 401],
    'the named token and those it created are revoked',
  )

  const byId = await family()
  const keep = `${byId.third.id},${byId.sibling.id}`
  await service.call('DELETE', `/v1/token/${byId.first.id}?keep=${keep}`)
  assert.deepEqual(await states(byId), [401, 401, 200, 200])
})

test('a token needs the manage scope to revoke other tokens or itself', async (t) => {
  const waitFive = tokenCacheExpiry(t)
  const service = await testService(t)
  const token = await create(service)
  for (const scope of ['read', 'send', 'billing'] as const) {
    const weak = { token: await service.tokenWith([scope]) }
    const { status, body } = await service.call('DELETE', `/v1/token/${token.id}`, undefined, weak)
    assert.deepEqual([status, body.error], [403, 'This access token lacks the scope manage'])
  }
  waitFive()
  assert.equal(await token.use(), 200)
  const self = await service.call('DELETE', `/v1/token/${token.id}`, undefined, {
    token: token.text,
  })
  assert.equal(self.status, 200)
  waitFive()
  assert.equal(await token.use(), 401)
})

test('another account’s token cannot be revoked and is not listed', async (t) => {
  const waitFive = tokenCacheExpiry(t)
  const service = await testService(t)
  const other = await service.otherAccount()
  const own = await create(service)
  const theirs = await create(service, {}, other.token)
  const { status, body } = await service.call('DELETE', `/v1/token/${theirs.id}`)
  assert.deepEqual([status, body.code], [404, 'token_missing'])
  waitFive()
  assert.equal(await theirs.use(), 200)

  const idsFor = async (token: string) => {
    const { body: list } = await service.get('/v1/token/list', { token })
    return list.tokens.map(({ id }: { id: string }) => id) as string[]
  }
  const [ownList, theirList] = [await idsFor(service.token), await idsFor(other.token)]
  assert.deepEqual([ownList.length, theirList.length], [2, 2])
  assert.deepEqual([ownList.includes(own.id), theirList.includes(theirs.id)], [true, true])
  assert.equal(
    ownList.some((id) => theirList.includes(id)),
    false,
  )
})

test('an expired token is refused, even if it was used before', async (t) => {
  const waitFive = tokenCacheExpiry(t)
  const service = await testService(t)
  const { clock, db } = service.world
  const expiresAt = new Date(clock.now().getTime() + 3_600_000)
  const used = await create(service, { expiresAt: expiresAt.toISOString() })
  const unused = await create(service, { expiresAt: expiresAt.toISOString() })
  const live = await create(service)
  assert.equal(await used.use(), 200)

  const at = (ms: number) =>
    findLiveToken(db, hashToken(unused.text), new Date(expiresAt.getTime() + ms))
  assert.equal((await at(-1))?.id, unused.id)
  assert.equal(await at(0), null)

  clock.moveTo(3_600_000)
  waitFive()
  assert.deepEqual([await used.use(), await unused.use(), await live.use()], [401, 401, 200])
})
