// How people sign in: password, code, second factors that are required, guessing, other sites, planted sessions, lost
// access, and a person's own profile.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { totpCode } from '../../src/people/totp.js'
import { type TestService, testService } from '../harness.js'
import {
  browser,
  codeOf,
  cookiesOf,
  type Joined,
  join,
  MARK,
  OPERATOR_TOKEN,
  operatorWith,
  PASSWORD,
  personWith,
} from '../people-fixtures.js'

const EMAIL = 'owner@example.com'

function signIn(service: TestService, body: object = {}, cookie: string | null = null) {
  return browser(service, cookie)('POST', '/console/session/password', {
    email: EMAIL,
    password: PASSWORD,
    ...body,
  })
}

/** The code of a time step: 0 is the current one. */
function codeAt(secret: string, steps: number): string {
  return totpCode(secret, Math.floor(Date.now() / 30_000) + steps)
}

/** With the code of the previous time step, which is used up then. */
async function addApp({ request }: Joined): Promise<{ secret: string; used: string }> {
  const started = await request('POST', '/console/profile/totp/start', { current: PASSWORD })
  assert.equal(started.status, 200, JSON.stringify(started.body))
  const { secret } = started.body
  const used = codeAt(secret, -1)
  const confirmed = await request('POST', '/console/profile/totp', { code: used })
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  return { secret, used }
}

