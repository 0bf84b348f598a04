// Sign-in by a company's identity provider: a real provider on this machine, one that forges its responses, one that is
// down, and what groups mean for roles.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listAudit } from '../../src/accounts/audit-queries.js'
import { readConfig } from '../../src/kit/config.js'
import type { OidcConfig } from '../../src/kit/settings/oidc-config.js'
import { listMemberships } from '../../src/people/membership-queries.js'
import { admitOidcPerson, rolesOfGroups } from '../../src/people/oidc-users.js'
import { type TestService, testService } from '../harness.js'
import { type Lie, oidcEnv, startLyingProvider, startProvider } from '../identity-provider.js'
import { browser, cookiesOf, personWith } from '../people-fixtures.js'

const CALLBACK = 'http://127.0.0.1:8080/console/session/company/callback'

const SOURCE = { origin: '192.0.2.1', requestId: 'req_1' }

/** What the audit log has about a user, oldest first: act, name of the actor, before, and after. */
async function actsOf(service: TestService, userId: string): Promise<unknown[]> {
  const filter = { accountId: null, act: null, actor: null, since: null, until: null }
  const page = { limit: 50, skip: 0, after: null }
  const acts = await listAudit(service.world.db, { ...filter, subject: userId }, page)
  return acts
    .toReversed()
    .map(({ act, actor, before, after }) => [act, actor.name, roleIn(before), roleIn(after)])
}

function roleIn(change: object | null): string | null {
  return (change as { role?: string } | null)?.role ?? null
}

/** Starts a sign-in. Returns the cookie of the browser and the address at the provider. */
async function start(service: TestService) {
  const reply = await service.get('/console/session/company', { token: null })
  assert.equal(reply.status, 303)
  return { cookie: cookiesOf(reply), url: new URL(String(reply.headers.location)) }
}

function finish(service: TestService, cookie: string | null, query: string) {
  return service.get(`/console/session/company/callback?${query}`, {
    token: null,
    headers: cookie === null ? {} : { cookie },
  })
}

/** Signs in at the real provider as a browser does: its forms, its cookies, its redirects. */
async function consent(url: URL, email: string): Promise<URL> {
  const jar = new Map<string, string>()
  let next: { url: URL; form?: URLSearchParams } = { url }
  for (let step = 0; step < 12; step += 1) {
    if (next.url.href.startsWith(CALLBACK)) return next.url
    const response = await fetch(next.url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map((pair) => pair.join('=')).join('; ') },
      ...(next.form && { method: 'POST', body: next.form }),
    })
    for (const text of response.headers.getSetCookie()) {
      const [name = '', value = ''] = text.split(';', 1)[0]!.split(/=(.*)/s)
      jar.set(name, value)
    }
    const location = response.headers.get('location')
    if (location !== null) {
      next = { url: new URL(location, next.url) }
      continue
    }
    const page = await response.text()
    const action = /<form[^>]+action="([^"]+)"/.exec(page)?.[1]
    assert.ok(action, page)
    const prompt = /name="prompt" value="(\w+)"/.exec(page)![1]!
    const form = new URLSearchParams({ prompt, login: email, password: 'any' })
    next = { url: new URL(action, next.url), form }
  }
  return assert.fail('the provider never sent the browser back')
}

test('a person signs in at a real provider, and their groups give the roles', async (t) => {
  const groups = ['staff', 'ops']
  const issuer = await startProvider(t, { redirectUri: CALLBACK, groups })
  const roles = 'staff=acc_01km3v9w8m0000pqv3t5x7z9bd:agent, ops=reviewer, other=operator'
  const service = await testService(t, { env: oidcEnv(issuer, roles) })
  assert.equal((await service.get('/console/session', { token: null })).body.company, 'Acme')
  const { cookie, url } = await start(service)
  assert.equal(url.searchParams.get('code_challenge_method'), 'S256')
  const back = await consent(url, 'cora@acme.example')
  const reply = await finish(service, cookie, back.searchParams.toString())
  assert.deepEqual([reply.status, reply.headers.location], [303, '/console/'])
  const request = browser(service, cookiesOf(reply))
  const session = (await request('GET', '/console/session')).body
  assert.equal(session.user.email, 'cora@acme.example')
  assert.equal(session.user.name, 'Cora Diaz')
  assert.deepEqual(
    session.user.accounts.map((one: { role: string }) => one.role),
    ['agent'],
  )
  assert.equal(session.operator.role, 'reviewer')
  assert.deepEqual(await actsOf(service, session.user.userId), [
    ['user.join', 'Cora Diaz', null, 'reviewer'],
    ['user.join', 'Cora Diaz', null, 'agent'],
    ['user.sign_in', 'Cora Diaz', null, null],
  ])
  const again = await finish(service, cookie, back.searchParams.toString())
  assert.equal(again.headers.location, '/console/sign-in?problem=sign_in_expired', 'used once')
})

