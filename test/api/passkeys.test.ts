// Passkeys over HTTP, with a device in software: what is accepted, and every forged response that is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Reply, type TestService, testService } from '../harness.js'
import { browser, cookiesOf, type Joined, PASSWORD, personWith } from '../people-fixtures.js'
import { type Claims, SoftAuthenticator } from '../soft-authenticator.js'

const SITE = { origin: 'https://console.example.com', rpId: 'console.example.com' }
const ENV = { LONGCODE_PUBLIC_URL: SITE.origin }

async function startAdding({ request }: Joined): Promise<{ ticket: string; challenge: string }> {
  const started = await request('POST', '/console/profile/passkey/start', { current: PASSWORD })
  assert.equal(started.status, 200, JSON.stringify(started.body))
  const { ticket, options } = started.body
  assert.equal(options.rp.id, SITE.rpId)
  return { ticket, challenge: options.challenge }
}

async function addPasskey(
  person: Joined,
  device: SoftAuthenticator,
  lie: Partial<Claims> = {},
): Promise<Reply> {
  const { ticket, challenge } = await startAdding(person)
  const response = device.register({ ...SITE, challenge, ...lie })
  return person.request('POST', '/console/profile/passkey', { ticket, response, name: 'Laptop' })
}

async function startSignIn(service: TestService): Promise<{ ticket: string; challenge: string }> {
  const { ticket, options } = (await browser(service)('POST', '/console/session/passkey/start'))
    .body
  return { ticket, challenge: options.challenge }
}

async function signIn(
  service: TestService,
  device: SoftAuthenticator,
  lie: Partial<Claims> = {},
  change: object = {},
): Promise<Reply> {
  const { ticket, challenge } = await startSignIn(service)
  const response = { ...device.signIn({ ...SITE, challenge, ...lie }), ...change }
  return browser(service)('POST', '/console/session/passkey', { ticket, response })
}

function assertRefused(reply: Reply, what: string): void {
  assert.equal(reply.body.code, 'passkey_refused', what)
  assert.equal(reply.headers['set-cookie'], undefined, what)
}

test('a passkey signs in as its owner, and its counter may only rise', async (t) => {
  const service = await testService(t, { env: ENV })
  const owner = await personWith(service, 'owner')
  const device = new SoftAuthenticator()
  assert.equal((await addPasskey(owner, device, { counter: 5 })).status, 200)
  const reply = await signIn(service, device, { counter: 6 })
  assert.equal(reply.status, 200)
  const { user } = (await browser(service, cookiesOf(reply))('GET', '/console/session')).body
  assert.equal(user.userId, owner.userId)
  assertRefused(await signIn(service, device, { counter: 6 }), 'the same count: a copied device')
  assertRefused(await signIn(service, device, { counter: 3 }), 'a lower count')
  const high = 4_294_967_294
  assert.equal((await signIn(service, device, { counter: high })).status, 200)
  assert.equal((await signIn(service, device, { counter: high + 1 })).status, 200)
})

test('forged passkey responses sign nobody in', async (t) => {
  const service = await testService(t, { env: ENV })
  const owner = await personWith(service, 'owner')
  const agent = await personWith(service, 'agent')
  const [device, other] = [new SoftAuthenticator(), new SoftAuthenticator()]
  assert.equal((await addPasskey(owner, device)).status, 200)
  assert.equal((await addPasskey(agent, other)).status, 200)
  const lies: Record<string, Partial<Claims>> = {
    'another origin': { origin: 'https://console.example.com.evil.example' },
    'plain http': { origin: 'http://console.example.com' },
    'the origin of this machine': { origin: 'http://localhost:8080' },
    'another site': { rpId: 'evil.example' },
    'another challenge': { challenge: Buffer.alloc(32, 1).toString('base64url') },
    'without a check of the person': { isVerified: false },
  }
  for (const [what, lie] of Object.entries(lies)) {
    assertRefused(await signIn(service, device, lie), what)
  }
  const stolen = { id: device.id, rawId: device.id }
  assertRefused(await signIn(service, other, {}, stolen), 'signed by the device of someone else')
  assertRefused(await signIn(service, new SoftAuthenticator()), 'an unknown device')
  assert.equal((await signIn(service, device)).status, 200)
})

