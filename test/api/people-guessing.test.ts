// Guessing passwords: what is counted, where a guesser is refused, and that the counts do not grow forever.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { type TestService, testService } from '../harness.js'
import { browser, MARK, PASSWORD, personWith } from '../people-fixtures.js'

const EMAIL = 'owner@example.com'

function signIn(service: TestService, body: object = {}) {
  const whole = { email: EMAIL, password: PASSWORD, ...body }
  return browser(service)('POST', '/console/session/password', whole)
}

/** A sign-in from another network address, as a proxy reports it. */
function signInFrom(service: TestService, address: string, body: object = {}) {
  const headers = { ...MARK, 'x-forwarded-for': address }
  const whole = { email: EMAIL, password: PASSWORD, ...body }
  return service.call('POST', '/console/session/password', whole, { token: null, headers })
}

const BEHIND_PROXY = { LONGCODE_TRUST_PROXY: 'loopback' }
const WRONG = { password: 'a wrong guess' }

test('after ten failures from one address, an email waits there, and works elsewhere', async (t) => {
  const service = await testService(t, { env: BEHIND_PROXY })
  await personWith(service, 'owner')
  await personWith(service, 'agent')
  const guesses = Array.from({ length: 10 }, () => signInFrom(service, '192.0.2.1', WRONG))
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  assert.deepEqual([...new Set(statuses)], [401])
  const limited = await signInFrom(service, '192.0.2.1')
  assert.equal(limited.status, 429)
  assert.equal(limited.body.code, 'sign_in_limited')
  const seconds = Number(limited.headers['retry-after'])
  assert.ok(seconds > 0 && seconds <= 900, String(seconds))
  assert.equal((await signInFrom(service, '192.0.2.2')).status, 200, 'the owner is elsewhere')
  const agent = { email: 'agent@example.com' }
  assert.equal((await signInFrom(service, '192.0.2.1', agent)).status, 200)
  const unknown = { email: 'nobody@example.com' }
  for (let i = 0; i < 10; i += 1) assert.equal((await signIn(service, unknown)).status, 401)
  assert.equal((await signIn(service, unknown)).status, 429, 'an unknown email is limited too')
})

test('refused guesses from one address never lock an email for other addresses', async (t) => {
  const service = await testService(t, { env: BEHIND_PROXY })
  await personWith(service, 'owner')
  for (let i = 0; i < 150; i += 1) await signInFrom(service, '192.0.2.1', WRONG)
  assert.equal((await signInFrom(service, '192.0.2.2')).status, 200)
})

test('the addresses of an IPv6 /64 network count as one', async (t) => {
  const service = await testService(t, { env: BEHIND_PROXY })
  await personWith(service, 'owner')
  for (let i = 1; i <= 10; i += 1) await signInFrom(service, `2001:db8:0:1::${i}`, WRONG)
  assert.equal((await signInFrom(service, '2001:db8:0:1:ffff::1')).status, 429)
  assert.equal((await signInFrom(service, '2001:db8:0:2::1')).status, 200)
})

test('after a hundred failures for an email from many addresses, it waits everywhere', async (t) => {
  const service = await testService(t, { env: BEHIND_PROXY })
  await personWith(service, 'owner')
  for (let i = 1; i <= 10; i += 1) {
    const guesses = Array.from({ length: 10 }, () => signInFrom(service, `192.0.2.${i}`, WRONG))
    await Promise.all(guesses)
  }
  assert.equal((await signInFrom(service, '198.51.100.1')).body.code, 'sign_in_limited')
})

test('a correct password from one address does not forget guesses from others', async (t) => {
  const service = await testService(t, { env: BEHIND_PROXY })
  await personWith(service, 'owner')
  for (let i = 1; i <= 10; i += 1) {
    const guesses = Array.from({ length: i < 10 ? 10 : 9 }, () =>
      signInFrom(service, `192.0.2.${i}`, WRONG),
    )
    await Promise.all(guesses)
  }
  assert.equal((await signInFrom(service, '198.51.100.1')).status, 200)
  assert.equal((await signInFrom(service, '198.51.100.2', WRONG)).status, 401)
  assert.equal((await signInFrom(service, '198.51.100.3')).body.code, 'sign_in_limited')
})

test('after a hundred failures from one address, no email can be tried from it', async (t) => {
  const service = await testService(t)
  await personWith(service, 'owner')
  for (let round = 0; round < 25; round += 1) {
    const emails = [0, 1, 2, 3].map((i) => `guess${round}-${i}@example.com`)
    await Promise.all(emails.map((email) => signIn(service, { email })))
  }
  assert.equal((await signIn(service)).body.code, 'sign_in_limited')
})

async function expiredRows(service: TestService) {
  const [row] = await service.world.db.query<{ limits: number; steps: number }>(sql`
    select (select count(*)::int from sign_in_limits where resets_at < now()) as limits,
      (select count(*)::int from sign_in_steps where expires_at < now()) as steps`)
  return row!
}

test('counts and steps that expired are deleted a few at a time', async (t) => {
  const service = await testService(t)
  await service.world.db.query(sql`
    with steps as (insert into sign_in_steps (secret_hash, kind, data, expires_at)
      select sha256(i::text::bytea), 'passkey', '{}', now() - interval '1 hour'
      from generate_series(1, 1000) i)
    insert into sign_in_limits (key, failures, resets_at)
    select sha256(i::text::bytea), 1, now() - interval '1 hour' from generate_series(1, 1000) i`)
  await signIn(service, WRONG)
  await browser(service)('POST', '/console/session/passkey/start')
  const after = await expiredRows(service)
  for (const left of [after.limits, after.steps]) {
    assert.ok(left < 1000 && left >= 900, `${left} are left`)
  }
  for (let i = 0; i < 60; i += 1) await browser(service)('POST', '/console/session/passkey/start')
  assert.deepEqual(await expiredRows(service), { limits: 0, steps: 0 })
})