test('forged responses sign nobody in, and each gets a sentence on the sign-in page', async (t) => {
  const provider = await startLyingProvider(t)
  const service = await testService(t, { env: oidcEnv(provider.issuer, 'staff=support') })
  const attempt = async (lie: Lie, change: (query: URLSearchParams) => void = () => {}) => {
    const { cookie, url } = await start(service)
    provider.say(url.searchParams.get('nonce')!, lie)
    const query = new URLSearchParams({ code: 'c', state: url.searchParams.get('state')! })
    change(query)
    return finish(service, cookie, query.toString())
  }
  const forged: Record<string, Lie> = {
    issuer: { issuer: 'https://evil.example' },
    nonce: { nonce: 'another' },
    audience: { audience: 'another-client' },
    signature: { isForeignKey: true },
    expired: { expiresInS: -300 },
  }
  for (const [name, lie] of Object.entries(forged)) {
    const reply = await attempt(lie)
    assert.equal(reply.headers.location, '/console/sign-in?problem=oidc_refused', name)
    assert.equal(reply.headers['set-cookie'], undefined, name)
  }
  const changed: Record<string, (query: URLSearchParams) => void> = {
    state: (query) => query.set('state', 'another'),
    'no state': (query) => query.delete('state'),
    'no code': (query) => query.delete('code'),
    'an error': (query) => query.set('error', 'access_denied'),
    'issuer of the response': (query) => query.set('iss', 'https://evil.example'),
  }
  for (const [name, change] of Object.entries(changed)) {
    const reply = await attempt({}, change)
    assert.equal(reply.headers.location, '/console/sign-in?problem=oidc_refused', name)
    assert.equal(reply.headers['set-cookie'], undefined, name)
  }
  const honest = await attempt({})
  assert.equal(honest.headers.location, '/console/')
})

test('a response that another browser started is refused', async (t) => {
  const provider = await startLyingProvider(t)
  const service = await testService(t, { env: oidcEnv(provider.issuer, 'staff=support') })
  const attacker = await start(service)
  const victim = await start(service)
  provider.say(attacker.url.searchParams.get('nonce')!)
  const query = `code=c&state=${attacker.url.searchParams.get('state')}`
  const planted = await finish(service, victim.cookie, query)
  assert.equal(planted.headers.location, '/console/sign-in?problem=oidc_refused')
  const bare = await finish(service, null, query)
  assert.equal(bare.headers.location, '/console/sign-in?problem=sign_in_expired')
})

test('a sign-in while the provider is down gets a sentence', async (t) => {
  const provider = await startLyingProvider(t)
  provider.stop()
  const service = await testService(t, { env: oidcEnv(provider.issuer, 'staff=support') })
  const reply = await service.get('/console/session/company', { token: null })
  assert.equal(reply.headers.location, '/console/sign-in?problem=oidc_unavailable')
})

test('an email that the provider did not verify cannot take over a user, and strangers need a group', async (t) => {
  const provider = await startLyingProvider(t)
  const service = await testService(t, { env: oidcEnv(provider.issuer, '') })
  const owner = await personWith(service, 'owner')
  const attempt = async (lie: Lie) => {
    const { cookie, url } = await start(service)
    provider.say(url.searchParams.get('nonce')!, lie)
    return finish(service, cookie, `code=c&state=${url.searchParams.get('state')}`)
  }
  const email = 'owner@example.com'
  const taken = await attempt({ email, isEmailVerified: false })
  assert.equal(taken.headers.location, '/console/sign-in?problem=oidc_refused')
  const stranger = await attempt({})
  assert.equal(stranger.headers.location, '/console/sign-in?problem=oidc_role_absent')
  const linked = await attempt({ email })
  assert.equal(linked.headers.location, '/console/')
  const session = (await browser(service, cookiesOf(linked))('GET', '/console/session')).body
  assert.equal(session.user.userId, owner.userId)
  assert.equal(session.user.accounts[0].role, 'owner', 'a role from an invitation stays')
  assert.deepEqual((await actsOf(service, owner.userId)).slice(-2), [
    ['user.link', 'The owner', null, null],
    ['user.sign_in', 'The owner', null, null],
  ])
})

