// Repeated kill -9 of the process that repacks a partition, while messages change: no row is lost, none is there twice,
// each has its last values, and nothing of the copies remains.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { MESSAGES } from '../../src/operator/retention/remove-records.js'
import { testService, thorough } from '../harness.js'
import { plantMessages } from '../message-rows.js'
import { partitionTables } from '../partition-tables.js'
import { Mirror, WITHOUT_REPACKING } from '../repack-stage.js'

const KILLS = thorough(8, 40)
/** Of the partition, in steps of 100 rows: a copy is never done before the next kill. */
const MESSAGES_PLANTED = 6_000
const LATER_MS = 200 * 24 * 60 * 60 * 1000

function startRepacker(t: TestContext, databaseUrl: string): ChildProcess {
  const file = path.join(import.meta.dirname, 'repack-process.mjs')
  const child = fork(file, [String(LATER_MS), databaseUrl], { execArgv: [] })
  t.after(() => child.kill('SIGKILL'))
  return child
}

async function untilSteps(child: ChildProcess, steps: number): Promise<string> {
  for (let seen = 0; ; ) {
    const [what] = (await once(child, 'message')) as [string]
    if (what === 'rest' || ++seen >= steps) return what
  }
}

test('repeated kill -9 while a partition is repacked loses no row and no change', {
  skip: WITHOUT_REPACKING,
}, async (t) => {
  const service = await testService(t)
  const { db, clock } = service.world
  await partitionTables(service, { MESSAGES }, [clock.now().toISOString()])
  await plantMessages(service, { campaignId: 'cmp_a', count: MESSAGES_PLANTED })
  const sizeOf = async () => {
    const [row] = await db.query<{ bytes: bigint }>(
      sql`select pg_total_relation_size('messages_first') as bytes`,
    )
    return Number(row!.bytes)
  }
  const before = await sizeOf()
  const mirror = await Mirror.of(service)
  let isOver = false
  const writing = (async () => {
    while (!isOver) await mirror.change()
  })()

  let killed = 0
  for (let isDone = false; !isDone; ) {
    const child = startRepacker(t, service.databaseUrl)
    isDone =
      (await untilSteps(child, killed < KILLS ? 1 + (killed % 4) : Number.POSITIVE_INFINITY)) ===
      'rest'
    child.kill('SIGKILL')
    killed += 1
  }
  isOver = true
  await writing
  assert.ok(killed > KILLS, `${killed} processes`)
  await mirror.assertEqual()
  const after = await sizeOf()
  t.diagnostic(`${killed} processes; ${before} bytes before, ${after} after`)
  assert.ok(after < before)
  const left = await db.query(sql`
    select relname from pg_class where relkind = 'r' and (relname like '%\_copy' or relname like '%\_changes')
      and relname like 'messages%'`)
  assert.deepEqual(left, [])
})
