// Repeated kill -9 of the deliverer under load: every event arrives, none is lost, and the events of one message keep
// their order.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign } from '../fixtures.js'
import { createWebhook, happen, webhookReceiver } from '../flows/webhook-receiver.js'
import { eventually, testService, thorough } from '../harness.js'

const KILLS = thorough(10, 40)
const MESSAGES_PER_ROUND = 6
const STATUSES = 3
/** Longer than the lease, so each deliverer finds what the killed one had in flight. */
const LATER_MS = 60_000

async function startDeliverer(databaseUrl: string, offsetMs: number): Promise<ChildProcess> {
  const file = path.join(import.meta.dirname, 'deliverer-process.mjs')
  const child = fork(file, [String(offsetMs), databaseUrl], { execArgv: [] })
  const ended = once(child, 'exit').then(([code]) => assert.fail(`the deliverer ended: ${code}`))
  await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {}) // from now on the test ends it
  return child
}

test('repeated kill -9 of the deliverer loses no event and keeps their order', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  // Slow enough that every kill interrupts a delivery.
  const receiver = await webhookReceiver(t, (response) => {
    setTimeout(() => response.end('ok'), 5)
  })
  const webhooks = await Promise.all(
    [1, 2, 3].map((i) => createWebhook(service, campaignId, `${receiver.url}/${i}`)),
  )
  let killed = 0
  for (let round = 0; round <= KILLS; round += 1) {
    const child = await startDeliverer(service.databaseUrl, round * LATER_MS)
    const before = receiver.received.length
    const messages = Array.from({ length: MESSAGES_PER_ROUND }, () => newId('msg', new Date()))
    for (let sequence = 1; sequence <= STATUSES; sequence += 1) {
      await Promise.all(
        messages.map((messageId) => happen(service, { campaignId, messageId, sequence })),
      )
    }
    if (round === KILLS) {
      await eventually(async () => (await countOpen(service)) === 0, 'every delivery done')
    } else {
      await eventually(async () => receiver.received.length > before + 5, 'some deliveries')
      killed += 1
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  assert.equal(killed, KILLS)

  const [total] = await service.world.db.query<{ events: number; delivered: number }>(sql`
    select count(*)::int as events, count(*) filter (where state = 'delivered')::int as delivered
    from (select id, state from event_deliveries union all
      select id, 'delivered' from event_arrivals) deliveries`)
  assert.equal(total!.events, (KILLS + 1) * MESSAGES_PER_ROUND * STATUSES * webhooks.length)
  assert.equal(total!.delivered, total!.events)
  assert.equal(new Set(receiver.received.map(keyOf)).size, total!.events, 'each at least once')
  assertOrder(receiver.received.map(({ event }) => event))
})

function keyOf({ path: to, event }: { path: string; event: { id: string } }): string {
  return `${to} ${event.id}`
}

interface StatusEvent {
  webhookId: string
  data: { message: { id: string }; sequence: number }
}

/** A status may repeat, but an earlier one never follows a later one. */
function assertOrder(events: readonly StatusEvent[]): void {
  const last = new Map<string, number>()
  for (const { webhookId, data } of events) {
    const key = `${webhookId} ${data.message.id}`
    const previous = last.get(key) ?? 0
    assert.ok(
      data.sequence === previous || data.sequence === previous + 1,
      `${key}: ${data.sequence} after ${previous}`,
    )
    last.set(key, data.sequence)
  }
}

async function countOpen({ world }: Awaited<ReturnType<typeof testService>>): Promise<number> {
  const [row] = await world.db.query<{ count: number }>(sql`
    select count(*)::int as count from event_deliveries where due_at is not null`)
  return row!.count
}
