// kill -9 of the service while it writes an export: another process continues, and the file has every message once.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { startLoop } from '../../src/kit/worker-loop.js'
import { exportLoop } from '../../src/messages/exports/write-exports.js'
import { eventually } from '../harness.js'
import { plantMessages } from '../message-rows.js'
import { sendingService } from '../sending.js'
import { forkNode } from './node-process.js'

const MESSAGES = 40_000
const KILLS = 3

test('an export survives kill -9 without a missing or repeated row', async (t) => {
  const { service, campaignId, advance } = await sendingService(t)
  await plantMessages(service, { campaignId, count: MESSAGES })
  const { body } = await service.post('/v1/export/create', {})
  const { id } = body.export
  const read = async () => (await service.get(`/v1/export/${id}`)).body.export
  for (let kills = 0; kills < KILLS; kills += 1) {
    const before = (await read()).rows
    const child = forkNode(service.databaseUrl, { LONGCODE_ROLES: 'api,schedule' })
    t.after(() => child.kill('SIGKILL'))
    await eventually(async () => (await read()).rows > before, 'some rows')
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.ok((await read()).rows < MESSAGES, 'it was killed while it wrote')
    await advance(60) // to the end of the lease
  }
  const loop = startLoop(exportLoop(service.world), service.world.hints)
  try {
    await eventually(async () => (await read()).status === 'DONE', 'the rest')
  } finally {
    await loop.stop()
  }
  assert.equal((await read()).rows, MESSAGES)
  const { body: text } = await service.get(`/v1/export/${id}?format=csv`)
  const bodies = (text as string)
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[13])
  assert.deepEqual(
    bodies,
    Array.from({ length: MESSAGES }, (_, i) => `Hello ${MESSAGES - i}`),
  )
})