test('a person signs in with email and password, in any case of the address, and signs out', async (t) => {
  const service = await testService(t)
  await personWith(service, 'owner')
  const reply = await signIn(service, { email: 'OWNER@example.com' })
  assert.deepEqual([reply.status, reply.body.ticket], [200, null])
  assert.match(
    String(reply.headers['set-cookie']),
    /^longcode_session=lcu_[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
  )
  const request = browser(service, cookiesOf(reply))
  assert.equal((await request('GET', '/v1/account')).status, 200)
  const [entry] = await service.world.db.query(sql`
    select actor_name as name, account_id as "accountId", after from audit_log
    where act = 'user.sign_in'`)
  const { accountId } = service
  assert.deepEqual(entry, { name: 'The owner', accountId, after: { method: 'password' } })
  assert.equal((await request('DELETE', '/console/session')).status, 200)
  assert.equal((await request('GET', '/v1/account')).status, 401)
})

test('an unknown email and a wrong password get the same response', async (t) => {
  const service = await testService(t)
  await personWith(service, 'owner')
  const wrong = await signIn(service, { password: 'another password' })
  const unknown = await signIn(service, { email: 'nobody@example.com' })
  const { requestId: _a, ...wrongBody } = wrong.body
  const { requestId: _b, ...unknownBody } = unknown.body
  assert.equal(wrong.status, 401)
  assert.equal(wrongBody.error, 'The email or password is wrong.')
  assert.deepEqual(unknownBody, wrongBody)
  assert.equal(wrong.headers['set-cookie'], undefined)
})

test('other sites cannot sign anyone in or change anything with the cookie', async (t) => {
  const service = await testService(t)
  const owner = await personWith(service, 'owner')
  const headers = { cookie: owner.cookie, origin: 'https://evil.example' }
  const forged = (method: string, url: string, body?: unknown) =>
    service.call(method, url, body, { token: null, headers })
  const email = { email: EMAIL, password: PASSWORD }
  const replies = await Promise.all([
    forged('POST', '/console/session/password', email),
    forged('POST', '/console/session/passkey/start'),
    forged('POST', '/console/session/account', { accountId: service.accountId }),
    forged('POST', '/console/people/invitation', { email: 'x@example.com', role: 'owner' }),
    forged('POST', '/console/profile/password', { current: PASSWORD, password: 'new words here' }),
    forged('DELETE', '/console/profile/session'),
    forged('DELETE', `/console/people/${owner.userId}`),
    forged('POST', '/console/invitation/accept', { code: 'lci_x', name: 'A', password: PASSWORD }),
  ])
  for (const reply of replies) assert.equal(reply.body.code, 'write_unmarked')
  assert.equal(service.app.hasPlugin('@fastify/cors'), false)
})

test('a session that was planted before a sign-in is worth nothing afterwards', async (t) => {
  const service = await testService(t)
  const planted = await personWith(service, 'agent', 'attacker@example.com')
  await personWith(service, 'owner')
  const reply = await signIn(service, {}, planted.cookie)
  assert.notEqual(cookiesOf(reply), planted.cookie)
  assert.equal((await planted.request('GET', '/v1/account')).status, 401)
  const invented = `longcode_session=lcu_${'a'.repeat(43)}`
  const own = await signIn(service, {}, invented)
  assert.notEqual(cookiesOf(own), invented)
  assert.equal((await browser(service, invented)('GET', '/v1/account')).status, 401)
})

test('with an authenticator app, a password is not enough, and a code works once', async (t) => {
  const service = await testService(t)
  const owner = await personWith(service, 'owner')
  const { secret, used } = await addApp(owner)
  const first = await signIn(service)
  assert.deepEqual(first.body.factors, ['totp'])
  assert.equal(first.headers['set-cookie'], undefined)
  const { ticket } = first.body
  const asCookie = browser(service, `longcode_session=${ticket.replace('lct_', 'lcu_')}`)
  assert.equal((await asCookie('GET', '/v1/account')).status, 401, 'a ticket is not a session')
  const complete = (code: string, of = ticket) =>
    browser(service)('POST', '/console/session/code', { ticket: of, code })
  assert.equal((await complete('000000')).body.code, 'code_refused')
  assert.equal((await complete(used)).body.code, 'code_refused', 'used at setup')
  const code = codeAt(secret, 0)
  const done = await complete(code)
  assert.equal(done.status, 200)
  assert.equal((await browser(service, cookiesOf(done))('GET', '/v1/account')).status, 200)
  assert.equal((await complete(codeAt(secret, 1))).body.code, 'sign_in_expired', 'ticket is used')
  const second = await signIn(service)
  assert.equal((await complete(code, second.body.ticket)).body.code, 'code_refused', 'replayed')
})

test('codes cannot be guessed: ten wrong ones, then a wait, whatever the number of tickets', async (t) => {
  const service = await testService(t)
  const owner = await personWith(service, 'owner')
  const { secret } = await addApp(owner)
  for (let i = 0; i < 10; i += 1) {
    const { ticket } = (await signIn(service)).body
    const reply = await browser(service)('POST', '/console/session/code', { ticket, code: 'abc' })
    assert.equal(reply.body.code, 'code_refused')
  }
  const { ticket } = (await signIn(service)).body
  const right = { ticket, code: codeAt(secret, 0) }
  const reply = await browser(service)('POST', '/console/session/code', right)
  assert.equal(reply.body.code, 'sign_in_limited')
})

test('an authenticator app is added only with the password, and its first code cannot be guessed', async (t) => {
  const service = await testService(t)
  const { request } = await personWith(service, 'owner')
  const start = (body: object) => request('POST', '/console/profile/totp/start', body)
  const unconfirmed = await start({})
  assert.deepEqual([unconfirmed.status, unconfirmed.body.error], [400, 'current is required'])
  assert.equal((await start({ current: 'no' })).body.code, 'sign_in_refused')
  const { secret } = (await start({ current: PASSWORD })).body
  const confirm = (code: string) => request('POST', '/console/profile/totp', { code })
  for (let i = 0; i < 10; i += 1) assert.equal((await confirm('abc')).body.code, 'code_refused')
  assert.equal((await confirm(codeAt(secret, 0))).body.code, 'sign_in_limited')
})

test('if a second factor is required, everything but the profile waits for one', async (t) => {
  const env = { LONGCODE_SECOND_FACTOR: 'required', LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const service = await testService(t, { env })
  const owner = await personWith(service, 'owner')
  const operator = await operatorWith(service, 'operator')
  const refused = await owner.request('GET', '/v1/account')
  assert.deepEqual([refused.status, refused.body.code], [403, 'second_factor_required'])
  const closed = await operator.request('GET', '/operator/v1/account/list')
  assert.equal(closed.body.code, 'second_factor_required')
  const session = (await owner.request('GET', '/console/session')).body
  assert.deepEqual([session.account, session.user.needsSecondFactor], [null, true])
  await addApp(owner)
  assert.equal((await owner.request('GET', '/v1/account')).status, 200)
  assert.equal((await service.get('/v1/account')).status, 200, 'tokens are for machines')
})

test('people list and end their sessions, and a new password ends the others', async (t) => {
  const service = await testService(t)
  const first = await personWith(service, 'owner')
  const second = browser(service, cookiesOf(await signIn(service)))
  const third = browser(service, cookiesOf(await signIn(service)))
  const { sessions, hasPassword } = (await second('GET', '/console/profile')).body.profile
  assert.equal(hasPassword, true)
  assert.deepEqual(
    sessions.map((one: { isCurrent: boolean }) => one.isCurrent),
    [false, true, false],
  )
  const ended = await second('DELETE', `/console/profile/session/${sessions[2].id}`)
  assert.equal(ended.status, 200)
  assert.equal((await first.request('GET', '/v1/account')).status, 401)
  const missing = await second('DELETE', `/console/profile/session/${sessions[2].id}`)
  assert.equal(missing.body.code, 'session_missing')
  const password = 'quiet yellow tractor'
  const wrong = await second('POST', '/console/profile/password', { current: 'no', password })
  assert.equal(wrong.body.code, 'sign_in_refused')
  const changed = await second('POST', '/console/profile/password', { current: PASSWORD, password })
  assert.equal(changed.status, 200)
  assert.equal((await third('GET', '/v1/account')).status, 401)
  assert.equal((await second('GET', '/v1/account')).status, 200)
  assert.equal((await signIn(service)).body.code, 'sign_in_refused')
  const fresh = browser(service, cookiesOf(await signIn(service, { password })))
  assert.equal((await fresh('DELETE', '/console/profile/session')).body.ended, 1)
  assert.equal((await second('GET', '/v1/account')).status, 401)
})

test('nobody ends a session of someone else, and a token has no profile', async (t) => {
  const service = await testService(t)
  const owner = await personWith(service, 'owner')
  const agent = await personWith(service, 'agent')
  const { sessions } = (await owner.request('GET', '/console/profile')).body.profile
  const reply = await agent.request('DELETE', `/console/profile/session/${sessions[0].id}`)
  assert.equal(reply.body.code, 'session_missing')
  assert.equal((await service.get('/console/profile', { headers: MARK })).status, 401)
})

test('a recovery link sets a new password and ends sessions and second factors', async (t) => {
  const service = await testService(t, { env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN } })
  const owner = await personWith(service, 'owner')
  await addApp(owner)
  const url = `/operator/v1/user/${owner.userId}/recover`
  const made = await service.post(url, undefined, { token: OPERATOR_TOKEN })
  assert.equal(made.status, 200)
  const code = codeOf(made.body.url)
  const password = 'quiet yellow tractor'
  const accept = () => browser(service)('POST', '/console/invitation/accept', { code, password })
  const shown = await browser(service)('POST', '/console/invitation/show', { code })
  assert.equal(shown.body.kind, 'recovery')
  assert.equal((await owner.request('GET', '/v1/account')).status, 200, 'nothing changed yet')
  const done = await accept()
  assert.equal(done.status, 200)
  assert.equal((await owner.request('GET', '/v1/account')).status, 401)
  assert.equal((await browser(service, cookiesOf(done))('GET', '/v1/account')).status, 200)
  assert.equal((await accept()).body.error, 'This link was already used. Sign in instead.')
  assert.deepEqual((await signIn(service, { password })).body.factors, [])
  const support = await operatorWith(service, 'support')
  assert.equal((await support.request('POST', url)).body.code, 'role_absent')
  const missing = await service.post(`/operator/v1/user/usr_none/recover`, undefined, {
    token: OPERATOR_TOKEN,
  })
  assert.equal(missing.body.code, 'person_missing')
})

test('an invitation that was accepted by a signed-in person of another email is refused', async (t) => {
  const service = await testService(t)
  await personWith(service, 'owner')
  const agent = await personWith(service, 'agent')
  const { body } = await service.post('/console/people/invitation', { email: EMAIL, role: 'owner' })
  const code = codeOf(body.url)
  const stolen = await agent.request('POST', '/console/invitation/accept', { code })
  assert.equal(stolen.body.code, 'sign_in_first')
  await join(
    service,
    (await service.post('/console/people/invitation', { email: 'c@example.com', role: 'agent' }))
      .body.url,
  )
})
