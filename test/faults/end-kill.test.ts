// kill -9 of the service while it cancels the messages of an ended campaign: another process continues where it
// stopped, and every message is refunded once.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { startLoop } from '../../src/kit/worker-loop.js'
import { terminationLoop } from '../../src/termination/continue-terminations.js'
import { eventually } from '../harness.js'
import { sendingService, VZW } from '../sending.js'
import { takeTurns } from '../turns.js'

const MESSAGES = 4_000
const PRICE = 0.0079

function forkNode(databaseUrl: string): ChildProcess {
  const file = path.join(import.meta.dirname, 'serve-process.mjs')
  const isBuilt = existsSync(path.join(import.meta.dirname, '../../dist/serve.js'))
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    LONGCODE_LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    LONGCODE_ROLES: 'api',
    LONGCODE_DATABASE_POOL: '4',
  }
  const execArgv = isBuilt ? [] : ['--import', 'tsx']
  return fork(file, [isBuilt ? '../../dist/' : '../../src/'], { execArgv, env })
}

test('kill -9 while a campaign ends leaves no message open and refunds each once', async (t) => {
  const { service, campaignId } = await sendingService(t)
  const { world } = service
  const scheduledAt = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
  const one = { campaign: campaignId, to: VZW, body: 'Hello', scheduledAt }
  for (let sent = 0; sent < MESSAGES; sent += 1_000) {
    const messages = Array.from({ length: 1_000 }, () => one)
    assert.equal((await service.post('/v1/message/batch', { messages })).status, 200)
  }
  const before = await service.balance()
  const child = forkNode(service.databaseUrl)
  t.after(() => child.kill('SIGKILL'))
  const [{ address }] = (await once(child, 'message')) as [{ address: string }]
  const answering = fetch(`${address}/v1/campaign/${campaignId}/end`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ confirm: campaignId }),
  }).catch(() => null)
  const countCanceled = async () => {
    const [row] = await world.db.query<{ count: number }>(sql`
      select messages_cancelled as count from campaign_endings`)
    return row?.count ?? 0
  }
  await eventually(async () => (await countCanceled()) > 0, 'some canceled messages')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await answering
  takeTurns(world)
  const loop = startLoop(terminationLoop(world), world.hints)
  try {
    await eventually(async () => (await countCanceled()) === MESSAGES, 'every message canceled')
  } finally {
    await loop.stop()
  }
  assert.equal(await service.balance(), Number((before + MESSAGES * PRICE).toFixed(6)))
  const left = await world.db.query(sql`select 1 from messages where status <> 'FAILED' limit 1`)
  assert.equal(left.length, 0)
})
