// People of an account: invitations, roles, and removal, and what each change means for the next request.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashToken } from '../../src/accounts/token.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { testService } from '../harness.js'
import {
  browser,
  codeOf,
  cookiesOf,
  join,
  OPERATOR_TOKEN,
  operatorWith,
  PASSWORD,
  personWith,
} from '../people-fixtures.js'

test('an invited person chooses a password, is signed in, and appears in the list and the audit log', async (t) => {
  const service = await testService(t, { env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN } })
  const invited = await service.post('/console/people/invitation', {
    email: ' Ana@Example.COM ',
    role: 'owner',
  })
  assert.equal(invited.status, 200)
  assert.equal(invited.body.invitation.email, 'ana@example.com')
  assert.match(invited.body.url, /\/console\/join#k=lci_[\w-]{43}$/)
  const shown = await browser(service)('POST', '/console/invitation/show', {
    code: codeOf(invited.body.url),
  })
  assert.deepEqual(
    [shown.body.kind, shown.body.email, shown.body.role, shown.body.hasUser],
    ['invitation', 'ana@example.com', 'owner', false],
  )
  const ana = await join(service, invited.body.url)
  const session = (await ana.request('GET', '/console/session')).body
  assert.deepEqual(session.user.accounts, [
    { accountId: service.accountId, name: session.account.name, role: 'owner' },
  ])
  assert.deepEqual(session.account.scopes, ['read', 'send', 'manage', 'billing'])
  const { people } = (await ana.request('GET', '/console/people')).body
  assert.deepEqual(
    people.map((one: { name: string; role: string }) => [one.name, one.role]),
    [['Ana Silva', 'owner']],
  )
  const made = await ana.request('POST', '/v1/token/create', { name: 'billing' })
  assert.equal(made.body.token.createdBy, ana.userId)
  const { acts: entries } = (
    await service.get(`/operator/v1/audit/list?account=${service.accountId}`, {
      token: OPERATOR_TOKEN,
    })
  ).body
  const acts = entries.map((one: { act: string; actor: { name: string; id: string } }) => [
    one.act,
    one.actor.name,
  ])
  assert.deepEqual(acts.slice(0, 2), [
    ['token.create', 'Ana Silva'],
    ['user.join', 'Ana Silva'],
  ])
})

test('a link works once, and a used, unknown, expired, or replaced one says so', async (t) => {
  const service = await testService(t)
  const anyone = browser(service)
  const accept = (code: string) =>
    anyone('POST', '/console/invitation/accept', { code, name: 'Ana', password: PASSWORD })
  const invite = async () =>
    codeOf(
      (await service.post('/console/people/invitation', { email: 'a@example.com', role: 'agent' }))
        .body.url,
    )
  const replaced = await invite()
  const code = await invite()
  assert.equal((await accept(replaced)).body.code, 'invitation_missing')
  const both = await Promise.all([accept(code), accept(code)])
  assert.deepEqual(
    both.map(({ status }) => status).sort(),
    [200, both[0]!.status === 200 ? both[1]!.status : both[0]!.status].sort(),
  )
  assert.equal(both.filter(({ status }) => status === 200).length, 1)
  assert.equal((await accept(code)).body.code, 'invitation_used')
  assert.equal((await accept('lci_unknown')).body.code, 'invitation_missing')
  const late = await invite()
  await service.world.db.query(sql`
    update invitations set expires_at = ${new Date(0)} where secret_hash = ${hashToken(late)}`)
  assert.equal((await accept(late)).body.code, 'invitation_missing')
})

test('a weak password, a missing name, and a bad email are refused with a sentence', async (t) => {
  const service = await testService(t)
  const bad = await service.post('/console/people/invitation', { email: 'nobody', role: 'agent' })
  assert.equal(bad.body.error, 'email must be an email address, for example ana@example.com')
  const { body } = await service.post('/console/people/invitation', {
    email: 'annabel@example.com',
    role: 'agent',
  })
  const accept = (more: object) =>
    browser(service)('POST', '/console/invitation/accept', { code: codeOf(body.url), ...more })
  const texts = await Promise.all([
    accept({ name: 'A', password: 'short' }),
    accept({ name: 'A', password: 'password123' }),
    accept({ name: 'A', password: 'annabel-2026!' }),
    accept({ name: 'A' }),
    accept({ password: PASSWORD }),
  ])
  assert.deepEqual(
    texts.map((reply) => reply.body.error),
    [
      'password must have at least 10 characters',
      'password is too easy to guess. Use several words that only you combine',
      'password must not contain your email address',
      'password is required',
      'name is required',
    ],
  )
  await join(service, body.url)
})

