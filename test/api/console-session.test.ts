// POST, GET, and DELETE /console/session: how people sign in to the console, what the session cookie
// allows, and when it ends.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { makeLinkCode } from '../../src/accounts/session.js'
import { hashToken } from '../../src/accounts/token.js'
import { revokeToken } from '../../src/accounts/token-queries.js'
import { type CallOptions, type Reply, type TestService, testService } from '../harness.js'

const OPERATOR = 'lco_test-operator-of-the-console'
const MARK = { 'x-longcode-console': '1' }

function clients(service: TestService) {
  const by =
    (cookie: string | null, headers: CallOptions['headers'] = MARK) =>
    (method: string, url: string, body?: unknown) =>
      service.call(method, url, body, {
        token: null,
        headers: { ...headers, ...(cookie && { cookie }) },
      })
  const signIn = (body: object, cookie: string | null = null) =>
    by(cookie)('POST', '/console/session', body)
  return { by, signIn }
}

/** The cookie as a browser would send it back. */
function cookieOf({ headers }: Reply): string {
  return String(headers['set-cookie']).split(';', 1)[0]!
}

test('signing in with a token sets a cookie that scripts cannot read and other sites cannot send', async (t) => {
  const service = await testService(t)
  const { by, signIn } = clients(service)
  const reply = await signIn({ token: service.token })
  assert.equal(reply.status, 200)
  const { now, ...who } = reply.body
  assert.deepEqual(who, {
    success: true,
    account: {
      accountId: service.accountId,
      name: reply.body.account.name,
      scopes: ['read', 'send', 'manage', 'billing'],
    },
    operator: null,
    user: null,
    company: null,
    mode: 'sandbox',
    carrier: 'simulated',
    asks: { brand: [], campaign: [] },
  })
  assert.match(now, /Z$/)
  assert.match(
    String(reply.headers['set-cookie']),
    /^longcode_session=lcs_[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
  )
  const call = by(cookieOf(reply))
  assert.equal((await call('GET', '/v1/account')).status, 200)
  assert.equal((await call('GET', '/console/session')).body.account.accountId, service.accountId)
})

test('replies to a session cookie are not cached by browsers or proxies', async (t) => {
  const service = await testService(t)
  const { by, signIn } = clients(service)
  const reply = await signIn({ token: service.token })
  const call = by(cookieOf(reply))
  for (const url of ['/v1/account', '/v1/campaign/list', '/v1/campaign/x', '/console/session']) {
    const { headers } = await call('GET', url)
    assert.equal(headers['cache-control'], 'no-store', url)
  }
  assert.equal(reply.headers['cache-control'], 'no-store')
  const { headers } = await service.get('/v1/account')
  assert.equal(headers['cache-control'], undefined, 'replies to a token have no cache header')
})

test('on an https service the cookie is Secure and has the __Host- prefix', async (t) => {
  const service = await testService(t, { env: { LONGCODE_PUBLIC_URL: 'https://sms.test' } })
  const reply = await clients(service).signIn({ token: service.token })
  const cookie = cookieOf(reply)
  assert.match(
    String(reply.headers['set-cookie']),
    /^__Host-longcode_session=lcs_.*; Path=\/; .*; Secure$/,
  )
  assert.ok(!/Domain/i.test(String(reply.headers['set-cookie'])))
  const { by } = clients(service)
  assert.equal((await by(cookie)('GET', '/v1/account')).status, 200)
  // Another host of the same domain could have set this cookie.
  const planted = cookie.replace('__Host-', '')
  assert.equal((await by(planted)('GET', '/v1/account')).status, 401)
  const out = await by(cookie)('DELETE', '/console/session')
  assert.match(String(out.headers['set-cookie']), /^__Host-longcode_session=; .*Max-Age=0/)
  assert.equal((await by(cookie)('GET', '/v1/account')).status, 401)
})

test('every response tells browsers not to sniff its content type', async (t) => {
  const service = await testService(t, { env: { LONGCODE_METRICS_PUBLIC: 'true' } })
  const { app, token } = service
  const authorization = `Bearer ${token}`
  const send = { campaign: 'cmp_x', to: '+14155550107', body: 'Hello' }
  for (const [method, url, payload] of [
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['GET', '/metrics'],
    ['GET', '/docs'],
    ['GET', '/docs/errors'],
    ['GET', '/openapi.json'],
    ['GET', '/console/'],
    ['GET', '/'],
    ['GET', '/media/med_x'],
    ['HEAD', '/media/med_x'],
    ['GET', '/v1/account'],
    ['GET', '/v1/nothing'],
    ['PUT', '/v1/message/send'],
    ['GET', '/v1/brand/%zz'],
    ['POST', '/v1/message/send', send],
    ['POST', '/v1/message/send/', send],
    ['POST', '/carrier/none/x', {}],
    ['GET', '/operator/v1/account/list'],
  ] as const) {
    const reply = await app.inject({
      ...{ method, url, headers: { authorization } },
      ...(payload && { payload }),
    })
    assert.equal(reply.headers['x-content-type-options'], 'nosniff', `${method} ${url}`)
  }
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const raw = connect(Number(new URL(base).port), '127.0.0.1')
  raw.write('no HTTP at all\r\n\r\n')
  const [answer] = await once(raw, 'data')
  raw.destroy()
  assert.match(String(answer), /\r\nx-content-type-options: nosniff\r\n/)
})

test('a client without a session sees that it is signed out, and API requests still require a token', async (t) => {
  const service = await testService(t)
  const { by } = clients(service)
  for (const cookie of [null, 'longcode_session=', 'longcode_session=lcs_short', 'a=b']) {
    const { status, body } = await by(cookie)('GET', '/console/session')
    assert.deepEqual([status, body.account, body.operator], [200, null, null])
    assert.equal((await by(cookie)('GET', '/v1/account')).status, 401)
  }
  const unknown = `longcode_session=lcs_${'x'.repeat(43)}`
  const { status, body } = await by(unknown)('GET', '/v1/account')
  assert.deepEqual([status, body.error], [401, 'Your session has ended. Sign in again.'])
})

test('a cookie alone allows reads, and writes also require the header that only the console sends', async (t) => {
  const service = await testService(t)
  const { by, signIn } = clients(service)
  const cookie = cookieOf(await signIn({ token: service.token }))
  const bare = by(cookie, {})
  assert.equal((await bare('GET', '/v1/brand/list')).status, 200)
  for (const [method, url, body] of [
    ['POST', '/v1/token/create', {}],
    ['POST', '/v1/message/send', { campaign: 'x', to: '+14155550100', body: 'Hello' }],
    ['DELETE', '/console/session', undefined],
    ['POST', '/console/session', { token: service.token }],
  ] as const) {
    const reply = await bare(method, url, body)
    assert.equal(reply.status, 403, url)
    assert.match(reply.body.error, /needs the header X-Longcode-Console: 1$/)
  }
  assert.equal((await by(cookie)('POST', '/v1/token/create', {})).status, 200)
})

test('a session has the scopes of its token and ends when the token is revoked', async (t) => {
  const service = await testService(t)
  const { by, signIn } = clients(service)
  const token = await service.tokenWith(['read'])
  const call = by(cookieOf(await signIn({ token })))
  const refused = await call('POST', '/v1/token/create', {})
  assert.deepEqual(
    [refused.status, refused.body.error],
    [403, 'This access token lacks the scope manage'],
  )
  const { tokens } = (await service.get('/v1/token/list')).body
  const { id } = tokens.find((one: { scopes: string[] }) => one.scopes.length === 1)
  await revokeToken(service.world.db, service.accountId, id, service.world.clock.now())
  assert.equal((await call('GET', '/v1/account')).status, 401)
  assert.equal((await call('GET', '/console/session')).body.account, null)
})

test('signing out ends the session even if someone kept the cookie', async (t) => {
  const service = await testService(t)
  const { by, signIn } = clients(service)
  const cookie = cookieOf(await signIn({ token: service.token }))
  const other = cookieOf(await signIn({ token: service.token }))
  const reply = await by(cookie)('DELETE', '/console/session')
  assert.deepEqual([reply.status, reply.body], [200, { success: true }])
  assert.match(String(reply.headers['set-cookie']), /^longcode_session=; Path=\/; Max-Age=0/)
  assert.equal((await by(cookie)('GET', '/v1/account')).status, 401)
  assert.equal(
    (await by(other)('GET', '/v1/account')).status,
    200,
    'another browser stays signed in',
  )
  assert.equal((await service.get('/v1/account')).status, 200, 'the token still works')
})

test('a printed link signs in once, within ten minutes', async (t) => {
  const service = await testService(t)
  const { by, signIn } = clients(service)
  const { db, clock } = service.world
  const code = await makeLinkCode(db, clock, hashToken(service.token))
  const asCookie = await by(`longcode_session=${code}`)('GET', '/v1/account')
  assert.equal(asCookie.status, 401, 'a link code is not a session')
  const replies = await Promise.all([signIn({ code }), signIn({ code })])
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
  const refused = replies.find(({ status }) => status === 401)!
  assert.match(refused.body.error, /^This link was already used or is more than ten minutes old/)
  const good = replies.find(({ status }) => status === 200)!
  assert.equal((await by(cookieOf(good))('GET', '/v1/account')).status, 200)

  const late = await makeLinkCode(db, clock, hashToken(service.token))
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 10 * 60_000 })
  assert.equal((await signIn({ code: late })).status, 401)
})

