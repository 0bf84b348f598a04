// The service reports whether it is ready, and why not, within a second, with one query for all probes.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import type { Statement } from '../../kit/postgres/sql.js'
import type { World } from '../../kit/world.js'
import { createReadinessProbe } from './readiness.js'

const NAMES = readdirSync('migrations').filter((name) => /^\d{4}-.+\.sql$/.test(name))

interface Database {
  isReadOnly?: boolean
  applied?: readonly string[]
  tookMs?: number
  waiting?: number
  isHung?: boolean
  /** A worker is down, and its tenants hold all connections. */
  isCluster?: boolean
}

function stage(t: TestContext, given: Database = {}) {
  let nowMs = 1_000
  t.mock.method(performance, 'now', () => nowMs)
  const state: Database = { ...given }
  const asked: string[] = []
  const warned: string[] = []
  const answer = async ({ text }: Statement) => {
    asked.push(text.includes('from migrations') ? 'migrations' : 'state')
    if (state.isHung) await new Promise(() => {})
    nowMs += text.includes('from migrations') ? 0 : (state.tookMs ?? 0)
    if (!text.includes('from migrations')) {
      return [{ isReadOnly: state.isReadOnly ?? false, identity: IDENTITY }]
    }
    return (state.applied ?? NAMES).map((name) => ({ name }))
  }
  const world = {
    log: { warn: (_: object, text: string) => warned.push(text) },
    db: {
      poolUse: () => ({ total: 4, idle: 0, waiting: state.waiting ?? 0 }),
      query: (statement: Statement) =>
        state.isCluster ? new Promise(() => {}) : answer(statement),
      workers: {
        get isKnownCluster() {
          return state.isCluster ?? false
        },
      },
      probe: { query: answer },
    },
  } as unknown as World
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { probe: createReadinessProbe(world), state, asked, warned, world, pass }
}

const IDENTITY = '7'
const READY = { database: 'ok', problem: null, identity: IDENTITY, note: null }

test('a slow or fast database response makes the service ready, and concurrent probes share one query', async (t) => {
  const { probe, asked, state } = stage(t, { tookMs: 299.4 })
  assert.deepEqual(await Promise.all([probe(), probe()]), [READY, READY])
  assert.deepEqual(asked, ['state', 'migrations'])
  state.tookMs = 300
  const note = { field: 'database', problem: 'responds slowly: 300 ms' }
  assert.deepEqual(await probe(), { ...READY, database: 'slow', note })
  assert.deepEqual(asked, ['state', 'migrations', 'state'], 'migrations are checked once')
})

test('while a worker is down and its tenants hold all connections, the service stays ready', async (t) => {
  const { probe, state } = stage(t)
  assert.deepEqual(await probe(), READY)
  state.isCluster = true
  assert.deepEqual(await probe(), READY)
})

test('a read-only database is reported, and the service stays ready for reads', async (t) => {
  const { probe } = stage(t, { isReadOnly: true, tookMs: 500 })
  const problem = 'is read-only: requests that write get 503'
  const note = { field: 'database', problem }
  assert.deepEqual(await probe(), { ...READY, database: 'read_only', note })
})

test('missing migrations are listed until they are applied', async (t) => {
  const { probe, state } = stage(t, { applied: NAMES.slice(0, -2) })
  const problem = { field: 'migrations', problem: `are behind: ${NAMES.at(-2)}, ${NAMES.at(-1)}` }
  assert.deepEqual(await probe(), { ...READY, problem })
  state.applied = NAMES
  assert.deepEqual(await probe(), READY)
})

test('a hanging database gets less than a second, and is not queried again meanwhile', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { probe, asked, state, pass } = stage(t, { isHung: true })
  const ask = async (ms: number) => {
    const waiting = probe()
    t.mock.timers.tick(799)
    pass(ms)
    assert.equal(await Promise.race([waiting, Promise.resolve('waits')]), 'waits')
    t.mock.timers.tick(1)
    return (await waiting).problem
  }
  const silent = (seconds: string) => ({
    field: 'database',
    problem: `has not responded for ${seconds} s`,
  })
  assert.deepEqual(await ask(800), silent('0.8'))
  assert.deepEqual(await ask(199_200), silent('200.0'))
  state.waiting = 1
  assert.deepEqual(await ask(0), {
    field: 'database',
    problem: 'has no free connection: 4 are busy, and 1 request waits',
  })
  assert.deepEqual(asked, ['state'])
})

test('a database that refuses connections is reported and logged', async (t) => {
  const { warned, world } = stage(t)
  const query = async () => {
    throw new Error('refused')
  }
  const probe = createReadinessProbe({ ...world, db: { ...world.db, query } } as unknown as World)
  const problem = { field: 'database', problem: 'does not answer' }
  assert.deepEqual(await probe(), { ...READY, problem, identity: null })
  assert.deepEqual(warned, ['the database does not respond'])
})
