// Statements on the migrations table: which of the files in migrations/ have been applied.

import type { Queryable, Transaction } from './db.js'
import { sql } from './sql.js'

const LOCK = 7_265_011 // any constant works, if nothing else uses it

/** Until the transaction ends: any number of nodes may start at once. */
export async function lockMigrations(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${LOCK})`)
}

export async function createMigrationsTable(tx: Transaction): Promise<void> {
  await tx.query(sql`create table if not exists migrations (name text primary key)`)
}

/** In the order of their numbers. */
export async function listMigrations(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`select name from migrations order by name`)
  return rows.map((row) => row.name)
}

export async function hasMigration(tx: Transaction, name: string): Promise<boolean> {
  const rows = await tx.query(sql`select name from migrations where name = ${name}`)
  return rows.length > 0
}

export async function insertMigrations(tx: Transaction, names: readonly string[]): Promise<void> {
  await tx.query(sql`insert into migrations (name) select unnest(${names}::text[])`)
}

export async function deleteMigrations(tx: Transaction): Promise<void> {
  await tx.query(sql`delete from migrations`)
}

/** A command from a migration file. */
export async function runMigration(tx: Transaction, text: string): Promise<void> {
  await tx.query({ name: '', text, values: [] })
}