test('a session lasts seven days of real time, even if the sandbox clock moves', async (t) => {
  const service = await testService(t)
  const { by, signIn } = clients(service)
  const call = by(cookieOf(await signIn({ token: service.token })))
  await service.post('/sandbox/clock/advance', { seconds: 30 * 24 * 3600 })
  assert.equal((await call('GET', '/v1/account')).status, 200)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 7 * 24 * 3600_000 })
  assert.equal((await call('GET', '/v1/account')).status, 401)
})

test('an operator signs in alongside the account, and neither cookie works in place of the other', async (t) => {
  const service = await testService(t, { env: { LONGCODE_OPERATOR_TOKEN: OPERATOR } })
  const { by, signIn } = clients(service)
  const account = cookieOf(await signIn({ token: service.token }))
  const both = await signIn({ token: OPERATOR }, account)
  assert.equal(both.body.operator.name, 'LONGCODE_OPERATOR_TOKEN')
  assert.equal(both.body.account.accountId, service.accountId)
  const operator = cookieOf(both)
  assert.match(operator, /^longcode_operator=/)
  assert.equal((await by(operator)('GET', '/operator/v1/account/list')).status, 200)
  assert.equal((await by(operator)('GET', '/v1/account')).status, 401)
  assert.equal((await by(account)('GET', '/operator/v1/account/list')).status, 401)
  const swapped = operator.replace('longcode_operator', 'longcode_session')
  assert.equal((await by(swapped)('GET', '/v1/account')).status, 401)
  const jar = `${account}; ${operator}`
  assert.equal((await by(jar)('DELETE', '/console/session?audience=operator')).status, 200)
  assert.equal((await by(jar)('GET', '/operator/v1/account/list')).status, 401)
  assert.equal((await by(jar)('GET', '/v1/account')).status, 200)
})

test('a failed sign-in returns a clear error', async (t) => {
  const service = await testService(t)
  const { signIn } = clients(service)
  const unknown = await signIn({ token: 'lc_nobody' })
  assert.equal(unknown.status, 401)
  assert.match(unknown.body.error, /unknown, expired, or revoked$/)
  for (const body of [{}, { token: 'a', code: 'b' }]) {
    const { status, body: refused } = await signIn(body)
    assert.deepEqual([status, refused.error], [400, 'token or code is required, but not both'])
  }
  const long = await signIn({ token: 'x'.repeat(201) })
  assert.equal(long.status, 400)
  const spaced = await signIn({ token: `${service.token} ` })
  assert.equal(spaced.status, 200, 'a pasted trailing space is ignored')
})
