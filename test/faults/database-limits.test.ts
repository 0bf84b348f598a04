// Database timeouts: a slow statement, a lock, an idle transaction, a response that never comes. The caller gets an
// error, and the next one is served.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '../../src/kit/postgres/db.js'
import { DatabaseFailure, type Trouble } from '../../src/kit/postgres/db-failure.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { cloneDatabase, eventually } from '../harness.js'

async function testDatabase(t: TestContext, options: { poolMax?: number } = {}): Promise<Database> {
  const { url, drop } = await cloneDatabase()
  const db = openDatabase({
    url,
    poolMax: options.poolMax ?? 2,
    statementMs: 1_000,
    applicationName: 'test',
    onError: () => {},
  })
  t.after(() => db.end().then(drop))
  return db
}

function isTrouble(trouble: Trouble, code?: string) {
  return (error: unknown) => {
    assert.ok(error instanceof DatabaseFailure, String(error))
    assert.deepEqual([error.trouble, error.code], [trouble, code ?? error.code])
    return true
  }
}

const one = sql`select 1 as one`

test('a slow statement is canceled, except on a patient connection', async (t) => {
  const db = await testDatabase(t)
  const long = sql`select pg_sleep(1.5) is not null as done`
  await assert.rejects(db.query(long), isTrouble('database_busy', '57014'))
  await assert.rejects(db.pipeline('a').query(long), isTrouble('database_busy', '57014'))
  assert.deepEqual(await db.query(one), [{ one: 1 }])
  assert.deepEqual(await db.patient.query(long), [{ done: true }])
})

test('an idle transaction loses its locks and is run again', async (t) => {
  const db = await testDatabase(t)
  await db.query(sql`create table things (n int)`)
  await db.query(sql`insert into things values (1)`)
  let attempts = 0
  const add = sql`update things set n = n + 1`
  const stopped = db.transaction(async (tx) => {
    attempts += 1
    await tx.query(add)
    if (attempts > 1) return
    await eventually(() => db.query(add).catch(() => null), 'the lock')
    await sleep(300) // for the connection to close: the reason must survive that
    await tx.query(add)
  })
  // The transaction was only paused, so it is run again from its beginning.
  await stopped
  assert.equal(attempts, 2)
  assert.deepEqual(await db.query(sql`select n from things`), [{ n: 3 }])
})

test('a caller that waits too long for a connection gets an error, and the pool loses no connection', async (t) => {
  const db = await testDatabase(t, { poolMax: 1 })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const holding = db.transaction(async (tx) => {
    const keepAwake = setInterval(() => void tx.query(one), 200)
    await held
    clearInterval(keepAwake)
  })
  await assert.rejects(db.query(one), isTrouble('database_busy'))
  assert.equal(db.poolUse().waiting, 0)
  release()
  await holding
  assert.deepEqual(await db.query(one), [{ one: 1 }])
})

test('a database that stops responding is reported as unavailable on every kind of connection', async (t) => {
  const { url, drop } = await cloneDatabase()
  t.after(drop)
  const proxy = await silentProxy(t, url)
  const options = { url: proxy.url, poolMax: 2, statementMs: 1_000, applicationName: 'test' }
  const db = openDatabase({ ...options, onError: () => {} })
  t.after(() => db.end())
  const queries = [
    () => db.query(one),
    () => db.pipeline('a').query(one),
    () => db.transaction((tx) => tx.query(one)),
  ]
  for (const run of queries) assert.deepEqual(await run(), [{ one: 1 }])
  proxy.fallSilent()
  await Promise.all(queries.map((run) => assert.rejects(run(), isTrouble('database_unavailable'))))
  // A new connection fails as well.
  await assert.rejects(db.query(one), isTrouble('database_unavailable'))
  proxy.speak()
  for (const run of queries) assert.deepEqual(await run(), [{ one: 1 }])
})

interface SilentProxy {
  url: string
  fallSilent: () => void
  speak: () => void
}

/** A proxy to the database that can stop passing data without closing connections. */
async function silentProxy(t: TestContext, target: string): Promise<SilentProxy> {
  const url = new URL(target)
  const host = decodeURIComponent(url.hostname)
  const address = host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${url.port}` }
    : { host, port: Number(url.port || 5432) }
  const sockets = new Set<Socket>()
  let isSilent = false
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('error', () => {})
    from.on('data', (chunk) => isSilent || to.write(chunk))
    from.on('close', () => to.destroy())
  }
  const server = createServer((near) => {
    const far = connect(address)
    pass(near, far)
    pass(far, near)
  })
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `postgres://${url.username}:${url.password}@127.0.0.1:${port}${url.pathname}?sslmode=disable`,
    fallSilent: () => {
      isSilent = true
    },
    speak: () => {
      isSilent = false
    },
  }
}
