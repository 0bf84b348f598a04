// Repeated kill -9 of a process under load near its quotas: what the quotas count is what the database stores, and no limit is exceeded.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { OPERATOR_TOKEN } from '../api/operator-service.js'
import { eventually, thorough } from '../harness.js'
import { sendingService, VZW } from '../sending.js'
import { storageOf } from '../storage-counts.js'
import { startNode } from './node-process.js'

const KILLS = thorough(6, 30)
const LIMIT = 60 * KILLS
const CLIENTS = 8
const DAY_MS = 86_400_000

test('repeated kill -9 leaves the counts of quotas exact and exceeds none', async (t) => {
  const sending = await sendingService(t) // for the database and the clock; it accepts nothing meanwhile
  const { service, campaignId } = sending
  const { db, clock } = service.world
  const settings = {
    LONGCODE_QUOTA_QUEUED: String(LIMIT),
    LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    LONGCODE_ROLES: 'api,schedule',
  }
  const scheduledAt = new Date(clock.now().getTime() + DAY_MS).toISOString()
  const send = (address: string) =>
    fetch(`${address}/v1/message/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ campaign: campaignId, to: VZW, body: 'Hello', scheduledAt }),
    })
  const upload = (address: string) =>
    fetch(`${address}/v1/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'text/plain' },
      body: randomBytes(500).toString('base64'),
    })
  let [accepted, refused, lost] = [0, 0, 0]
  const load = async (address: string, request: (at: string) => Promise<Response>) => {
    for (let isUp = true; isUp; ) {
      const status = await request(address).then(
        (response) => response.status,
        () => 0,
      )
      if (status === 200) accepted += 1
      else if (status === 429) refused += 1
      else lost += 1
      isUp = status !== 0
    }
  }
  for (let kills = 0; kills < KILLS; kills += 1) {
    const node = await startNode(t, service.databaseUrl, settings)
    const before = accepted
    const clients = Array.from({ length: CLIENTS }, (_, i) =>
      load(node.address, i === 0 ? upload : send),
    )
    const isLast = kills === KILLS - 1
    await eventually(async () => (isLast ? refused > 0 : accepted > before + 40), 'some answers')
    node.child.kill('SIGKILL')
    await Promise.all([once(node.child, 'exit'), ...clients])
    const { counted, real } = await eventually(
      async () => {
        const found = await storageOf(db, service.accountId)
        // What the killed process had sent to the database may still be running.
        return JSON.stringify(found.counted) === JSON.stringify(found.real) && found
      },
      `equal counts after kill ${kills + 1}`,
    )
    assert.ok(real.queued <= LIMIT, `${real.queued} of ${LIMIT}`)
    assert.deepEqual(counted, real)
  }
  t.diagnostic(`${accepted} accepted, ${refused} refused, ${lost} cut off`)
  assert.ok(lost > 0, 'some requests were cut off by a kill')
  const { real } = await storageOf(db, service.accountId)
  assert.equal(real.queued, LIMIT, 'the quota was used up')
  assert.ok(real.files > 0)
})
