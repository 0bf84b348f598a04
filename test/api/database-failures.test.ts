// While the database cannot serve requests, clients get 503 with the reason and when to retry, in the error shape
// of the route. Requests succeed again when the database recovers.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { openLog } from '../../src/kit/log.js'
import { DatabaseFailure } from '../../src/kit/postgres/db-failure.js'
import { raw, sql } from '../../src/kit/postgres/sql.js'
import { eventually, type Reply } from '../harness.js'
import { type Sending, sendingService } from '../sending.js'

/** A separate connection to another database, because the test may close the service's database to everyone. */
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
    /** Setting changes apply to new connections, so the existing ones have to end. */
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
    // A dropped connection fails once with another code, for the request that uses it next.
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

test('with a read-only database, writes get 503, reads continue, and /readyz reports it', async (t) => {
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
  }, '/readyz reports it')
  await admin.run(`alter database ${admin.name} reset default_transaction_read_only`)
  await assertWorksAgain(sending)
})

test('if the database refuses connections, requests get 503, even with an unknown token', async (t) => {
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

test('if the database has no free connection, writes get 503 with database_busy', async (t) => {
  const role = `limited_${randomBytes(4).toString('hex')}`
  const serverUrl = process.env.TEST_DATABASE_URL!
  const { username, password } = new URL(serverUrl)
  // On a cluster, connect to a database of the cluster: the role is then created on all nodes.
  const admin = await administrator(serverUrl, new URL(serverUrl).pathname)
  // A connection limit does not apply to superusers, so the service uses a limited role.
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

test('a full database disk is reported as database_full, and nobody is charged', async (t) => {
  const sending = await sendingService(t)
  const { service } = sending
  const before = await service.balance()
  const { db } = service.world
  await db.query(sql`create function fill() returns trigger language plpgsql as
    $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$`)
  await db.transaction(async (tx) => {
    await tx.query(sql`set local citus.enable_unsafe_triggers = on`) // no effect without Citus
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

test('a send that lost its reply is not charged twice when repeated with its Idempotency-Key', async (t) => {
  const sending = await sendingService(t)
  const { service, trySend } = sending
  const admin = await administrator(service.databaseUrl)
  t.after(admin.end)
  const before = await service.balance()
  const options = { headers: { 'idempotency-key': 'once' } }
  // Repeat the cut to hit different moments of the send.
  for (let cuts = 0; cuts < 20; cuts += 1) {
    const [reply] = await Promise.all([trySend({}, options), admin.cutAll()])
    assert.ok(reply.status === 200 || reply.body.code === 'database_unavailable', reply.body.code)
  }
  await eventually(async () => (await trySend({}, options)).status === 200, 'an answer')
  const spent = before - (await service.balance())
  assert.equal(spent.toFixed(4), '0.0079')
})

test('repeated database failures are logged once per interval, with their count', () => {
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
