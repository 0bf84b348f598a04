// The service through PgBouncer in transaction mode, where no connection state outlives a transaction: limits and
// planner settings still apply, and messages go all the way.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import {
  BRIEFLY,
  brokenConstraint,
  type Database,
  openDatabase,
} from '../../src/kit/postgres/db.js'
import { DatabaseFailure } from '../../src/kit/postgres/db-failure.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { migrateDatabase } from '../../src/run.js'
import { WITH_CITUS } from '../administer.js'
import { runCommand } from '../commands/run-command.js'
import { eventually } from '../harness.js'
import { type PooledDatabase, pooledDatabase, WITHOUT_PGBOUNCER } from '../pgbouncer.js'
import { sendingService } from '../sending.js'
import { createWebhook, webhookReceiver } from './webhook-receiver.js'

const skip = WITHOUT_PGBOUNCER
const ENV = { LONGCODE_DATABASE_POOLER: 'transaction' }

async function pooled(t: TestContext): Promise<{ db: Database; database: PooledDatabase }> {
  const database = await pooledDatabase()
  const db = openDatabase({
    url: database.url,
    poolMax: 8,
    statementMs: 1_000,
    pooler: 'transaction',
    applicationName: 'test',
    onError: () => {},
  })
  t.after(() => db.end().then(database.drop))
  return { db, database }
}

const isCode = (code: string) => (error: unknown) => {
  assert.ok(error instanceof DatabaseFailure, String(error))
  assert.equal(error.code, code)
  return true
}

test('a statement through PgBouncer gets its limits and planner settings and leaves neither behind', {
  skip,
}, async (t) => {
  const { db, database } = await pooled(t)
  const settings = sql`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('enable_seqscan') as seqscan, current_setting('jit') as jit`
  const usual = { statement: '1s', lock: '3s', idle: '2s', seqscan: 'off', jit: 'off' }
  assert.deepEqual(await db.query(settings), [usual])
  assert.deepEqual(await db.pipeline('a').query(settings), [{ ...usual, lock: '100ms' }])
  assert.deepEqual(await db.transaction((tx) => tx.query(settings)), [usual])
  const briefly = await db.transaction((tx) => tx.query(settings), BRIEFLY)
  assert.deepEqual(briefly, [{ ...usual, lock: '500ms' }])
  const patient = { ...usual, statement: '30min', lock: '30min', idle: '1min' }
  assert.deepEqual(await db.patient.query(settings), [patient])

  const other = new pg.Client(database.url)
  await other.connect()
  const { rows } = await other.query(settings.text)
  await other.end()
  assert.deepEqual([rows[0].statement, rows[0].seqscan], ['0', 'on'], 'the settings are reset')

  const long = sql`select pg_sleep(1.5) is not null as done`
  await assert.rejects(db.query(long), isCode('57014'))
  await assert.rejects(db.pipeline('a').query(long), isCode('57014'))
  await assert.rejects(
    db.transaction((tx) => tx.query(long)),
    isCode('57014'),
  )
  assert.deepEqual(await db.patient.query(long), [{ done: true }])
})

test('a stalled transaction through PgBouncer loses its locks and is run again', {
  skip,
}, async (t) => {
  const { db } = await pooled(t)
  await db.query(sql`create table things (n int)`)
  await db.query(sql`insert into things values (1)`)
  const add = sql`update things set n = n + 1`
  let attempts = 0
  await db.transaction(async (tx) => {
    attempts += 1
    await tx.query(add)
    if (attempts > 1) return
    await eventually(() => db.query(add).catch(() => null), 'the lock')
    await tx.query(add)
  })
  assert.equal(attempts, 2)
  assert.deepEqual(await db.query(sql`select n from things`), [{ n: 3 }])
})

test('many parallel statements each get their own result, and a failing one affects no other', {
  skip,
}, async (t) => {
  const { db } = await pooled(t)
  await db.query(sql`create table things (n int primary key)`)
  const ways = [db, db.pipeline('a'), db.pipeline('b'), db.shareOf('c'), db.patient]
  const numbers = Array.from({ length: 600 }, (_, i) => i)
  const insert = (n: number) =>
    ways[n % ways.length]!.query(sql`insert into things values (${n}) returning n`)
  const inserted = await Promise.all(numbers.map(insert))
  assert.deepEqual(
    inserted.flat(),
    numbers.map((n) => ({ n })),
  )
  // Every third one already exists.
  const outcomes = await Promise.allSettled(numbers.map((n) => insert(n % 3 === 0 ? n : n + 1_000)))
  outcomes.forEach((outcome, n) => {
    if (n % 3 !== 0) assert.deepEqual(outcome, { status: 'fulfilled', value: [{ n: n + 1_000 }] })
    else if (outcome.status === 'fulfilled') assert.fail(`${n} is there twice`)
    else assert.equal(brokenConstraint(outcome.reason), 'things_pkey')
  })
  const [kept] = await db.query(sql`select count(*)::int as count from things`)
  assert.deepEqual(kept, { count: 1_000 })
})

