// What callers are told while the database cannot serve: 503, when to try again, and which trouble it is,
// in the shape of the call's own failures. When it is over they are served again.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { openLog } from '../../src/kit/log.js'
import { DatabaseFailure } from '../../src/kit/postgres/db-failure.js'
import { raw, sql } from '../../src/kit/postgres/sql.js'
import { eventually, type Reply } from '../harness.js'
import { type Sending, sendingService } from '../sending.js'

/** A connection of its own, beside those of the service: not to its database, which the test may close to everybody. */
async function administrator(databaseUrl: string, pathname = '/postgres') {
  const url = new URL(databaseUrl)
  const name = url.pathname.slice(1)
  url.pathname = pathname
  const client = new pg.Client(url.href)
  await client.connect()
  return {
    name,
    end: () => client.end(),
    run: (statement: string) => client.query(statement),
    /** New connections find what was changed; old ones would go on as before. */
    cutAll: () =>
      client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        name,
      ]),
  }
}

function assertTrouble({ status, body, headers }: Reply, code: string, failure: object): void {
  assert.equal(status, 503, JSON.stringify(body))
  assert.deepEqual(body, { ...failure, error: 'Internal server error', code })
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
}

const MESSAGE = { to: '+14155550107', body: 'Hello' }

/** The fast path of sends, the route of sends, a transaction, a batch. */
async function assertWritesFail({ service, campaignId }: Sending, code: string): Promise<void> {
  const send = { ...MESSAGE, campaign: campaignId }
  const calls: [string, object][] = [
    ['/v1/message/send', send],
    ['/v1/message/send/', send],
    ['/v1/token/create', { name: 'x' }],
    ['/v1/message/batch', { messages: [send] }],
  ]
  for (const [url, body] of calls) {
    // A connection that was cut says so to whoever uses it next.
    await eventually(async () => {
      const reply = await service.post(url, body)
      assert.equal(reply.status, 503, url)
      if (reply.body.code !== code) return false
      assertTrouble(reply, code, { success: false })
      return true
    }, `${url} answering ${code}`)
  }
}

async function assertWorksAgain({ service, trySend, until }: Sending): Promise<void> {
  const id = await eventually(async () => (await trySend()).body.id, 'an accepted message')
  await eventually(async () => (await service.post('/v1/token/create', {})).status === 200)
  if (service.world.config.roles.includes('dispatch')) await until(id, 'DELIVERED')
}

test('a read-only database: writes get 503, reads go on, and /readyz says so', async (t) => {
  const sending = await sendingService(t, { roles: ['dispatch'] })
  const { service } = sending
  const admin = await administrator(service.databaseUrl)
  t.after(admin.end)
  await admin.run(`alter database ${admin.name} set default_transaction_read_only = on`)
  await admin.cutAll()
  await assertWritesFail(sending, 'database_read_only')
  assert.equal((await service.get('/v1/account')).status, 200)
  await eventually(async () => {
    const { status, body } = await service.get('/readyz', { token: null })
    return status === 200 && body.parts.database === 'read_only' && body.details[0].problem
  }, 'a word on it')
  await admin.run(`alter database ${admin.name} reset default_transaction_read_only`)
  await assertWorksAgain(sending)
})

test('a database that lets nobody in: 503, also for who the caller is, and no line in the log for each', async (t) => {
  const sending = await sendingService(t, { roles: ['dispatch'] })
  const { service } = sending
  const admin = await administrator(service.databaseUrl)
  t.after(admin.end)
  await admin.run(`alter database ${admin.name} allow_connections false`)
  await admin.cutAll()
  await assertWritesFail(sending, 'database_unavailable')
  const reply = await service.get('/v1/account', { token: 'a-token-that-nobody-has-seen' })
  assertTrouble(reply, 'database_unavailable', { account: null })
  assert.equal((await service.get('/healthz', { token: null })).status, 200)
  const ready = await service.get('/readyz', { token: null })
  assert.equal(ready.status, 503)
  assert.deepEqual(ready.body.details, [{ field: 'database', problem: 'does not answer' }])
  await admin.run(`alter database ${admin.name} allow_connections true`)
  await assertWorksAgain(sending)
})

test('a database without a free connection is busy', async (t) => {
  const role = `limited_${randomBytes(4).toString('hex')}`
  const serverUrl = process.env.TEST_DATABASE_URL!
  const { username, password } = new URL(serverUrl)
  // By a database of the server that is a cluster's, where it is one: roles are made on all its nodes then.
  const admin = await administrator(serverUrl, new URL(serverUrl).pathname)
  // Those who may do everything know no limit.
  await admin.run(
    `create role ${role} login password '${decodeURIComponent(password)}' in role ${username}`,
  )
  const dropRole = () => admin.run(`drop role ${role}`).finally(admin.end)
  const sending = await sendingService(t, { databaseUser: role }).catch(async (error) => {
    await dropRole()
    throw error
  })
  t.after(dropRole)
  await admin.run(`alter role ${role} connection limit 0`)
  await admin.run(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
  )
  await assertWritesFail(sending, 'database_busy')
  await admin.run(`alter role ${role} connection limit -1`)
  await assertWorksAgain(sending)
})

test('a full disk under the database is told as such, and charges nobody', async (t) => {
  const sending = await sendingService(t)
  const { service } = sending
  const before = await service.balance()
  const { db } = service.world
  await db.query(sql`create function fill() returns trigger language plpgsql as
    $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$`)
  await db.transaction(async (tx) => {
    await tx.query(sql`set local citus.enable_unsafe_triggers = on`) // nothing where there is no cluster
    for (const table of ['messages', 'access_tokens']) {
      await tx.query(sql`
        create trigger full_disk before insert on ${raw(table)} execute function fill()`)
    }
  })
  await assertWritesFail(sending, 'database_full')
  assert.equal(await service.balance(), before)
  await db.query(sql`drop function fill cascade`)
  await assertWorksAgain(sending)
})

test('a send whose answer was lost is not charged twice when it is repeated with its key', async (t) => {
  const sending = await sendingService(t)
  const { service, trySend } = sending
  const admin = await administrator(service.databaseUrl)
  t.after(admin.end)
  const before = await service.balance()
  const options = { headers: { 'idempotency-key': 'once' } }
  // Again and again, at whatever moment of the send the cut comes.
  for (let cuts = 0; cuts < 20; cuts += 1) {
    const [reply] = await Promise.all([trySend({}, options), admin.cutAll()])
    assert.ok(reply.status === 200 || reply.body.code === 'database_unavailable', reply.body.code)
  }
  await eventually(async () => (await trySend({}, options)).status === 200, 'an answer')
  const spent = before - (await service.balance())
  assert.equal(spent.toFixed(4), '0.0079')
})

test('trouble with the database is told in the log once in a while, with how often', () => {
  const lines: string[] = []
  const log = openLog('info', { write: (line: string) => void lines.push(line) })
  const away = new DatabaseFailure('database_unavailable', 'connect ECONNREFUSED', 'ECONNREFUSED')
  for (let i = 0; i < 100; i += 1) {
    log.error({ err: away }, 'reading failed')
    log.warn({ err: away, requestId: `req_${i}` }, 'a request failed')
  }
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['reading failed', 'a request failed'],
  )
  log.error({ err: new Error('a fault') }, 'reading failed')
  log.info('all is well')
  assert.equal(lines.length, 4)
})
