// Texts composed at run time, stored in a file next to their test, so a change appears as a diff in review.
// UPDATE_SNAPSHOTS=1 writes the file again. TEST_SNAPSHOTS=off compares nothing, so mutation runs can tell what only a
// snapshot noticed.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The statements, each under its name, must match the file. */
export function assertStatements(file: URL, statements: Record<string, string>): void {
  if (process.env.TEST_SNAPSHOTS === 'off') return
  const text = Object.entries(statements)
    .map(([name, statement]) => `-- ${name}\n${statement.trim()};\n`)
    .join('\n')
  if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(file, text)
  const hint = `${fileURLToPath(file)} has another text. Is the change meant? UPDATE_SNAPSHOTS=1 writes it.`
  assert.equal(text, readFileSync(file, 'utf8'), hint)
}
