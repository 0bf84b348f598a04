// Writes schema.sql: a PostgreSQL is started, migrated, and asked what it has. test/schema.test.ts says when
// the file is stale.

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