test('a response works once, and only for the sign-in that it answers', async (t) => {
  const service = await testService(t, { env: ENV })
  const owner = await personWith(service, 'owner')
  const device = new SoftAuthenticator()
  assert.equal((await addPasskey(owner, device)).status, 200)
  const first = await startSignIn(service)
  const response = device.signIn({ ...SITE, challenge: first.challenge })
  const send = (ticket: string) =>
    browser(service)('POST', '/console/session/passkey', { ticket, response })
  const second = await startSignIn(service)
  assertRefused(await send(second.ticket), 'the ticket of another sign-in')
  assert.equal((await send(first.ticket)).status, 200)
  const again = await send(first.ticket)
  assert.equal(again.body.code, 'sign_in_expired', 'replayed')
  assert.equal(again.headers['set-cookie'], undefined)
})

test('of two sign-ins at once with the same count, one gets in', async (t) => {
  const service = await testService(t, { env: ENV })
  const owner = await personWith(service, 'owner')
  const device = new SoftAuthenticator()
  assert.equal((await addPasskey(owner, device, { counter: 5 })).status, 200)
  const attempts = Array.from({ length: 4 }, () => signIn(service, device, { counter: 6 }))
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join(' '))
})

test('nobody adds a passkey with a forged response, with the ticket of someone else, or twice', async (t) => {
  const service = await testService(t, { env: ENV })
  const owner = await personWith(service, 'owner')
  const agent = await personWith(service, 'agent')
  const device = new SoftAuthenticator()
  const lies: Partial<Claims>[] = [
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { challenge: Buffer.alloc(32, 1).toString('base64url') },
    { isVerified: false },
  ]
  for (const lie of lies) {
    assertRefused(await addPasskey(owner, device, lie), JSON.stringify(lie))
  }
  const { ticket, challenge } = await startAdding(owner)
  const response = device.register({ ...SITE, challenge })
  const body = { ticket, response, name: 'Planted' }
  const planted = await agent.request('POST', '/console/profile/passkey', body)
  assert.equal(planted.body.code, 'sign_in_expired')
  assert.equal((await addPasskey(owner, device)).status, 200)
  assertRefused(await addPasskey(agent, device), 'the credential of someone else')
  const { passkeys } = (await agent.request('GET', '/console/profile')).body.profile
  assert.deepEqual(passkeys, [])
})

test('a passkey is removed once, and only by its owner', async (t) => {
  const service = await testService(t, { env: ENV })
  const owner = await personWith(service, 'owner')
  const agent = await personWith(service, 'agent')
  const device = new SoftAuthenticator()
  assert.equal((await addPasskey(owner, device)).status, 200)
  const [{ id }] = (await owner.request('GET', '/console/profile')).body.profile.passkeys
  const remove = async ({ request }: Joined) => {
    const { status, body } = await request('DELETE', `/console/profile/passkey/${id}`, {
      current: PASSWORD,
    })
    return [status, body.code]
  }
  assert.deepEqual(await remove(agent), [404, 'passkey_missing'])
  assert.equal((await signIn(service, device)).status, 200)
  assert.deepEqual(await remove(owner), [200, undefined])
  assert.deepEqual(await remove(owner), [404, 'passkey_missing'])
  assertRefused(await signIn(service, device), 'a removed passkey')
})

test('a sign-in by passkey replaces a planted session, and other sites cannot start one', async (t) => {
  const service = await testService(t, { env: ENV })
  const owner = await personWith(service, 'owner')
  const attacker = await personWith(service, 'agent', 'attacker@example.com')
  const device = new SoftAuthenticator()
  assert.equal((await addPasskey(owner, device)).status, 200)
  const { ticket, challenge } = await startSignIn(service)
  const body = { ticket, response: device.signIn({ ...SITE, challenge }) }
  const headers = { origin: 'https://evil.example' }
  const forged = await service.call('POST', '/console/session/passkey', body, {
    token: null,
    headers,
  })
  assert.equal(forged.body.code, 'write_unmarked')
  const reply = await attacker.request('POST', '/console/session/passkey', body)
  assert.equal(reply.status, 200)
  assert.notEqual(cookiesOf(reply), attacker.cookie)
  assert.equal((await attacker.request('GET', '/v1/account')).status, 401, 'the old one ended')
})
