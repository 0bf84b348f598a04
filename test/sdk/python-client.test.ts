// The client of sdk/python, in one Python program: with a real service, and with a server that misbehaves.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { testService } from '../harness.js'
import { cut, halfABody, hang, misbehavingServer, reply } from './misbehaving-server.js'

const run = promisify(execFile)
const AT_LEAST_3_11 = 'import sys; sys.exit(sys.version_info < (3, 11))'
const hasPython = spawnSync('python3', ['-c', AT_LEAST_3_11]).status === 0
const skip = hasPython ? false : 'Python 3.11 or later is not installed'

test('a Python program sends, lists, verifies webhooks, and survives a bad network', {
  skip,
}, async (t) => {
  const service = await testService(t, { roles: ['deliver'] })
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = service.app.server.address() as AddressInfo
  const bad = await misbehavingServer(
    t,
    cut,
    halfABody,
    reply(429, { error: 'Slow down', code: 'rate_limited' }, { 'retry-after': '2' }),
    reply(502, '<h1>Bad gateway</h1>'),
    reply(200, { success: true, id: 'msg_1' }),
    cut,
    cut,
    hang,
  )
  const { stdout } = await run('python3', ['-B', '-W', 'error', 'sdk/python/tests/story.py'], {
    env: {
      PATH: process.env.PATH,
      LONGCODE_URL: `http://127.0.0.1:${port}`,
      LONGCODE_TOKEN: service.token,
      BAD_URL: bad.baseUrl,
      CAMPAIGN: campaignId,
      NUMBER: number,
    },
  })
  assert.deepEqual(JSON.parse(stdout), {
    isSameMessage: true,
    status: 'QUEUED',
    listed: ['0', '1', '2', '3', 'Your table is ready.'],
    page: 2,
    numbers: [number],
    number: true,
    uploaded: 'text/csv',
    events: ['message.incoming', 'recipient.optout'],
    codes: [
      'webhook_replayed',
      'webhook_signature_wrong',
      'webhook_too_old',
      'webhook_headers_missing',
    ],
    refusal: ['recipient_opted_out', 422, 'recipient_opted_out', 'req_'],
    optouts: ['+14155550123'],
    unknown: 'field_unknown',
    deliveries: 2,
    clock: true,
    retried: 'msg_1',
    retryAfter: 2,
    lost: 'connection_failed',
    late: 'timed_out',
  })
  const sends = bad.seen.slice(0, 5)
  assert.equal(new Set(sends.map(({ headers }) => headers['idempotency-key'])).size, 1)
  assert.equal(new Set(sends.map(({ body }) => body)).size, 1)
  assert.equal(sends[0]!.headers.prefer, 'handling=strict')
})
