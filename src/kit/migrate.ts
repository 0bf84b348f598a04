// Forward-only migrations: the numbered files of migrations/, each in a transaction of its own. An
// advisory lock lets any number of nodes start at once.

import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Database } from './db.js'
import { sql } from './sql.js'

const LOCK = 7_265_011 // any constant will do, as long as nobody else uses it

export const MIGRATIONS_DIR = path.resolve(import.meta.dirname, '../../migrations')

export async function migrate(db: Database, dir = MIGRATIONS_DIR): Promise<string[]> {
  await db.patient.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${LOCK})`)
    await tx.query(sql`create table if not exists migrations (name text primary key)`)
  })
  const applied: string[] = []
  for (const name of await migrationNames(dir)) {
    const text = await readFile(path.join(dir, name), 'utf8')
    if (await applyOnce(db, name, text)) applied.push(name)
  }
  return applied
}

/** The names that this program has and the database lacks. */
export async function pendingMigrations(db: Database, dir = MIGRATIONS_DIR): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`select name from migrations`)
  const known = new Set(rows.map((row) => row.name))
  return (await migrationNames(dir)).filter((name) => !known.has(name))
}

async function migrationNames(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).sort()
}

async function applyOnce(db: Database, name: string, text: string): Promise<boolean> {
  return db.patient.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${LOCK})`)
    const [done] = await tx.query(sql`select name from migrations where name = ${name}`)
    if (done) return false
    await tx.query({ name: '', text, values: [] })
    await tx.query(sql`insert into migrations (name) values (${name})`)
    return true
  })
}
