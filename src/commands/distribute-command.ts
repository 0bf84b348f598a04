// `longcode distribute`: distributes the tables over a Citus cluster and shows where each one is.

import type { Command } from 'commander'
import { plural } from '../text/plural.js'
import { action, examples } from './command.js'
import { CommandFailure } from './failure.js'
import { followProgress, type Output } from './output.js'

export function addDistributeCommand(program: Command): void {
  program
    .command('distribute')
    .description('distribute the tables over a Citus cluster (safe to repeat)')
    .addHelpText('after', examples('distribute'))
    .action(action(distributeTables))
}

async function distributeTables(out: Output): Promise<void> {
  const { readConfig } = await import('../kit/config.js')
  const { distribute } = await import('../kit/postgres/distribute.js')
  const { explainDatabase, openCommandDatabase } = await import('./operator-world.js')
  const { url, db, end } = await openCommandDatabase(readConfig(), out.note)
  const onTable = followProgress(out, 'Distributing tables')
  try {
    const layout = await distribute(db.patient, onTable).catch((error) => {
      throw explainDatabase(error, url)
    })
    if (layout === null) {
      throw new CommandFailure(
        'This database does not have Citus. Run `create extension citus` in it on every node, add the workers, then run this again.',
        'citus_absent',
      )
    }
    const { version, workers, placed, distributed, byOwnKey, local } = layout
    out.json(layout)
    out.say(`Citus ${version}, ${plural(workers, 'worker')}.`)
    out.say(`Distributed by account: ${distributed.join(', ')}.`)
    out.say(`Distributed by their own key: ${byOwnKey.join(', ')}.`)
    out.say(`On the coordinator: ${local.join(', ')}.`)
    out.say(placed.length === 0 ? 'Nothing to do.' : `Just distributed: ${placed.join(', ')}.`)
  } finally {
    await end()
  }
}
