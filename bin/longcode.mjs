#!/usr/bin/env node
// `npx longcode …` in a clone: builds what is stale, then runs the command line.

import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const prepared = spawnSync(process.execPath, [path.join(root, 'scripts/prepare.mjs'), 'build'], {
  cwd: root,
  stdio: ['ignore', 2, 2],
})
if (prepared.status !== 0) process.exit(prepared.status ?? 1)
await import(path.join(root, 'dist/main.js'))
