// Repeated kill -9 of the process that sends through a provider, with a backlog in memory. The next process sends what
// had not left. Requests in flight are settled by the provider's evidence or refunded. No message is sent twice, and no
// customer pays for one that never arrived.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually, thorough } from '../harness.js'
import {
  type ProviderKind,
  type ProviderService,
  providerService,
} from '../providers/provider-service.js'
import { VZW } from '../sending.js'
import { startNode } from './node-process.js'

const CONCURRENCY = 5
/** Many more than can be in flight when the process dies. */
const BACKLOG = 60
/** Ends every lease of a process that has died. */
const LEASE_SECONDS = 70
/** After this time without a change, the remaining messages wait for the clock to move. */
const STILL_MS = 1_500

async function backlog({ service, campaignId }: ProviderService, round: number): Promise<string[]> {
  const messages = Array.from({ length: BACKLOG }, (_, i) => {
    return { campaign: campaignId, to: VZW, body: `Round ${round}, no. ${i}` }
  })
  const { body } = await service.post('/v1/message/batch', { messages })
  assert.ok(
    body.results?.every((r: { success: boolean }) => r.success),
    JSON.stringify(body),
  )
  return body.results.map(({ id }: { id: string }) => id)
}

/** Kills a dispatching process each time it has sent some of a new backlog. */
async function killOften(t: TestContext, stage: ProviderService, kills: number): Promise<string[]> {
  const settings = { ...stage.env, LONGCODE_ROLES: 'dispatch' }
  const ids: string[] = []
  stage.fake.latencyMs = 50 // most of a backlog waits in memory
  for (let round = 1; round <= kills; round += 1) {
    ids.push(...(await backlog(stage, round)))
    const before = stage.fake.taken.length
    const { child } = await startNode(t, stage.service.databaseUrl, settings)
    await eventually(async () => stage.fake.taken.length > before + CONCURRENCY, 'some are sent')
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    await stage.advance(LEASE_SECONDS)
  }
  return ids
}

interface Row {
  id: string
  status: string
  body: string
  priceMicros: bigint
  isRefunded: boolean
  timeline: string[]
}

function isOver({ status, timeline }: Row): boolean {
  if (status === 'SENT') return timeline.some((entry) => entry.includes('|settled'))
  return status !== 'QUEUED'
}

/** Moves the clock only while nothing changes: otherwise it would end the leases of sends in progress. */
async function settled(stage: ProviderService, ids: readonly string[]): Promise<Row[]> {
  for (;;) {
    const rows = await readRows(stage, ids)
    const over = rows.filter(isOver).length
    if (over === rows.length) return rows
    const until = performance.now() + STILL_MS
    let isMoving = false
    while (!isMoving && performance.now() < until) {
      await sleep(100)
      isMoving = (await readRows(stage, ids)).filter(isOver).length !== over
    }
    if (!isMoving) await stage.advance(LEASE_SECONDS)
  }
}

async function readRows(stage: ProviderService, ids: readonly string[]): Promise<Row[]> {
  return stage.service.world.db.query<Row>(sql`
    select id, status, body, price_micros as "priceMicros", is_refunded as "isRefunded", timeline
    from messages where id = any (${ids}::text[])`)
}

for (const kind of ['telnyx', 'bandwidth', 'twilio'] as const satisfies ProviderKind[]) {
  test(`${kind}: kill -9 loses no message that was not in flight, and sends none twice`, async (t) => {
    const kills = thorough(3, 20)
    const more = `    concurrency: ${CONCURRENCY}\n    settleSeconds: 3\n`
    const stage = await providerService(t, kind, more, undefined, [])
    const ids = await killOften(t, stage, kills)
    await startNode(t, stage.service.databaseUrl, { ...stage.env, LONGCODE_ROLES: 'dispatch' })
    const rows = await settled(stage, ids)
    const counts = new Map<string, number>()
    for (const { text } of stage.fake.taken) counts.set(text, (counts.get(text) ?? 0) + 1)
    const never = rows.filter(({ body }) => !counts.has(body))
    const summary = {
      accepted: rows.length,
      delivered: rows.filter(({ status }) => status === 'DELIVERED').length,
      'never arrived': never.length,
      'of these charged': never.filter(({ isRefunded }) => !isRefunded).length,
      'arrived and not DELIVERED': rows.filter(
        ({ body, status }) => counts.has(body) && status !== 'DELIVERED',
      ).length,
      'sent twice': [...counts.values()].filter((count) => count > 1).length,
    }
    t.diagnostic(JSON.stringify({ kind, kills, ...summary }))
    assert.ok(never.length <= kills * CONCURRENCY, 'no more than were in flight')
    assert.equal(summary['sent twice'], 0)
    assert.equal(summary['arrived and not DELIVERED'], 0)
    assert.equal(summary['of these charged'], 0)
  })
}
