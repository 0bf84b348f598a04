#!/usr/bin/env node
// The command line starts here. The service itself is loaded only to be served: everything else
// starts faster without it.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CommandFailure } from './commands/failure.js'
import { runProgram } from './commands/program.js'

const { version } = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../package.json'), 'utf8'),
) as { version: string }

async function serve(): Promise<void> {
  const { explain, runServe } = await import('./run.js')
  await runServe().catch((error) => {
    throw new CommandFailure(explain(error))
  })
}

const exitCode = await runProgram(process.argv, { version, serve })
// What was printed must be out before the process ends: a pipe takes its time.
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)))