test('a group does not change a role from an invitation, and losing the group does not end it', async (t) => {
  const service = await testService(t)
  const { accountId } = service
  const { db, clock } = service.world
  await personWith(service, 'owner')
  const { userId } = await personWith(service, 'admin', 'cora@acme.example')
  const person = {
    issuer: 'https://id.example.com',
    subject: 's1',
    email: 'cora@acme.example',
    isEmailVerified: true,
    name: 'Cora',
    groups: ['staff'],
  }
  for (const roles of [`staff=${accountId}:agent`, '']) {
    const config = readConfig(oidcEnv('https://id.example.com', roles)).oidc!
    await db.transaction((tx) =>
      admitOidcPerson(tx, config, person, { ...SOURCE, now: clock.now() }),
    )
    const memberships = await listMemberships(db, [userId])
    assert.deepEqual(
      memberships.map(({ role }) => role),
      ['admin'],
      roles,
    )
  }
})

test('roles follow the groups at each sign-in, except that an account keeps its last owner', async (t) => {
  const service = await testService(t)
  const { accountId } = service
  const other = (await service.otherAccount()).accountId
  const { db, clock } = service.world
  const config = (roles: string): OidcConfig =>
    readConfig(oidcEnv('https://id.example.com', roles)).oidc!
  const person = {
    issuer: 'https://id.example.com',
    subject: 's1',
    email: 'cora@acme.example',
    isEmailVerified: true,
    name: 'Cora',
    groups: ['a', 'b'],
  }
  const admit = (roles: string) =>
    db.transaction((tx) =>
      admitOidcPerson(tx, config(roles), person, { ...SOURCE, now: clock.now() }),
    )
  const rolesOf = async (userId: string) => {
    const people = async (id: string) => {
      const { listPeople } = await import('../../src/people/membership-queries.js')
      const page = { limit: 10, skip: 0, after: null }
      return (await listPeople(db, id, page)).filter((one) => one.id === userId)
    }
    const [here, there] = [await people(accountId), await people(other)]
    return [here[0]?.role, there[0]?.role, (here[0] ?? there[0])?.installationRole]
  }
  const both = `a=${accountId}:agent,b=${accountId}:owner,a=${other}:agent,b=support`
  const { id } = await admit(both)
  assert.deepEqual(await rolesOf(id), ['owner', 'agent', 'support'])
  await admit(`a=${accountId}:read-only`)
  assert.deepEqual(await rolesOf(id), ['owner', undefined, null])
  await admit(`a=${accountId}:read-only`)
  assert.deepEqual(await actsOf(service, id), [
    ['user.join', 'Cora', null, 'support'],
    ['user.join', 'Cora', null, 'owner'],
    ['user.join', 'Cora', null, 'agent'],
    ['user.role', 'Cora', 'support', null],
    ['user.remove', 'Cora', 'agent', null],
  ])
  assert.deepEqual(rolesOfGroups(config('x=operator'), ['y']), {
    installation: null,
    accounts: new Map(),
  })
})

test('settings of the provider are checked when the service starts', async (t) => {
  const read = (env: Record<string, string>) => () =>
    readConfig({ ...oidcEnv('https://id.example.com', ''), ...env })
  assert.throws(read({ LONGCODE_OIDC_ISSUER: 'http://id.example.com' }), /must be an https address/)
  assert.throws(read({ LONGCODE_OIDC_CLIENT_ID: '' }), /LONGCODE_OIDC_CLIENT_ID is required/)
  assert.throws(read({ LONGCODE_OIDC_ROLES: 'operator' }), /must be a list such as/)
  const env = oidcEnv('https://id.example.com', 'ops=king')
  await assert.rejects(testService(t, { env }), /the role "king"\. Use one of operator, reviewer/)
})
