#!/usr/bin/env node
// The command line.

import { Command } from 'commander'
import { readConfig } from './kit/config.js'
import { explain, migrateDatabase, openRunningDatabase, runServe } from './run.js'

const program = new Command('longcode').description('Self-hosted business messaging.')

program
  .command('serve')
  .description('start the service (the default is the sandbox, with its own database)')
  .action(runServe)

program
  .command('migrate')
  .description('bring the database up to date, and end')
  .action(async () => {
    const database = await openRunningDatabase(readConfig(), console.log)
    try {
      const applied = await migrateDatabase(database.url)
      console.log(applied.length === 0 ? 'Nothing to do.' : `Applied: ${applied.join(', ')}`)
    } finally {
      await database.stop()
    }
  })

program.parseAsync().then(
  () => process.exit(0),
  (error) => {
    console.error(explain(error))
    process.exit(1)
  },
)
