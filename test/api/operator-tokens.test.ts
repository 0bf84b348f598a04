// /operator/v1/account/{id}/token/… and /operator/v1/token/…: account tokens and operator tokens.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { OPERATOR_TOKEN, operatedService } from './operator-service.js'

test('an operator creates an account token, which works until it is revoked', async (t) => {
  const service = await operatedService(t)
  const path = `/account/${service.accountId}/token`
  const input = { name: 'ci', scopes: ['read'] }
  const { status, body } = await service.operate('POST', `${path}/create`, input)
  assert.equal(status, 200)
  assert.match(body.accessToken, /^lc_[\w-]{43}$/)
  const use = () => service.get('/v1/account', { token: body.accessToken })
  assert.deepEqual((await use()).body.scopes, ['read'])

  const { body: list } = await service.operate('GET', `${path}/list`)
  assert.equal(list.tokens.length, 2)
  assert.equal(list.tokens[0].id, body.token.id)

  const revoked = await service.operate('DELETE', `${path}/${body.token.id}`)
  assert.deepEqual(revoked.body, { success: true, id: body.token.id, alsoRevoked: [] })
  const real = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => real() + 5_000) // the cached token has expired
  assert.equal((await use()).status, 401)
  const again = await service.operate('DELETE', `${path}/${body.token.id}`)
  assert.deepEqual(again.body, { success: false, error: 'Token not found', code: 'token_missing' })
  assert.deepEqual(
    (await service.audit()).map(({ act, subject, after }) => [act, subject, after]),
    [
      ['token.revoke', body.token.id, (await service.audit())[0]!.after],
      ['token.create', body.token.id, { name: 'ci', scopes: ['read'], expiresAt: null }],
    ],
  )
})

test('no list, audit entry, or replay contains the text of a token', async (t) => {
  const service = await operatedService(t)
  const { body } = await service.operate('POST', '/token/create', { name: 'ana' })
  assert.match(body.operatorToken, /^lco_[\w-]{43}$/)
  const list = await service.operate('GET', '/token/list')
  const audit = await service.operate('GET', '/audit/list')
  for (const reply of [list, audit]) {
    assert.equal(JSON.stringify(reply.body).includes(body.operatorToken), false)
  }
  const options = { token: body.operatorToken, headers: { 'idempotency-key': 'once' } }
  const url = '/operator/v1/token/create'
  const first = await service.call('POST', url, { name: 'bob' }, options)
  const replay = await service.call('POST', url, { name: 'bob' }, options)
  assert.equal(replay.body.token.id, first.body.token.id)
  assert.equal(replay.body.operatorToken, null)
})

test('an operator token works until it is revoked, and the audit log shows its name', async (t) => {
  const service = await operatedService(t)
  const { body } = await service.operate('POST', '/token/create', { name: 'ana' })
  const token = body.operatorToken
  const made = await service.call('POST', '/operator/v1/account/create', { name: 'A' }, { token })
  assert.equal(made.status, 200)
  const { body: log } = await service.operate('GET', '/audit/list?actor=ana')
  assert.equal(log.acts.length, 1)
  assert.deepEqual(log.acts[0].actor, {
    kind: 'operator',
    id: body.token.id,
    name: 'ana',
    origin: '127.0.0.1',
    requestId: made.headers['x-request-id'],
  })
  const { body: list } = await service.operate('GET', '/token/list')
  assert.notEqual(list.tokens[0].lastUsedAt, null)

  await service.operate('DELETE', `/token/${body.token.id}`)
  const refused = await service.get('/operator/v1/account/list', { token })
  assert.equal(refused.status, 401)
  assert.equal(refused.body.error, 'Operator token is unknown, expired, or revoked')
  assert.equal((await service.operate('DELETE', `/token/${body.token.id}`)).status, 404)
})

