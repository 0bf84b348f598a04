// Statements that create and drop databases, on the test server or on every node of the test cluster.

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const PATIENCE_MS = 60_000

/** The workers' addresses while the tests run on Citus (`npm run test:citus`), else none. */
export function citusWorkers(): string[] {
  return (process.env.TEST_CITUS_WORKERS ?? '').split(' ').filter((url) => url !== '')
}

/** The skip reason of a test that starts with an empty database: dropping the schema drops Citus. Otherwise false. */
export const WITH_CITUS =
  citusWorkers().length > 0 &&
  'it drops the schema of the extension; test/citus/layout.test.ts covers migrations there'

// Connecting costs about as much as creating a database. At most two connections per process stay open: others use the
// server too. No timer ends them, because a test may have stopped the clock.
const CONNECTIONS_MAX = 2
const pools = new Map<string, pg.Pool>()

function poolOf(url: string): pg.Pool {
  const known = pools.get(url)
  if (known) return known
  // On workers the role has a short lock timeout (docs/scale.md), and other tests create databases at the same time.
  const pool = new pg.Pool({
    connectionString: url,
    options: '-c lock_timeout=0',
    max: CONNECTIONS_MAX,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  pool.on('error', () => {}) // an idle connection was cut; the next statement opens another
  pools.set(url, pool)
  return pool
}

export async function administer(serverUrl: string, statement: string): Promise<void> {
  await Promise.all([serverUrl, ...citusWorkers()].map((url) => patiently(url, statement)))
}

async function patiently(url: string, statement: string): Promise<void> {
  for (const untilMs = performance.now() + PATIENCE_MS; ; ) {
    try {
      await poolOf(url).query(statement)
      return
    } catch (error) {
      // Another test file is cloning the template.
      if (performance.now() > untilMs || (error as { code?: string }).code !== '55006') throw error
      await sleep(50)
    }
  }
}
