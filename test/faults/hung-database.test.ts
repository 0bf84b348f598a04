// PostgreSQL freezes with every connection open, as when a machine hangs or a disk stops responding. Clients get an
// error within seconds, and everything continues when it recovers.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { startEmbeddedDatabase } from '../../src/kit/embedded/database.js'
import { migrateDatabase } from '../../src/run.js'
import { eventually, type TestDatabase } from '../harness.js'
import { assertDollars, SMS_PRICE, sendingService } from '../sending.js'
import { readServerPid } from './embedded-database-harness.js'

const OPERATOR_TOKEN = 'operator-of-a-hung-database'
const SENDS = 20

interface HangingDatabase extends TestDatabase {
  hang: () => void
  resume: () => void
}

/** A separate server, because other tests use the shared one. */
async function hangingDatabase(): Promise<HangingDatabase> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'longcode-hung-'))
  chmodSync(dataDir, 0o755)
  const { url, stop } = await startEmbeddedDatabase({ dataDir, note: () => {} })
  await migrateDatabase(url)
  const server = readServerPid(dataDir)
  const signal = (name: NodeJS.Signals) => {
    process.kill(server, name) // first, because a stopped server starts no new processes
    for (const pid of childrenOf(server)) signalIfAlive(pid, name)
  }
  return {
    url,
    hang: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    drop: async () => {
      signal('SIGCONT')
      await stop()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Resumed servers end processes that lost their client, perhaps before we signal them. */
function signalIfAlive(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function childrenOf(parent: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.filter(([, ppid]) => ppid === parent).map(([pid]) => pid!)
}

test('clients of a hung PostgreSQL get 503, and their retries send each message once when it resumes', async (t) => {
  const database = await hangingDatabase()
  const { service, send, trySend, until, advance } = await sendingService(t, {
    roles: ['dispatch'],
    env: { LONGCODE_DATABASE_TIMEOUT: '1', LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN },
    database,
  })
  await until(await send(), 'DELIVERED')
  const isReady = async () => (await service.get('/readyz', { token: null })).status === 200
  await eventually(isReady, 'readiness')
  const balance = await service.balance()
  const trySends = (i: number) =>
    trySend({ body: `Number ${i}` }, { headers: { 'idempotency-key': `key ${i}` } })

  // Some sends are in flight when it hangs: their outcome is unknown.
  const inFlight = Array.from({ length: SENDS / 2 }, (_, i) => trySends(i))
  database.hang()
  const probes = await Promise.all(
    Array.from({ length: 50 }, () => service.get('/readyz', { token: null })),
  )
  for (const { status, body } of probes) {
    assert.equal(status, 503)
    assert.equal(body.details[0].field, 'database')
  }
  assert.equal((await service.get('/healthz', { token: null })).status, 200)
  const metrics = await service.get('/metrics', { token: OPERATOR_TOKEN })
  assert.match(metrics.body, /^longcode_database_up 0$/m)
  const others = Array.from({ length: SENDS / 2 }, (_, i) => trySends(SENDS / 2 + i))
  const refused = await Promise.all([...inFlight, ...others])
  for (const { status, body, headers } of refused) {
    assert.equal(status, 503, JSON.stringify(body))
    assert.match(body.code, /^database_(?:unavailable|busy)$/)
    assert.equal(body.error, 'Internal server error')
    assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
  }
  assert.equal((await service.get('/v1/account', { token: 'unknown-to-all' })).status, 503)

  database.resume()
  await eventually(isReady, 'readiness')
  const ids = await Promise.all(
    Array.from({ length: SENDS }, (_, i) =>
      eventually(async () => (await trySends(i)).body.id as string | undefined, 'a message'),
    ),
  )
  // Past the leases of messages that were accepted although their clients got 503.
  await advance(120)
  for (const id of ids) await until(id, 'DELIVERED')
  assertDollars(balance - (await service.balance()), SENDS * SMS_PRICE)
})
