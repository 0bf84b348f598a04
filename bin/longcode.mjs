#!/usr/bin/env node
// The command `longcode`. An installed package or image runs the program that was built for it. In a clone
// (`npx longcode`), it first builds what is stale.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const script = path.join(root, 'scripts/prepare.mjs')
if (existsSync(script) && !(await isUnchanged())) {
  const stdio = ['ignore', 2, 2]
  const prepared = spawnSync(process.execPath, [script, 'build'], { cwd: root, stdio })
  if (prepared.status !== 0) process.exit(prepared.status ?? 1)
}
await import(path.join(root, 'dist/main.js'))

/** Whether every source has the size and times of the last build. */
async function isUnchanged() {
  const { STAMP_FILE, stampInputs } = await import('../scripts/build-inputs.mjs')
  const stamp = path.join(root, STAMP_FILE)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === stampInputs(root)
}
