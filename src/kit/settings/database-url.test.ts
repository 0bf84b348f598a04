// Database addresses as people write them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeDatabaseUrl, splitDatabaseUrl } from './database-url.js'

test('an address of one server stays unchanged', () => {
  for (const url of [
    'postgres://longcode:secret@localhost:5432/longcode',
    'postgresql://localhost/longcode?sslmode=require',
    'postgres:///longcode?host=/var/run/postgresql',
    'postgres://u:p%40ss,word@[::1]:5432/db',
  ]) {
    assert.deepEqual(splitDatabaseUrl(url), [url])
  }
})

test('several servers share everything except host and port', () => {
  assert.deepEqual(splitDatabaseUrl('postgres://u:p@a:5432,b:5433,[::1]/db?sslmode=require'), [
    'postgres://u:p@a:5432/db?sslmode=require',
    'postgres://u:p@b:5433/db?sslmode=require',
    'postgres://u:p@[::1]/db?sslmode=require',
  ])
})

test('an invalid address is refused', () => {
  for (const text of [
    '',
    'mysql://a/b',
    'localhost:5432',
    'postgres://u:p@a:port/db',
    'postgres://u:p@a,,b/db',
    'postgres://u:p@a,/db',
    `postgres://${Array.from({ length: 17 }, (_, i) => `h${i}`).join(',')}/db`,
  ]) {
    assert.equal(splitDatabaseUrl(text), null, text)
  }
})

test('the displayed address has no user and no password', () => {
  assert.equal(describeDatabaseUrl('postgres://u:secret@a:5432,b:5433/db'), 'a:5432,b:5433/db')
  assert.equal(describeDatabaseUrl('postgres://u:secret@a/db?sslmode=require'), 'a/db')
})
