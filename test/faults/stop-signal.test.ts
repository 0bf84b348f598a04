// The end of a real process with messages in flight. On SIGTERM it records them and releases its leases. On SIGKILL
// other processes take over and send each message once.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { sql } from '../../src/kit/postgres/sql.js'
import { startCommand } from '../commands/run-command.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { freePort } from '../free-port.js'
import { eventually, type TestService } from '../harness.js'
import { ATT, assertDollars, type Sending, SMS_PRICE, sendingService, VZW } from '../sending.js'
import { WAITING } from '../waiting.js'
import { startNode } from './node-process.js'

const IN_FLIGHT = 10

/** Sends over HTTP and returns the id of the accepted message. */
async function send(address: string, { service, campaignId }: Sending, to: string) {
  const response = await fetch(`${address}/v1/message/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ campaign: campaignId, to, body: 'Hello' }),
  })
  const body = (await response.json()) as { id: string }
  assert.equal(response.status, 200, JSON.stringify(body))
  return body.id
}

/** Blocks recording of outcomes. Messages can still be accepted and submitted. */
async function holdRecords(t: TestContext, { databaseUrl }: TestService): Promise<() => void> {
  const client = new pg.Client(databaseUrl)
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  await client.query('begin')
  await client.query('lock table events in share mode')
  return () => void client.query('rollback')
}

async function areRecordsBlocked({ world }: TestService): Promise<boolean> {
  const waiting = await world.db.query(WAITING)
  return waiting.length > 0
}

async function countQueued({ world }: TestService, ids: readonly string[]): Promise<number> {
  const rows = await world.db.query(sql`
    select 1 from messages where id = any (${ids}::text[]) and status = 'QUEUED'`)
  return rows.length
}

async function countHandoffs({ world }: TestService): Promise<number> {
  return (await world.db.query(sql`select 1 from handoffs`)).length
}

/** Sent once and charged once. A receipt may overtake our record of the submit, so DELIVERED can come without SENT. */
async function assertOnce({ service }: Sending, ids: readonly string[], before: number) {
  const moves = await service.world.db.query<{ message_id: string; status: string }>(sql`
    select message_id, status from events where message_id = any (${ids}::text[])
      and status in ('SENT', 'DELIVERED', 'FAILED', 'EXPIRED')`)
  const statuses = moves.map(({ message_id: id, status }) => `${id} ${status}`)
  assert.equal(new Set(statuses).size, statuses.length, 'no status twice')
  assert.deepEqual(new Set(moves.map((move) => move.message_id)), new Set(ids))
  assert.deepEqual(
    moves.filter(({ status }) => status !== 'SENT' && status !== 'DELIVERED'),
    [],
  )
  assertDollars(await service.balance(), before - ids.length * SMS_PRICE)
}

test('SIGTERM ends a process with exit code 0 after its messages in flight are recorded, with no lease left', async (t) => {
  const sending = await sendingService(t)
  const { service } = sending
  const before = await service.balance()
  const port = String(await freePort())
  const child = startCommand(['serve'], { DATABASE_URL: service.databaseUrl, PORT: port })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]()
  const untilPrinted = async (start: string) => {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      if (line.value.startsWith(start)) return
    }
    assert.fail(`it never printed "${start}"`)
  }
  await untilPrinted('Try it:')
  const release = await holdRecords(t, service)
  const address = `http://127.0.0.1:${port}`
  // Some are handed off when they are accepted, and some are claimed from the queue of a limited lane.
  const ids = await Promise.all(
    Array.from({ length: IN_FLIGHT }, (_, i) => send(address, sending, i % 2 === 0 ? VZW : ATT)),
  )
  await eventually(() => areRecordsBlocked(service), 'records that are blocked')
  child.kill('SIGTERM')
  await untilPrinted('Stopping')
  assert.equal(child.exitCode, null, 'it waits for messages in flight')
  assert.equal(await countQueued(service, ids), IN_FLIGHT)
  release()
  assert.deepEqual(await ended, [0, null])
  assert.equal(await countHandoffs(service), 0)

  // Claimed messages are recorded, and unclaimed ones are free for the next process.
  const leased = await service.world.db.query(sql`
    select 1 from messages
    where status = 'QUEUED' and (due_at is null or due_at > ${service.world.clock.now()})`)
  assert.deepEqual(leased, [])
  fakeRoom(service.world, fakeCarrier()).run()
  await eventually(async () => (await countQueued(service, ids)) === 0, 'none is left')
  await assertOnce(sending, ids, before)
})

test('two other processes send the messages of a killed process once, and each is charged once', async (t) => {
  const sending = await sendingService(t)
  const { service, advance } = sending
  const before = await service.balance()
  const dead = await startNode(t, service.databaseUrl, { LONGCODE_ROLES: 'api,dispatch' })
  const recorded = await send(dead.address, sending, VZW)
  await sending.until(recorded, 'DELIVERED')
  const release = await holdRecords(t, service)
  const ids = await Promise.all(
    Array.from({ length: IN_FLIGHT }, (_, i) =>
      send(dead.address, sending, i % 2 === 0 ? VZW : ATT),
    ),
  )
  await eventually(() => areRecordsBlocked(service), 'records that are blocked')
  const killed = once(dead.child, 'exit')
  dead.child.kill('SIGKILL')
  await killed
  // End the statements that the database still runs for the dead process.
  await service.world.db.query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  release()
  await eventually(async () => !(await areRecordsBlocked(service)), 'the end of its statements')
  assert.equal(await countQueued(service, ids), IN_FLIGHT)
  assert.ok((await countHandoffs(service)) > 0)

  await advance(61)
  const carrier = fakeCarrier()
  for (let i = 0; i < 2; i += 1) fakeRoom(service.world, carrier).run()
  await eventually(async () => (await countQueued(service, ids)) === 0, 'none is left')
  assert.equal(await countHandoffs(service), 0)
  assert.deepEqual(carrier.submitted.map(({ id }) => id).sort(), ids.toSorted())
  await assertOnce(sending, [recorded, ...ids], before)
})
