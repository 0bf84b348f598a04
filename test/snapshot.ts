// Texts composed at run time, stored in a file next to their test, so a change appears as a diff in review.
// UPDATE_SNAPSHOTS=1 writes the file again. TEST_SNAPSHOTS=off compares nothing, so mutation runs can tell what only a
// snapshot noticed.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The statements, each under its name, must match the file. */
export function assertStatements(file: URL, statements: Record<string, string>): void {
  if (process.env.TEST_SNAPSHOTS === 'off') return
  const text = Object.entries(statements)
    .map(([name, statement]) => `-- ${name}\n${statement.trim()};\n`)
    .join('\n')
  if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(file, text)
  const reviewed = readFileSync(file, 'utf8')
  if (text === reviewed) return
  const [lines, reviewedLines] = [text.split('\n'), reviewed.split('\n')]
  const at = lines.findIndex((line, i) => line !== reviewedLines[i])
  // The whole texts are too long to read. Written to the file, the change is a diff.
  assert.fail(`${path.relative('', fileURLToPath(file))} differs from line ${at + 1} on. If you meant the change, run this test
with UPDATE_SNAPSHOTS=1 and review the diff of the file.
  in the file: ${reviewedLines[at] ?? 'end of the file'}
  now:         ${lines[at] ?? 'end of the text'}`)
}
