// Forward-only migrations: the numbered files in migrations/, each in its own transaction. An advisory lock
// lets any number of nodes start at once. A database whose migrations are not ours belongs to another version
// and stays unchanged. On a Citus cluster, new tables are distributed like the others.

import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Database, Transaction } from './db.js'
import { distribute } from './distribute.js'
import {
  createMigrationsTable,
  deleteMigrations,
  hasMigration,
  insertMigrations,
  listMigrations,
  lockMigrations,
  runMigration,
} from './migration-queries.js'

const MIGRATIONS_DIR = path.resolve(import.meta.dirname, '../../../migrations')

// The old chain of migrations that made the same schema as our files up to SQUASHED_UNTIL: see
// docs/decisions/0027.
const PREVIOUS = [
  '0001-accounts.sql',
  '0002-ledger.sql',
  '0003-events.sql',
  '0004-brands-campaigns.sql',
  '0005-numbers.sql',
  '0006-messages.sql',
  '0007-webhooks.sql',
  '0008-billing.sql',
  '0009-operator.sql',
  '0010-cheaper-accepting.sql',
  '0011-handoffs.sql',
  '0012-deliveries-newest-last.sql',
  '0013-charges-per-batch.sql',
  '0014-leases-in-place.sql',
  '0016-waiting-and-giving-up.sql',
  '0017-changes-told.sql',
  '0018-campaigns-end.sql',
  '0019-refusals-and-replies.sql',
]
const SQUASHED_UNTIL = '0013-operator.sql'

/** The message is the one line that is shown. */
export class DatabaseOfAnotherVersion extends Error {}

interface MigrateProgress {
  /** Migrations applied so far, of all that were missing. */
  onMigration?: (done: number, total: number) => void
  /** Tables distributed so far, of all that were missing. */
  onTable?: (done: number, total: number) => void
}

export async function migrate(
  db: Database,
  { onMigration, onTable }: MigrateProgress = {},
): Promise<string[]> {
  const names = await migrationNames()
  await db.patient.transaction(async (tx) => {
    await lockMigrations(tx)
    await createMigrationsTable(tx)
    await recognise(tx, names)
  })
  const pending = await pendingMigrations(db)
  const applied: string[] = []
  for (const [i, name] of pending.entries()) {
    const text = await readFile(path.join(MIGRATIONS_DIR, name), 'utf8')
    if (await applyOnce(db, name, text)) applied.push(name)
    onMigration?.(i + 1, pending.length)
  }
  await distribute(db.patient, onTable)
  return applied
}

/** The migrations that this program has and the database lacks. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const applied = new Set(await listMigrations(db))
  return (await migrationNames()).filter((name) => !applied.has(name))
}

/**
 * Throws DatabaseOfAnotherVersion. A database with all our migrations and more belongs to a newer version,
 * which keeps what older ones need. One at the end of the previous chain is adopted.
 */
async function recognise(tx: Transaction, names: readonly string[]): Promise<void> {
  const applied = new Set(await listMigrations(tx))
  const unknown = [...applied].filter((name) => !names.includes(name))
  if (unknown.length === 0 || names.every((name) => applied.has(name))) return
  if (applied.size !== PREVIOUS.length || PREVIOUS.some((name) => !applied.has(name))) {
    throw new DatabaseOfAnotherVersion(explainUnknown(unknown))
  }
  const squashed = names.filter((name) => name <= SQUASHED_UNTIL)
  await deleteMigrations(tx)
  await insertMigrations(tx, squashed)
}

function explainUnknown(unknown: readonly string[]): string {
  const isPrevious = unknown.every((name) => PREVIOUS.includes(name))
  const way = isPrevious
    ? `start the last version that has migrations/${PREVIOUS.at(-1)} on it once and then this one (docs/decisions/0027-compatibility-and-migrations.md)`
    : 'start the version that made it'
  return `The database was made by another version and is left as it is (this one does not know ${unknown.at(-1)}): ${way}, or name an empty one by DATABASE_URL or LONGCODE_DATA.`
}

// Comments, texts, names, and bodies may contain a semicolon that ends nothing.
const TOKEN = /--.*|'[^']*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[\s\S]/g

/** One by one: with several commands at once, Citus would propagate all of them instead of one. */
function commandsOf(text: string): string[] {
  const commands = ['']
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ';') commands.push('')
    else if (!token.startsWith('--')) commands.push(commands.pop() + token)
  }
  return commands.filter((command) => command.trim() !== '')
}

async function migrationNames(): Promise<string[]> {
  return (await readdir(MIGRATIONS_DIR)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).sort()
}

async function applyOnce(db: Database, name: string, text: string): Promise<boolean> {
  return db.patient.transaction(async (tx) => {
    await lockMigrations(tx)
    if (await hasMigration(tx, name)) return false
    for (const command of commandsOf(text)) await runMigration(tx, command)
    await insertMigrations(tx, [name])
    return true
  })
}
