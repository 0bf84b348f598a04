// Operator commands work on the database directly: DATABASE_URL, or else the embedded one, either that of the running
// service or one started for the duration of the command.

import os from 'node:os'
import type { Actor } from '../accounts/audit.js'
import { Clock } from '../kit/clock.js'
import { type Config, readConfig } from '../kit/config.js'
import { startEmbeddedDatabase } from '../kit/embedded/database.js'
import { findRunningDatabase, hasEmbeddedDatabase } from '../kit/embedded/running.js'
import { Hints } from '../kit/hints.js'
import { openLog } from '../kit/log.js'
import { Metrics } from '../kit/metrics.js'
import { type Database, openDatabase, type Transaction } from '../kit/postgres/db.js'
import { isRefusedByPooler, POOLER_REMEDY } from '../kit/postgres/frame.js'
import { DatabaseOfAnotherVersion, pendingMigrations } from '../kit/postgres/migrate.js'
import { describeDatabaseUrl } from '../kit/settings/database-url.js'
import { findUnusedSettings } from '../kit/settings/environment.js'
import type { World } from '../kit/world.js'
import { followClock } from '../sandbox/test-clock.js'
import { CommandFailure } from './failure.js'

export interface CommandDatabase {
  url: string
  db: Database
  end: () => Promise<void>
}

/** Creates a database only with `mayCreate`. */
export async function openCommandDatabase(
  config: Readonly<Config>,
  note: (line: string) => void,
  { mayCreate = false } = {},
): Promise<CommandDatabase> {
  const choice = describeChoice(config, findUnusedSettings())
  if (choice !== null) note(choice)
  const databaseUrl = config.databaseUrl ?? findRunningDatabase(config.dataDir)
  if (databaseUrl !== null) return connect(databaseUrl, config, async () => {})
  if (!mayCreate && !hasEmbeddedDatabase(config.dataDir)) {
    throw new CommandFailure(
      `There is no database in ${config.dataDir} yet. Start the service once, run \`longcode migrate\`, or set DATABASE_URL.`,
      'database_missing',
    )
  }
  const own = await startEmbeddedDatabase({ dataDir: config.dataDir, note })
  return connect(own.url, config, own.stop)
}

/** Names the database if a person could mean another one; null if there is only one. */
export function describeChoice(
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
  unusedSettings: string | null,
): string | null {
  if (databaseUrl !== null) {
    if (!hasEmbeddedDatabase(dataDir)) return null
    return `Database: ${describeDatabaseUrl(databaseUrl)}, not the sandbox in ${dataDir}.`
  }
  if (unusedSettings === null) return null
  return `Database: the sandbox in ${dataDir}, not that of ${unusedSettings} (LONGCODE_ENV_FILE).`
}

function connect(
  url: string,
  { databasePooler: pooler, databaseStatementMs: statementMs }: Readonly<Config>,
  stop: () => Promise<void>,
): CommandDatabase {
  const common = { poolMax: 2, applicationName: 'longcode-cli', onError: () => {} }
  const db = openDatabase({ url, pooler, statementMs, ...common })
  return { url, db, end: () => db.end().then(stop) }
}

export interface OperatorWorld {
  world: World
  actor: Actor
  /** One action: the change and its audit log entry. */
  act: <T>(work: (tx: Transaction, actor: Actor, now: Date) => Promise<T>) => Promise<T>
}

/** Runs the work on the database of the service, with the service's time. */
export async function withOperatorWorld<T>(
  note: (line: string) => void,
  work: (operator: OperatorWorld) => Promise<T>,
): Promise<T> {
  const config = readConfig()
  const { url, db, end } = await openCommandDatabase(config, note)
  try {
    await checkMigrated(db, url)
    const world = worldOf(db, config)
    await followClock(world)
    const actor = commandActor()
    return await work({
      world,
      actor,
      act: (change) => db.transaction((tx) => change(tx, actor, world.clock.now())),
    })
  } finally {
    await end()
  }
}

/** The service's time, which can be moved in the sandbox. */
export async function serviceNow(db: Database, config: Readonly<Config>): Promise<Date> {
  const world = worldOf(db, config)
  await followClock(world)
  return world.clock.now()
}

function worldOf(db: Database, config: Readonly<Config>): World {
  return {
    db,
    clock: new Clock(),
    config,
    log: openLog('silent'),
    hints: new Hints(),
    metrics: new Metrics(),
  }
}

async function checkMigrated(db: Database, url: string): Promise<void> {
  let pending: string[]
  try {
    pending = await pendingMigrations(db)
  } catch (error) {
    throw explainDatabase(error, url)
  }
  if (pending.length === 0) return
  throw new CommandFailure(
    `The database is missing migrations: ${pending.join(', ')}. Run \`longcode migrate\` first.`,
    'migrations_behind',
  )
}

export function explainDatabase(error: unknown, url: string): CommandFailure {
  if (error instanceof DatabaseOfAnotherVersion) {
    return new CommandFailure(error.message, 'database_of_another_version')
  }
  const { code, message } = error as { code?: string; message?: string }
  if (code === '42P01') {
    return new CommandFailure(
      'The database is empty. Run `longcode migrate` first.',
      'migrations_behind',
    )
  }
  const reason = message || code || String(error)
  const remedy = isRefusedByPooler(error) ? `. To fix it, ${POOLER_REMEDY}.` : ''
  return new CommandFailure(
    `The database at ${describeDatabaseUrl(url)} cannot be reached: ${reason}${remedy}`,
    'database_unreachable',
  )
}

/** The system user who runs the command. */
function commandActor(): Actor {
  return {
    kind: 'command',
    id: null,
    name: userName(),
    origin: os.hostname(),
    requestId: null,
  }
}

function userName(): string {
  try {
    return os.userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}` // in a container, the user may have no name
  }
}
