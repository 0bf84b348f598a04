#!/usr/bin/env node
// The command line starts here. Only `serve` loads the service itself, so other commands start faster.

import { CommandFailure } from './commands/failure.js'
import { runProgram } from './commands/program.js'

async function serve(): Promise<void> {
  const { explain, runServe } = await import('./run.js')
  await runServe().catch((error) => {
    throw new CommandFailure(explain(error))
  })
}

const exitCode = await runProgram(process.argv, { serve })
// Flush everything that was printed before the process ends: pipes are asynchronous.
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)))
