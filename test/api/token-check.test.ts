// Access: every route declares a scope or the service does not start, and guessing tokens is slow.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { createRateLimiter } from '../../src/http/rate-limit.js'
import { SessionCookies } from '../../src/http/session-cookie.js'
import { createRequestGuard, useTokenCheck } from '../../src/http/token-check.js'
import type { Database } from '../../src/kit/postgres/db.js'
import { type TestService, testService } from '../harness.js'

const PRODUCTION = {
  LONGCODE_MODE: 'production',
  DATABASE_URL: 'postgres://unused@localhost/unused',
  LONGCODE_OPERATOR_TOKEN: 'operator-0123456789',
}
const FAILURES_BURST = 200

test('a route below /v1, /operator, or /sandbox without a scope prevents the start', async () => {
  for (const url of ['/v1/planted', '/v1', '/operator/v1/planted', '/sandbox/planted/:id']) {
    const app = Fastify()
    const nobody = () => Promise.reject(new Error('not reached'))
    useTokenCheck(app, {
      authenticators: {
        customers: {
          peek: () => null,
          authenticate: nobody,
          authenticateSession: nobody,
          listLive: nobody,
        },
        operators: { authenticate: nobody, authenticateSession: nobody },
      },
      guard: createRequestGuard(createRateLimiter(0, 1), createRateLimiter(0, 1)),
      db: {} as Database,
      cookies: new SessionCookies({ publicUrl: 'https://sms.test' }),
    })
    app.register(async (instance) => {
      instance.get(url, async () => 'open to all')
    })
    await assert.rejects(async () => app.ready(), {
      message: `The route GET ${url} declares no scope. Set one, or null for a public route.`,
    })
  }
})

/** The statuses of concurrent requests with unknown tokens from one address. */
async function guessTokens(service: TestService, url: string): Promise<Set<number>> {
  const guesses = Array.from({ length: 3 * FAILURES_BURST }, async (_, i) => {
    const { status, headers } = await service.get(url, { token: `lc_guess_${i}` })
    if (status === 429) assert.match(headers['retry-after']!, /^[1-9]\d*$/)
    return status
  })
  return new Set(await Promise.all(guesses))
}

test('a client that keeps guessing tokens is rate limited, and known tokens keep working', async (t) => {
  const service = await testService(t, { env: PRODUCTION })
  const token = PRODUCTION.LONGCODE_OPERATOR_TOKEN
  const askBoth = async () => [
    (await service.get('/v1/account')).status,
    (await service.get('/operator/v1/account/list', { token })).status,
  ]
  assert.deepEqual(await askBoth(), [200, 200])
  assert.deepEqual(await guessTokens(service, '/v1/account'), new Set([401, 429]))
  assert.deepEqual(await askBoth(), [200, 200], 'known tokens still work')
  assert.ok((await guessTokens(service, '/operator/v1/account/list')).has(429))
})

test('a valid token that is new to the process works while others at its address guess', async (t) => {
  const service = await testService(t, { env: PRODUCTION })
  const others = await Promise.all(Array.from({ length: 5 }, () => service.otherAccount()))
  const guesses = guessTokens(service, '/v1/account')
  const answers = others.map(({ token }) => service.get('/v1/account', { token }))
  for (const { status } of await Promise.all(answers)) assert.equal(status, 200)
  assert.ok((await guesses).has(429))
  const late = await service.otherAccount()
  assert.equal((await service.get('/v1/account', { token: late.token })).status, 200)
})

test('the sandbox does not limit token guesses', async (t) => {
  const service = await testService(t)
  assert.deepEqual(await guessTokens(service, '/v1/account'), new Set([401]))
})
