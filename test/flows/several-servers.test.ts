// A DATABASE_URL that names several servers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../src/kit/postgres/db.js'
import { DatabaseFailure } from '../../src/kit/postgres/db-failure.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { cloneDatabase } from '../harness.js'

const ONE = sql`select 1 as one`
const NOBODY = '127.0.0.1:1'

function open(t: { after: (end: () => Promise<void>) => void }, url: string) {
  const db = openDatabase({ url, poolMax: 2, applicationName: 'test', onError: () => {} })
  t.after(() => db.end())
  return db
}

function withServers(url: string, change: (host: string) => string): string {
  const { host } = new URL(url)
  return url.replace(host, change(host))
}

test('the server that accepts writes is found among unavailable ones', async (t) => {
  const { url, drop } = await cloneDatabase()
  t.after(drop)
  const db = open(
    t,
    withServers(url, (host) => `${NOBODY},${host}`),
  )
  const all = [db.query(ONE), db.patient.query(ONE), db.pipeline('a').query(ONE)]
  assert.deepEqual(await Promise.all(all), [[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]])
})

test('if none accepts writes, the database counts as down', async (t) => {
  const db = open(t, `postgres://nobody@${NOBODY},${NOBODY}/none`)
  for (const ask of [() => db.query(ONE), () => db.pipeline('a').query(ONE)]) {
    await assert.rejects(ask, (error) => {
      assert.ok(error instanceof DatabaseFailure, String(error))
      assert.equal(error.trouble, 'database_unavailable')
      assert.match(error.message, /^none of the 2 servers takes writes: .*ECONNREFUSED/)
      return true
    })
  }
})
