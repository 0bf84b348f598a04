// The database: a separate PostgreSQL server in its own folder, which is killed while in use and restarted immediately
// at the same address (by kit/embedded). Or an existing database, such as a Citus coordinator, where only sessions can
// be ended.

import { chmodSync, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { startEmbeddedDatabase } from '../../src/kit/embedded/database.js'
import { type Database, openDatabase } from '../../src/kit/postgres/db.js'
import { migrate } from '../../src/kit/postgres/migrate.js'
import { raw, sql } from '../../src/kit/postgres/sql.js'
import type { Target } from './network.js'

/** `fast`: an orderly shutdown that cuts connections. `crash`: immediate, followed by WAL replay. */
export type End = 'fast' | 'crash'

interface Server {
  url: string
  target: Target
  end: (db: Database, how: End) => Promise<void>
  stop: () => Promise<void>
}

export class ChaosDatabase {
  private constructor(
    readonly server: Server,
    /** Bypasses the faulty networks, for observers. */
    readonly db: Database,
  ) {}

  static async start(folder: string, given: string | null): Promise<ChaosDatabase> {
    const server = given === null ? await ownServer(folder) : givenServer(given)
    const db = openDatabase({
      url: server.url,
      poolMax: 2,
      applicationName: 'chaos',
      onError: () => {},
      statementMs: 120_000,
    })
    if (given !== null) await assertEmpty(db)
    await migrate(db)
    return new ChaosDatabase(server, db)
  }

  /** The URL for a node that connects through this port. */
  urlBy(port: number): string {
    const { username, password, pathname } = new URL(this.server.url)
    const who = password === '' ? username : `${username}:${password}`
    return `postgres://${who}@127.0.0.1:${port}${pathname}?sslmode=disable`
  }

  end(how: End): Promise<void> {
    return this.server.end(this.db, how)
  }

  async close(): Promise<void> {
    await this.db.end()
    await this.server.stop()
  }
}

async function ownServer(folder: string): Promise<Server> {
  chmodSync(folder, 0o755) // the server may run as another user
  const { url, stop } = await startEmbeddedDatabase({
    dataDir: path.join(folder, 'database'),
    note: () => {},
  })
  const socket = path.join(decodeURIComponent(new URL(url).hostname), '.s.PGSQL.5432')
  const end = async (_: Database, how: End) => {
    const pid = readServerPid(`${socket}.lock`)
    if (pid !== null) process.kill(pid, how === 'fast' ? 'SIGINT' : 'SIGQUIT')
  }
  return { url, target: socket, end, stop }
}

/** Null while the server is down or starting. Process 0 would be this run and everything it started. */
export function readServerPid(lockFile: string): number | null {
  if (!existsSync(lockFile)) return null
  const pid = Number(readFileSync(lockFile, 'utf8').split('\n', 1)[0])
  return Number.isInteger(pid) && pid > 1 && isAlive(pid) ? pid : null
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function givenServer(url: string): Server {
  const { hostname, port } = new URL(url)
  if (hostname !== '127.0.0.1') throw new Error('--database must be at 127.0.0.1.')
  return { url, target: Number(port || 5432), end: endSessions, stop: async () => {} }
}

const SESSIONS = `select count(pg_terminate_backend(pid)) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`

/** `fast`: ends all sessions. `crash`: ends those of its workers, if it has any. */
async function endSessions(db: Database, how: End): Promise<void> {
  const atWorkers = sql`select run_command_on_workers(${SESSIONS})`
  const isAtWorkers = how === 'crash' && (await db.workers.isCluster())
  await db.query(isAtWorkers ? atWorkers : sql`${raw(SESSIONS)}`).catch(() => {})
}

async function assertEmpty(db: Database): Promise<void> {
  const [row] = await db.query<{ isEmpty: boolean }>(
    sql`select to_regclass('accounts') is null as "isEmpty"`,
  )
  if (!row!.isEmpty) throw new Error('--database must be empty, but it has accounts.')
}