test('a person in two accounts switches between them, and sees each with their role there', async (t) => {
  const service = await testService(t)
  const ana = await personWith(service, 'owner')
  const other = await service.otherAccount()
  const { body } = await service.post(
    '/console/people/invitation',
    { email: 'owner@example.com', role: 'read-only' },
    { token: other.token },
  )
  const code = codeOf(body.url)
  const stranger = await browser(service)('POST', '/console/invitation/accept', {
    code,
    name: 'Thief',
    password: PASSWORD,
  })
  assert.equal(stranger.body.code, 'sign_in_first')
  const joined = await ana.request('POST', '/console/invitation/accept', { code })
  assert.equal(joined.status, 200)
  const now = browser(service, cookiesOf(joined))
  assert.equal((await now('GET', '/console/session')).body.account.accountId, other.accountId)
  assert.equal((await now('POST', '/v1/token/create', {})).body.code, 'role_absent')
  const back = await now('POST', '/console/session/account', { accountId: service.accountId })
  assert.equal(back.status, 200)
  assert.equal((await now('GET', '/console/session')).body.account.accountId, service.accountId)
  assert.equal((await now('POST', '/v1/token/create', {})).status, 200)
  const third = await service.otherAccount()
  const foreign = await now('POST', '/console/session/account', { accountId: third.accountId })
  assert.equal(foreign.body.code, 'membership_absent')
})

test('a changed role applies to the next request, and a removed person is out at once', async (t) => {
  const service = await testService(t)
  const owner = await personWith(service, 'owner')
  const agent = await personWith(service, 'agent')
  assert.equal((await agent.request('GET', '/v1/message/search')).status, 200)
  const url = `/console/people/${agent.userId}`
  assert.equal((await owner.request('PATCH', url, { role: 'billing' })).status, 200)
  const refused = await agent.request('GET', '/v1/message/search')
  assert.equal(refused.status, 403)
  assert.equal(
    refused.body.error,
    'Your role (billing) does not allow this. Ask an owner or admin of the account.',
  )
  assert.equal((await owner.request('PATCH', url, { role: 'developer' })).status, 200)
  const token = (await agent.request('POST', '/v1/token/create', {})).body.token.id
  const removed = await owner.request('DELETE', `${url}?tokens=revoke`)
  assert.deepEqual(removed.body.revokedTokens, [token])
  assert.equal((await agent.request('GET', '/v1/account')).body.code, 'membership_absent')
  const session = (await agent.request('GET', '/console/session')).body
  assert.equal(session.account, null)
  assert.deepEqual(session.user.accounts, [])
})

test('the activity of an account names the people who were invited, changed, and removed', async (t) => {
  const service = await testService(t)
  const owner = await personWith(service, 'owner')
  const agent = await personWith(service, 'agent')
  const url = `/console/people/${agent.userId}`
  await owner.request('PATCH', url, { role: 'billing' })
  await owner.request('DELETE', url)
  const pending = await owner.request('POST', '/console/people/invitation', {
    email: 'ben@example.com',
    role: 'admin',
  })
  await owner.request('DELETE', `/console/people/invitation/${pending.body.invitation.id}`)
  const { activity } = (await owner.request('GET', '/v1/account/activity')).body
  const told = activity
    .slice(0, 5)
    .map((one: Record<string, unknown>) => [one.act, one.actor, one.person, one.role])
  const [by, email] = ['The owner', 'agent@example.com']
  assert.deepEqual(told, [
    ['user.withdraw', by, 'ben@example.com', 'admin'],
    ['user.invite', by, 'ben@example.com', 'admin'],
    ['user.remove', by, email, 'billing'],
    ['user.role', by, email, 'billing'],
    ['user.join', 'The agent', email, 'agent'],
  ])
})

test('the last owner cannot leave or step down, and two owners cannot remove each other at once', async (t) => {
  const service = await testService(t)
  const one = await personWith(service, 'owner', 'one@example.com')
  const self = `/console/people/${one.userId}`
  const leave = await one.request('DELETE', self)
  assert.equal(leave.status, 409)
  assert.equal(leave.body.error, 'An account needs an owner. Make someone else an owner first.')
  assert.equal((await one.request('PATCH', self, { role: 'admin' })).body.code, 'last_owner')
  const two = await personWith(service, 'owner', 'two@example.com')
  const replies = await Promise.all([
    one.request('DELETE', `/console/people/${two.userId}`),
    two.request('DELETE', self),
  ])
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  const { people } = (await service.get('/console/people')).body
  assert.equal(people.filter((person: { role: string }) => person.role === 'owner').length, 1)
})

