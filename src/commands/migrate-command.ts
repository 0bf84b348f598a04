// `longcode migrate`: runs database migrations. On a cluster, it also distributes new tables.

import type { Command } from 'commander'
import { action, examples } from './command.js'
import { followProgress, type Output } from './output.js'

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('run database migrations')
    .addHelpText('after', examples('migrate'))
    .action(action(migrateDatabase))
}

async function migrateDatabase(out: Output): Promise<void> {
  const { readConfig } = await import('../kit/config.js')
  const { migrate } = await import('../kit/postgres/migrate.js')
  const { explainDatabase, openCommandDatabase } = await import('./operator-world.js')
  const { url, db, end } = await openCommandDatabase(readConfig(), out.note, { mayCreate: true })
  try {
    const applied = await migrate(db, {
      onMigration: followProgress(out, 'Migrating'),
      onTable: followProgress(out, 'Distributing tables'),
    }).catch((error) => {
      throw explainDatabase(error, url)
    })
    out.json({ applied })
    out.say(applied.length === 0 ? 'Nothing to do.' : `Applied: ${applied.join(', ')}`)
  } finally {
    await end()
  }
}
