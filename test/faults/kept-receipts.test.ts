// The database becomes unavailable while carriers deliver receipts and inbound messages: nothing is lost, and nothing
// is stored twice when it is back. One node dispatches through a proxy to the database that the test closes. The other
// node, which accepts and delivers, connects directly.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { deleteLinkReport, saveLinkReport } from '../../src/carriers/link-queries.js'
import { createSimulator } from '../../src/carriers/simulator.js'
import { openLog } from '../../src/kit/log.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { resumeOthersLoop, resumeSimulator } from '../../src/sandbox/resume-simulator.js'
import { startService } from '../../src/serve.js'
import { startSmsc } from '../../src/smsc/smsc.js'
import { temporaryFolder } from '../commands/run-command.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { createWebhook, webhookReceiver } from '../flows/webhook-receiver.js'
import { eventually, testConfig } from '../harness.js'
import { assertDollars, type Sending, SMS_PRICE, sendingService, VZW } from '../sending.js'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.js'

const MESSAGES = 40

interface Stage {
  sending: Sending
  proxy: DatabaseProxy
  /** A metric of the node that dispatches. */
  metric: (line: RegExp) => number
}

async function openStage(t: TestContext, env: Record<string, string>): Promise<Stage> {
  const sending = await sendingService(t, { roles: ['deliver'], env })
  const proxy = await startDatabaseProxy(t, sending.service.databaseUrl)
  const config = testConfig({ roles: ['dispatch'], env })
  const node = await startService(config, proxy.url, openLog('silent'))
  t.after(() => node.stop())
  const metric = (line: RegExp) => {
    const samples = node.world.metrics
      .counters()
      .flatMap((counter) =>
        counter
          .samples()
          .map(({ labels = [], value }) => ({ text: [counter.name, ...labels].join(' '), value })),
      )
    return samples.filter(({ text }) => line.test(text)).reduce((sum, { value }) => sum + value, 0)
  }
  return { sending, proxy, metric }
}

/** Sends messages, cuts off the database as soon as the first have left, and restores it after some attempts. */
async function sendThroughAnOutage(t: TestContext, { sending, proxy }: Stage): Promise<void> {
  const { service, campaignId, send } = sending
  const receiver = await webhookReceiver(t)
  await createWebhook(service, campaignId, receiver.url)
  const before = await service.balance()
  const ids = await Promise.all(
    Array.from({ length: MESSAGES }, (_, i) => send({ to: VZW, body: `Number ${i}` })),
  )
  await eventually(async () => {
    const rows = await service.world.db.query(sql`
      select 1 from messages where status in ('SENT', 'DELIVERED') limit 1`)
    return rows.length > 0
  }, 'the first have left')
  proxy.become('refused')
  const count = proxy.count()
  await eventually(async () => proxy.count() > count + 10, 'attempts to record')
  proxy.become('open')
  await sending.advance(61) // past the leases of messages that could not be recorded
  for (const id of ids) await sending.until(id, 'DELIVERED')
  assertDollars(await service.balance(), before - MESSAGES * SMS_PRICE)
  // By id, because an event is sent again if its response could not be recorded.
  const reported = () => {
    const byId = new Map(receiver.received.map(({ event }) => [event.id, event.data.message]))
    return [...byId.values()]
  }
  await eventually(async () => reported().length >= 2 * MESSAGES, 'a webhook for each move')
  for (const id of ids) {
    const statuses = reported().flatMap((message) => (message.id === id ? message.status : []))
    assert.deepEqual(statuses, ['SENT', 'DELIVERED'], 'each once, in order')
  }
}

test('simulator receipts that arrive while the database is unavailable are recorded when it is back', async (t) => {
  await sendThroughAnOutage(t, await openStage(t, {}))
})

test('SMPP receipts and inbound messages that arrive while the database is unavailable are recorded once', async (t) => {
  const smsc = await startSmsc({ redeliverMs: 100 })
  t.after(() => smsc.stop())
  const link = { kind: 'smpp', host: '127.0.0.1', systemId: 'x', password: 'y' }
  const links = [{ name: 'acme', ...link, port: smsc.port }]
  const file = path.join(temporaryFolder(t), 'carriers.json')
  writeFileSync(file, JSON.stringify({ links, routes: [{ links: ['acme'] }] }))
  const stage = await openStage(t, { LONGCODE_CARRIERS: file })
  const { sending, proxy, metric } = stage
  await sendThroughAnOutage(t, stage)

  proxy.become('refused')
  const from = (i: number) => `+1415200${1000 + i}`
  const inbound = Array.from({ length: MESSAGES }, (_, i) =>
    smsc.sendInbound({ from: from(i), to: sending.number, text: `Answer ${i}` }),
  )
  const countDeferred = () => metric(/^longcode_smpp_deliveries_total acme inbound again$/)
  await eventually(async () => countDeferred() > 0, 'the carrier is told to retry')
  proxy.become('open')
  assert.deepEqual(await Promise.all(inbound), Array(MESSAGES).fill(true), 'all are acknowledged')
  const stored = await sending.service.world.db.query<{ body: string }>(sql`
    select body from messages where direction = 'INBOUND' order by body`)
  const texts = Array.from({ length: MESSAGES }, (_, i) => `Answer ${i}`)
  assert.deepEqual(stored.map(({ body }) => body).toSorted(), texts.toSorted())
})

test('another process requests the simulator receipts that a killed process still expected', async (t) => {
  const { service, send, message, until } = await sendingService(t)
  const { world } = service
  const { db, clock } = world
  const killed = fakeRoom(world, fakeCarrier())
  const simulator = createSimulator(openLog('silent'))
  await simulator.start(killed.listener)
  t.after(() => simulator.stop())
  const resumed: string[] = []
  const resume = async () => {
    resumed.push('resumed')
    await resumeSimulator(world, simulator)
  }
  const { step } = resumeOthersLoop(world, resume)
  const { signal } = new AbortController()
  const report = { links: [], loadedAt: clock.now(), reloadId: null, reloadError: null }
  await saveLinkReport(db, { process: 'killed', ...report }, clock.machineNow())
  await saveLinkReport(db, { process: 'alive', ...report }, clock.machineNow())
  const id = await send()
  await killed.step()
  await until(id, 'SENT')
  await step(signal)
  assert.deepEqual(resumed, [], 'every process is alive')
  await deleteLinkReport(db, 'killed', clock.machineNow())
  await step(signal)
  await until(id, 'DELIVERED')
  await step(signal)
  assert.deepEqual(resumed, ['resumed'], 'once')
  assert.equal((await message(id)).status, 'DELIVERED')
})
