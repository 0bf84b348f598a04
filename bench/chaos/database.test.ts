// A chaos run that kills the database must never kill itself.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { readServerPid } from './database.js'

test('no process is found for a server that is down or starting', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'longcode-pid-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const lock = path.join(folder, '.s.PGSQL.5432.lock')
  assert.equal(readServerPid(lock), null, 'no lock file')
  for (const text of ['', '\n', '0\n', '-1\n', 'x\n', '1\n']) {
    writeFileSync(lock, text)
    assert.equal(readServerPid(lock), null, JSON.stringify(text))
  }
  writeFileSync(lock, `${process.pid}\n/data\n`)
  assert.equal(readServerPid(lock), process.pid)
})
