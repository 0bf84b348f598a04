// Texts that are put together at run time, kept in a file beside their test, so that a change of them is a
// diff that a reviewer reads. UPDATE_SNAPSHOTS=1 writes the file anew.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The statements, each under its name, are those of the file. */
export function assertStatements(file: URL, statements: Record<string, string>): void {
  const text = Object.entries(statements)
    .map(([name, statement]) => `-- ${name}\n${statement.trim()};\n`)
    .join('\n')
  if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(file, text)
  const hint = `${fileURLToPath(file)} has another text. Is the change meant? UPDATE_SNAPSHOTS=1 writes it.`
  assert.equal(text, readFileSync(file, 'utf8'), hint)
}