test('an admin manages people but not owners, and a developer and a limited token manage nobody', async (t) => {
  const service = await testService(t)
  const owner = await personWith(service, 'owner')
  const admin = await personWith(service, 'admin')
  const developer = await personWith(service, 'developer')
  const invite = { email: 'new@example.com', role: 'owner' }
  const asAdmin = await admin.request('POST', '/console/people/invitation', invite)
  assert.equal(asAdmin.body.code, 'owner_required')
  const url = `/console/people/${owner.userId}`
  assert.equal((await admin.request('DELETE', url)).body.code, 'owner_required')
  const self = `/console/people/${admin.userId}`
  assert.equal((await admin.request('PATCH', self, { role: 'owner' })).body.code, 'owner_required')
  const agent = { email: 'new@example.com', role: 'agent' }
  assert.equal((await admin.request('POST', '/console/people/invitation', agent)).status, 200)
  const asDeveloper = await developer.request('POST', '/console/people/invitation', agent)
  assert.equal(asDeveloper.body.code, 'role_absent')
  const limited = await service.tokenWith(['read', 'send', 'manage'])
  const byToken = await service.post('/console/people/invitation', agent, { token: limited })
  assert.equal(byToken.body.code, 'role_absent')
  const open = (await admin.request('GET', '/console/people/invitation')).body.invitations
  assert.deepEqual(
    open.map((one: { email: string; invitedBy: string }) => [one.email, one.invitedBy]),
    [['new@example.com', 'The admin']],
  )
  const withdrawn = await admin.request('DELETE', `/console/people/invitation/${open[0].id}`)
  assert.equal(withdrawn.status, 200)
  assert.deepEqual((await admin.request('GET', '/console/people/invitation')).body.invitations, [])
})

test('people and invitations of another account cannot be seen or changed', async (t) => {
  const service = await testService(t)
  const owner = await personWith(service, 'owner')
  const other = await service.otherAccount()
  const options = { token: other.token }
  assert.deepEqual((await service.get('/console/people', options)).body.people, [])
  const url = `/console/people/${owner.userId}`
  assert.equal((await service.call('DELETE', url, undefined, options)).status, 404)
  assert.equal((await service.call('PATCH', url, { role: 'agent' }, options)).status, 404)
  const { body } = await service.post('/console/people/invitation', {
    email: 'x@example.com',
    role: 'agent',
  })
  const withdraw = `/console/people/invitation/${body.invitation.id}`
  assert.equal((await service.call('DELETE', withdraw, undefined, options)).status, 404)
})

test('operators invite people to accounts and the installation, change their role, and delete them', async (t) => {
  const service = await testService(t, { env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN } })
  const operator = await operatorWith(service, 'operator')
  const { request } = operator
  const invite = (body: object) => request('POST', '/operator/v1/user/invitation', body)
  const email = 'fin@example.com'
  const wrong = await invite({ email, role: 'owner' })
  assert.equal(
    wrong.body.error,
    'role must be one of operator, reviewer, support, finance without an account',
  )
  const mixed = await invite({ email, role: 'finance', accountId: service.accountId })
  assert.match(mixed.body.error, /^role must be one of owner, .* in an account$/)
  const made = await invite({ email, role: 'owner', accountId: service.accountId })
  const fin = await join(service, made.body.url, 'Fin')
  assert.equal((await fin.request('GET', '/operator/v1/account/list')).status, 401)
  const promoted = await request('PATCH', `/operator/v1/user/${fin.userId}`, { role: 'finance' })
  assert.deepEqual(promoted.body.user.accounts, [{ accountId: service.accountId, role: 'owner' }])
  const again = await browser(service)('POST', '/console/session/password', {
    email,
    password: PASSWORD,
  })
  const finance = browser(service, cookiesOf(again))
  assert.equal((await finance('GET', '/operator/v1/account/list')).status, 200)
  const refused = await finance('POST', '/operator/v1/token/create', { name: 'x' })
  assert.equal(refused.body.code, 'role_absent')
  const found = await request('GET', `/operator/v1/user/list?accountId=${service.accountId}`)
  assert.deepEqual(
    found.body.users.map((user: { email: string }) => user.email),
    [email],
  )
  const gone = await request('DELETE', `/operator/v1/user/${fin.userId}`)
  assert.equal(gone.status, 200)
  assert.equal((await finance('GET', '/v1/account')).status, 401)
  const reply = await browser(service)('POST', '/console/session/password', {
    email,
    password: PASSWORD,
  })
  assert.equal(reply.body.code, 'sign_in_refused')
})
