// POST /v1/token/create: an account creates another token, which is shown once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually, type Json, testService } from '../harness.js'

test('a created token works, and the list does not show its text', async (t) => {
  const service = await testService(t)
  const { status, body } = await service.post('/v1/token/create', { name: 'ci', scopes: ['read'] })
  assert.equal(status, 200)
  assert.match(body.accessToken, /^lc_[\w-]{43}$/)
  assert.deepEqual(body.token.scopes, ['read'])

  const account = await service.get('/v1/account', { token: body.accessToken })
  assert.equal(account.status, 200)
  assert.deepEqual(account.body.scopes, ['read'])

  const { body: list } = await service.get('/v1/token/list')
  assert.equal(list.tokens.length, 2)
  assert.equal(JSON.stringify(list).includes(body.accessToken), false)
})

test('a token cannot grant scopes it does not have', async (t) => {
  const service = await testService(t)
  const token = await service.tokenWith(['manage'])
  const { status, body } = await service.post('/v1/token/create', { scopes: ['send'] }, { token })
  assert.equal(status, 400)
  assert.equal(body.success, false)
  assert.equal(body.error, 'scopes cannot include send, because your token lacks it')
})

test('invalid fields are refused by name', async (t) => {
  const service = await testService(t)
  const cases: [unknown, string][] = [
    [{ scopes: ['fly'] }, 'scopes[0] must be one of read, send, manage, billing'],
    [{ scopes: [] }, 'scopes must be a list of read, send, manage, billing, each at most once'],
    [
      { scopes: ['read', 'read'] },
      'scopes must be a list of read, send, manage, billing, each at most once',
    ],
    [{ name: 7 }, 'name must be a string'],
    [{ name: 'x'.repeat(101) }, 'name must be at most 100 characters'],
    [{ expiresAt: 'soon' }, 'expiresAt must be an ISO 8601 time such as 2026-12-24T18:00:00Z'],
    [{ expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt must be in the future'],
  ]
  for (const [input, error] of cases) {
    const reply = await service.post('/v1/token/create', input)
    assert.equal(reply.status, 400)
    assert.equal(reply.body.error, error)
    assert.equal(reply.body.success, false)
  }
})

test('an Idempotency-Key creates one token, and the replay does not show its text again', async (t) => {
  const service = await testService(t)
  const headers = { 'idempotency-key': 'once' }
  const first = await service.post('/v1/token/create', { name: 'x' }, { headers })
  const second = await service.post('/v1/token/create', { name: 'x' }, { headers })
  assert.equal(second.headers['idempotent-replayed'], 'true')
  assert.equal(second.body.token.id, first.body.token.id)
  assert.equal(second.body.accessToken, null)
  const other = await service.post('/v1/token/create', { name: 'y' }, { headers })
  assert.equal(other.status, 422)
  assert.equal(other.body.code, 'idempotency_other_request')
})

test('a new token has the given name, the scopes of its creator, and no expiration by default', async (t) => {
  const service = await testService(t)
  const token = await service.tokenWith(['manage', 'read'])
  const name = 'x'.repeat(100)
  const { body } = await service.post('/v1/token/create', { name }, { token })
  const { id, createdAt, createdBy, ...rest } = body.token
  const { tokenId } = (await service.get('/v1/account', { token })).body
  assert.equal(createdBy, tokenId)
  assert.deepEqual(rest, {
    name,
    scopes: ['manage', 'read'],
    campaigns: null,
    expiresAt: null,
    lastUsedAt: null,
    smpp: null,
  })
  assert.match(id, /^tok_/)
  assert.equal((await service.get('/v1/account', { token: body.accessToken })).status, 200)
  const used = await eventually(async () => {
    const { tokens } = (await service.get('/v1/token/list')).body
    return tokens.find((one: { id: string }) => one.id === id).lastUsedAt
  }, 'a token that was used')
  assert.ok(used >= createdAt)
})

test('creating or revoking a token is recorded in the audit log with the actor', async (t) => {
  const service = await testService(t)
  const { body } = await service.post('/v1/token/create', { name: 'ci', scopes: ['read'] })
  const { id } = body.token
  assert.equal((await service.call('DELETE', `/v1/token/${id}`)).status, 200)
  const [own] = (await service.get('/v1/token/list')).body.tokens
  const acts = await service.world.db.query<Json>(sql`
    select act, account_id as account, subject, before, after, actor_kind as kind, actor_id as by,
      actor_name as name, origin, request_id like 'req_%' as "hasRequest" from audit_log order by id`)
  const who = { kind: 'customer', by: own.id, name: own.id, origin: '127.0.0.1', hasRequest: true }
  const same = { account: service.accountId, subject: id, before: null, ...who }
  assert.deepEqual(acts, [
    { ...same, act: 'token.create', after: { name: 'ci', scopes: ['read'], expiresAt: null } },
    { ...same, act: 'token.revoke', after: acts[1]!.after },
  ])
  assert.match(String((acts[1]!.after as Json).revokedAt), /^20\d\d-/)
})

test('a token that expires cannot create tokens that outlive it', async (t) => {
  const service = await testService(t)
  const end = new Date(service.world.clock.now().getTime() + 3_600_000)
  const { body } = await service.post('/v1/token/create', { expiresAt: end.toISOString() })
  const token = body.accessToken
  const create = (input: object) => service.post('/v1/token/create', input, { token })

  const later = await create({ expiresAt: new Date(end.getTime() + 1).toISOString() })
  assert.equal(later.status, 400)
  assert.equal(
    later.body.error,
    `expiresAt must be at most ${end.toISOString()}, when your token expires`,
  )
  assert.equal((await create({})).body.token.expiresAt, end.toISOString())
  const sooner = new Date(end.getTime() - 1000).toISOString()
  assert.equal((await create({ expiresAt: sooner })).body.token.expiresAt, sooner)
})
