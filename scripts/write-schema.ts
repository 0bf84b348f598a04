// Writes schema.sql: starts a PostgreSQL, migrates it, and reads its catalog. test/schema.test.ts fails if the file
// is stale.

import { writeFileSync } from 'node:fs'
import pg from 'pg'
import { schemaText } from './schema-text.js'
import { startTestDatabase } from './test-database.mjs'

const server = await startTestDatabase()
try {
  const client = new pg.Client({ connectionString: server.template })
  await client.connect()
  writeFileSync('schema.sql', await schemaText(client).finally(() => client.end()))
  console.log('schema.sql written')
} finally {
  await server.stop()
}
