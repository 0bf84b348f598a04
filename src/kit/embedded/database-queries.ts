// Queries for the embedded server itself, before there is a database to connect to.

import type pg from 'pg'

/** The name is inserted into the text unchanged: it is a constant of the program. */
export async function createIfMissing(client: pg.Client, database: string): Promise<void> {
  const found = await client.query('select from pg_database where datname = $1', [database])
  if (found.rowCount) return
  await client.query(`create database ${database} template template0 encoding 'UTF8' locale 'C'`)
}
