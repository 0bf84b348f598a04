// schema.sql must match the migrations. Not part of `npm run check`, which has no database.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import pg from 'pg'
import { schemaText } from '../scripts/schema-text.js'
import { cloneDatabase } from './harness.js'

test('schema.sql matches the result of the migrations on every PostgreSQL version', async (t) => {
  const { url, drop } = await cloneDatabase()
  t.after(drop)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const text = await schemaText(client).finally(() => client.end())
  assert.equal(
    text,
    readFileSync('schema.sql', 'utf8'),
    'schema.sql is stale: run `npm run schema`',
  )
})