test('an expired operator token is refused', async (t) => {
  const service = await operatedService(t)
  const expiresAt = new Date(service.world.clock.now().getTime() + 60_000).toISOString()
  const { body } = await service.operate('POST', '/token/create', { name: 'ana', expiresAt })
  const token = body.operatorToken
  assert.equal((await service.get('/operator/v1/token/list', { token })).status, 200)
  service.world.clock.moveTo(61_000)
  assert.equal((await service.get('/operator/v1/token/list', { token })).status, 401)
})

test('without an operator token in the environment or database, operator routes refuse everyone', async (t) => {
  const service = await operatedService(t, { env: { LONGCODE_OPERATOR_TOKEN: '' } })
  const reply = await service.operate('GET', '/account/list')
  assert.equal(reply.status, 401)
  assert.deepEqual(reply.body.accounts, [])
})

test('invalid fields and unknown accounts are refused', async (t) => {
  const service = await operatedService(t)
  const path = `/account/${service.accountId}/token`
  const cases: [string, unknown, string][] = [
    [`${path}/create`, { scopes: ['fly'] }, 'scopes[0] must be one of read, send, manage, billing'],
    [`${path}/create`, { expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt must be in the future'],
    ['/token/create', {}, 'name is required'],
    [
      '/token/create',
      { name: 'a', expiresAt: 'soon' },
      'expiresAt must be an ISO 8601 time such as 2026-12-24T18:00:00Z',
    ],
  ]
  for (const [url, input, error] of cases) {
    const reply = await service.operate('POST', url, input)
    assert.equal(reply.status, 400)
    assert.equal(reply.body.error, error)
  }
  const nobody = newId('acc', new Date())
  for (const [method, url, input] of [
    ['POST', `/account/${nobody}/token/create`, {}],
    ['GET', `/account/${nobody}/token/list`, undefined],
    ['DELETE', `/account/${nobody}/token/${newId('tok', new Date())}`, undefined],
  ] as const) {
    const reply = await service.operate(method, url, input)
    assert.equal(reply.status, 404)
    assert.equal(reply.body.code, 'account_missing')
  }
})

test('the audit log also records what customers do with their tokens', async (t) => {
  const service = await operatedService(t)
  const { body } = await service.post('/v1/token/create', { name: 'own', scopes: ['read'] })
  await service.call('DELETE', `/v1/token/${body.token.id}`)
  const { body: log } = await service.operate('GET', `/audit/list?account=${service.accountId}`)
  assert.deepEqual(
    log.acts.map((a: { act: string; actor: { kind: string } }) => [a.act, a.actor.kind]),
    [
      ['token.revoke', 'customer'],
      ['token.create', 'customer'],
    ],
  )
  assert.equal(log.acts[0].subject, body.token.id)
})

test('the audit log has the client’s address behind a trusted proxy, otherwise the proxy’s', async (t) => {
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  for (const [proxies, origin] of [
    ['', '127.0.0.1'],
    ['10.0.0.0/8, loopback', '203.0.113.7'],
  ] as const) {
    const service = await operatedService(t, { env: { LONGCODE_TRUST_PROXY: proxies } })
    const token = OPERATOR_TOKEN
    await service.post('/operator/v1/account/create', { name: 'A' }, { token, headers })
    const { body } = await service.operate('GET', '/audit/list')
    assert.equal(body.acts[0].actor.origin, origin)
  }
})

test('an operator token that expires cannot create tokens that outlive it', async (t) => {
  const service = await operatedService(t)
  const end = new Date(service.world.clock.now().getTime() + 60_000).toISOString()
  const { body } = await service.operate('POST', '/token/create', { name: 'ana', expiresAt: end })
  const token = body.operatorToken
  const create = (input: object) =>
    service.call('POST', '/operator/v1/token/create', { name: 'bob', ...input }, { token })
  assert.equal((await create({ expiresAt: '2999-01-01T00:00:00Z' })).status, 400)
  assert.equal((await create({})).body.token.expiresAt, end)
})
