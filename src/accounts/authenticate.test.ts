// How long a token lookup is cached, on a clock that moves only when told to.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Clock } from '../kit/clock.js'
import type { Queryable } from '../kit/postgres/db.js'
import { createAuthenticator, type UserSessions } from './authenticate.js'
import type { LiveToken } from './token-queries.js'

const TOKEN: LiveToken = {
  id: 'tok_1',
  accountId: 'acc_1',
  scopes: ['read'],
  expiresAt: null,
  campaigns: null,
  accountStatus: 'ACTIVE',
}

/** A database with at most one token, which counts the queries. */
const NO_USERS: UserSessions = {
  isUserSecret: (secret): secret is string => secret === 'nobody',
  findCaller: async () => assert.fail('no person signed in'),
  listLive: async () => [],
}

function authenticatorOf(t: TestContext, token: LiveToken | null = TOKEN) {
  const state = { token, looks: 0, uses: 0, ms: 1_000 }
  t.mock.method(performance, 'now', () => state.ms)
  const query = async (statement: { text: string }) => {
    if (statement.text.includes('update access_tokens')) {
      state.uses += 1
      throw new Error('the use cannot be recorded')
    }
    if (statement.text.includes('from accounts')) return [{ status: state.token?.accountStatus }]
    state.looks += 1
    return state.token ? [state.token] : []
  }
  const db = { query } as unknown as Queryable
  return { state, ...createAuthenticator(db, new Clock(), NO_USERS) }
}

test('a token is looked up once in two seconds, so a revoked one stops working by then', async (t) => {
  const { state, peek, authenticate } = authenticatorOf(t)
  assert.equal(peek('Bearer x'), null, 'nothing is cached yet')
  const caller = {
    ...{ accountId: 'acc_1', tokenId: 'tok_1', scopes: ['read'], expiresAt: null },
    campaigns: null,
  }
  assert.deepEqual(await authenticate('Bearer x'), caller)
  state.token = null
  state.ms += 1_999
  assert.deepEqual(peek('Bearer x'), caller)
  assert.deepEqual(await authenticate('Bearer x'), caller)
  assert.equal(state.looks, 1)
  state.ms += 1
  assert.equal(peek('Bearer x'), null)
  await assert.rejects(authenticate('Bearer x'), { code: 'token_unknown' })
  assert.equal(state.looks, 2)
})

test('an unknown token is cached briefly, and works as soon as it is found', async (t) => {
  const { state, peek, authenticate } = authenticatorOf(t, null)
  await assert.rejects(authenticate('Bearer x'), { code: 'token_unknown' })
  state.token = TOKEN
  await assert.rejects(authenticate('Bearer x'), { code: 'token_unknown' })
  assert.equal(peek('Bearer x'), null)
  assert.equal(state.looks, 1)
  state.ms += 2_000
  assert.equal((await authenticate('Bearer x')).tokenId, 'tok_1')
})

test('tokens of a suspended or deleted account are refused, even if cached', async (t) => {
  for (const accountStatus of ['SUSPENDED', 'DELETED'] as const) {
    const { peek, authenticate } = authenticatorOf(t, { ...TOKEN, accountStatus })
    await assert.rejects(authenticate('Bearer x'), { code: 'account_suspended' })
    await assert.rejects(authenticate('Bearer x'), { code: 'account_suspended' })
    assert.equal(peek('Bearer x'), null)
    t.mock.restoreAll()
  }
})

test("a token's use is recorded once a minute, and a failed record fails no request", async (t) => {
  const { state, authenticate } = authenticatorOf(t)
  const after = async (ms: number) => {
    state.ms += ms
    await authenticate('Bearer x')
    return state.uses
  }
  assert.deepEqual([await after(0), await after(59_999), await after(1)], [1, 1, 2])
})

test('ten thousand tokens are cached, then the oldest are evicted', async (t) => {
  const { state, peek, authenticate } = authenticatorOf(t)
  const use = async (i: number) => {
    state.token = { ...TOKEN, id: `tok_${i}` }
    await authenticate(`Bearer ${i}`)
    return [state.looks, state.uses]
  }
  for (let i = 1; i < 10_000; i += 1) await use(i)
  assert.deepEqual(await use(10_000), [10_000, 10_000])
  assert.equal(peek('Bearer 1')!.tokenId, 'tok_1', 'the first is still cached')
  assert.deepEqual(await use(1), [10_000, 10_000])
  assert.deepEqual(await use(10_001), [10_001, 10_001])
  assert.equal(peek('Bearer 1'), null)
  assert.equal(peek('Bearer 1001')!.tokenId, 'tok_1001')
  assert.equal(peek('Bearer 10001')!.tokenId, 'tok_10001')
  assert.deepEqual(await use(1), [10_002, 10_002])
})

test('a cached token is not confused with another', async (t) => {
  const { state, peek, authenticate } = authenticatorOf(t)
  await authenticate('Bearer x')
  state.token = { ...TOKEN, id: 'tok_2', accountId: 'acc_2' }
  assert.equal(peek('Bearer y'), null)
  assert.equal((await authenticate('Bearer y')).accountId, 'acc_2')
  assert.equal(peek('Bearer x')!.accountId, 'acc_1')
})

test('a header is a bearer token of 1 to 200 printable characters, or it is ignored', async (t) => {
  const { state, authenticate } = authenticatorOf(t)
  for (const good of ['Bearer x', 'bearer x', 'BEARER   x  ', `Bearer ${'x'.repeat(200)}`]) {
    assert.equal((await authenticate(good)).tokenId, 'tok_1', good)
  }
  const looks = state.looks
  for (const bad of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'x',
    'Basic x',
    'Bearerx',
    'Bearer x y',
    'A Bearer x',
    'Bearer é',
    `Bearer ${'x'.repeat(201)}`,
  ]) {
    await assert.rejects(authenticate(bad), { code: 'token_absent' }, bad)
  }
  assert.equal(state.looks, looks, 'the database is not queried')
})
