// `longcode distribute`: lays the tables out over the machines of a Citus cluster, and says where each lies.

import type { Command } from 'commander'
import { action, examples } from './command.js'
import { CommandFailure } from './failure.js'
import type { Output } from './output.js'

export function addDistributeCommand(program: Command): void {
  program
    .command('distribute')
    .description('lay the tables out over a Citus cluster (may be repeated)')
    .addHelpText('after', examples('distribute'))
    .action(action(distributeTables))
}

async function distributeTables(out: Output): Promise<void> {
  const { readConfig } = await import('../kit/config.js')
  const { distribute } = await import('../kit/postgres/distribute.js')
  const { explainDatabase, openCommandDatabase } = await import('./operator-world.js')
  const { url, db, end } = await openCommandDatabase(readConfig(), out.note)
  try {
    const layout = await distribute(db.patient).catch((error) => {
      throw explainDatabase(error, url)
    })
    if (layout === null) {
      throw new CommandFailure(
        'This database has no Citus: run `create extension citus` in it on every node, add the workers, then come back.',
        'citus_absent',
      )
    }
    const { version, workers, placed, distributed, byOwnKey, local } = layout
    out.json(layout)
    out.say(`Citus ${version}, ${workers} ${workers === 1 ? 'worker' : 'workers'}.`)
    out.say(`By account: ${distributed.join(', ')}.`)
    out.say(`By their own key: ${byOwnKey.join(', ')}.`)
    out.say(`On the coordinator: ${local.join(', ')}.`)
    out.say(placed.length === 0 ? 'Nothing to do.' : `Laid out just now: ${placed.join(', ')}.`)
  } finally {
    await end()
  }
}