test('several processes migrate an empty database through PgBouncer at once', {
  skip: skip || WITH_CITUS,
}, async (t) => {
  const { db, database } = await pooled(t)
  await db.query(sql`drop schema public cascade`)
  await db.query(sql`create schema public`)
  const ways = [1, 2, 3].map(() => migrateDatabase(database.url, 'transaction'))
  const applied = (await Promise.all(ways)).flat()
  assert.ok(applied.length > 10)
  assert.deepEqual([...applied].sort(), [...new Set(applied)].sort(), 'each by one of them')
  assert.deepEqual(await migrateDatabase(database.directUrl), [])
})

test('keyed sends of several clients reach DELIVERED and the webhook, each once', {
  skip,
}, async (t) => {
  const database = await pooledDatabase()
  const sending = await sendingService(t, {
    roles: ['api', 'dispatch', 'deliver', 'schedule'],
    env: ENV,
    database,
  })
  const { service, campaignId } = sending
  const receiver = await webhookReceiver(t)
  await createWebhook(service, campaignId, receiver.url)
  const before = await service.balance()
  const client = async (name: string) => {
    const ids: string[] = []
    for (let i = 0; i < 10; i += 1) {
      const headers = { 'idempotency-key': `${name}-${i}` }
      const [id, again] = await Promise.all([
        sending.send({ body: `${name} ${i}` }, { headers }),
        eventually(async () => {
          const reply = await sending.trySend({ body: `${name} ${i}` }, { headers })
          return reply.status === 200 && (reply.body.id as string) // the other may be in progress
        }, 'the repeat'),
      ])
      assert.equal(again, id, 'a key makes one message')
      ids.push(id)
    }
    return ids
  }
  const ids = (await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(client))).flat()
  assert.equal(new Set(ids).size, 60)
  for (const id of ids) await sending.until(id, 'DELIVERED')
  assert.equal((before - (await service.balance())).toFixed(4), (60 * 0.0079).toFixed(4))
  const delivered = () =>
    receiver.received.filter(({ event }) => event.data.message?.status === 'DELIVERED')
  await eventually(async () => delivered().length >= 60, 'a webhook for each')
  const told = delivered().map(({ event }) => event.data.message.id)
  assert.deepEqual([...told].sort(), [...ids].sort())
  const { body } = await service.get(`/v1/message/list?campaign=${campaignId}&limit=100`)
  assert.equal(body.messages.length, 60)
  const ready = await service.get('/readyz', { token: null })
  assert.equal(ready.status, 200)
})

test('start and doctor name the missing setting, and doctor finds no problem once it is set', {
  skip,
}, async (t) => {
  const refusing = await pooledDatabase()
  t.after(refusing.drop)
  const env = { DATABASE_URL: refusing.url, PORT: '0', LONGCODE_SIP_PORT: 'off' }
  const serve = await runCommand(['serve'], env)
  assert.equal(serve.code, 1)
  assert.match(
    serve.err,
    /unsupported startup parameter: options\. To fix it, set LONGCODE_DATABASE_POOLER=transaction/,
  )
  const unset = await runCommand(['doctor'], env)
  assert.match(unset.out, /→ To fix it, set LONGCODE_DATABASE_POOLER=transaction/)
  for (const command of ['migrate', 'distribute']) {
    const refused = await runCommand([command], env)
    assert.equal(refused.code, 1)
    assert.match(refused.err, /To fix it, set LONGCODE_DATABASE_POOLER=transaction/)
  }
  assert.match((await runCommand(['migrate'], { ...env, ...ENV })).out, /^Nothing to do\.$/m)
  const laidOut = await runCommand(['distribute'], { ...env, ...ENV })
  assert.match(laidOut.out + laidOut.err, /^(?:This database does not have Citus|Citus \d)/m)
  const set = await runCommand(['doctor'], { ...env, ...ENV })
  assert.match(set.out, /ok {4}pooler/)
  assert.doesNotMatch(set.out, /FAIL/)

  const silent = await pooledDatabase('ignore_startup_parameters = options')
  t.after(silent.drop)
  const dropped = await runCommand(['doctor'], { ...env, DATABASE_URL: silent.url })
  assert.match(dropped.out + dropped.err, /FAIL {2}pooler .*Time limits are not enforced/)
})
