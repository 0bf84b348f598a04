// The client of sdk/python, in one Python program: with a real service, and with a server that misbehaves.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../commands/run-command.js'
import { blocksOf } from '../documented-blocks.js'
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
  const service = await testService(t, { roles: ['deliver', 'schedule'] })
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
    twilio: [true, true],
    streamOpens: 'balance.changed',
    streamed: 'START',
    resumed: true,
    clock: true,
    waiting: [['+14155550124', 'Ana']],
    notes: ['Called'],
    conversation: ['CLOSED', 'ana'],
    open: 0,
    contacts: ['Ana'],
    contact: { order: '7' },
    exported: 'Where is my order?',
    exports: 1,
    exportGone: 'export_missing',
    alerts: [0, ['error_spike']],
    savedReplies: ['Hello'],
    savedReplyDeleted: true,
    retried: 'msg_1',
    retryAfter: 2,
    lost: 'connection_failed',
    late: 'timed_out',
    streamRefused: 'token_unknown',
  })
  const sends = bad.seen.slice(0, 5)
  assert.equal(new Set(sends.map(({ headers }) => headers['idempotency-key'])).size, 1)
  assert.equal(new Set(sends.map(({ body }) => body)).size, 1)
  assert.equal(sends[0]!.headers.prefer, 'handling=strict')
})

/** False without pip for a new environment, and the test is skipped. */
function canInstall(t: TestContext): boolean {
  if (spawnSync('python3', ['-c', 'import ensurepip']).status === 0) return true
  const advice = 'apt-get install python3-venv'
  assert.ok(!process.env.CI, `CI needs Python with venv: ${advice}`)
  t.skip(`Python has no venv: ${advice}`)
  return false
}

test('the package is installed with pip, and the programs of its README work', {
  skip,
}, async (t) => {
  if (!canInstall(t)) return
  const folder = temporaryFolder(t)
  const python = path.join(folder, 'venv/bin/python')
  await run('python3', ['-m', 'venv', path.join(folder, 'venv')])
  cpSync('sdk/python', path.join(folder, 'source'), { recursive: true }) // the build writes next to it
  const options = ['--quiet', '--no-index', '--disable-pip-version-check']
  await run(python, ['-m', 'pip', 'install', ...options, path.join(folder, 'source')])

  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = service.app.server.address() as AddressInfo
  const programs = blocksOf('sdk/python/README.md').filter(({ language }) => language === 'python')
  assert.equal(programs.length, 3)
  let output = ''
  for (const [i, { text }] of programs.entries()) {
    const file = path.join(folder, `program_${i}.py`)
    writeFileSync(file, text.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`))
    const env = {
      LONGCODE_TOKEN: service.token,
      CAMPAIGN: campaignId,
      WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    }
    output += (await run(python, ['-I', file], { cwd: folder, env })).stdout
  }
  assert.equal(output, 'OUTBOUND Your table is ready. QUEUED\nbalance.changed\n')
  const typed =
    'import longcode, pathlib; print((pathlib.Path(longcode.__file__).parent / "py.typed").exists())'
  assert.equal((await run(python, ['-I', '-c', typed], { cwd: folder })).stdout, 'True\n')
})
