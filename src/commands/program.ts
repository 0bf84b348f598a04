// The command line, put together: every command, the options that all share, and how it ends.

import { Command, CommanderError } from 'commander'
import { addAccountCommands } from './account-commands.js'
import { addCareCommands } from './care-commands.js'
import { addCarrierCommands } from './carrier/carrier-commands.js'
import { action, examples } from './command.js'
import { addDistributeCommand } from './distribute-command.js'
import { addDoctorCommand } from './doctor/doctor-command.js'
import { asFailure, EXIT_OK, EXIT_USAGE, showFailure } from './failure.js'
import { addListenCommand } from './listen-command.js'
import { addMessageCommands } from './message-commands.js'
import { addNumberCommands } from './number-commands.js'
import type { Output } from './output.js'
import { addOversightCommands } from './oversight-commands.js'
import { addReviewCommands } from './review-commands.js'
import { addSmppCommands } from './smpp-commands.js'
import { addSmscCommand } from './smsc-command.js'
import { addTokenCommands } from './token-commands.js'
import { addVoiceCommands } from './voice-commands.js'

/** What only the top of the house can do. */
export interface ProgramDeps {
  version: string
  serve: () => Promise<void>
}

const AFTER = `
Customers' commands (number, send, inbound, call, listen) call a running service: --url and --token, or
LONGCODE_URL and LONGCODE_TOKEN, or the sandbox's own. All others work on the database: DATABASE_URL,
or the sandbox's own, whether the service runs or not; smsc stands alone.

Exit codes: 0 done, 1 failed, 2 not understood.
${examples('serve', 'account create "Acme Coffee" --credit 50', 'doctor')}`

/** Runs one command and answers with the exit code. */
export async function runProgram(argv: readonly string[], deps: ProgramDeps): Promise<number> {
  const program = createProgram(deps)
  try {
    await program.parseAsync([...argv])
    return EXIT_OK
  } catch (error) {
    // Commander has said what it did not understand, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE
    const failure = asFailure(error)
    showFailure(failure, argv.includes('--json'))
    return failure.exitCode
  }
}

function createProgram({ version, serve }: ProgramDeps): Command {
  const program = new Command('longcode')
    .description('Self-hosted business messaging.')
    .version(version)
    .option('--json', 'print results as JSON')
    .addHelpText('after', AFTER)
  program
    .command('serve')
    .description('start the service (without settings: the sandbox, with its own database)')
    .addHelpText('after', examples('serve'))
    .action(serve)
  program
    .command('migrate')
    .description('bring the database up to date')
    .addHelpText('after', examples('migrate'))
    .action(action(migrateDatabase))
  addDistributeCommand(program)
  addAccountCommands(program)
  addTokenCommands(program)
  addSmppCommands(program)
  addReviewCommands(program)
  addNumberCommands(program)
  addMessageCommands(program)
  addListenCommand(program)
  addOversightCommands(program)
  addCarrierCommands(program)
  addVoiceCommands(program)
  addCareCommands(program)
  addDoctorCommand(program)
  addSmscCommand(program)
  shareSettings(program)
  return program
}

/** Commander copies these to commands when they are made, so they are set last, on all. */
function shareSettings(command: Command): void {
  command
    .exitOverride()
    .showHelpAfterError('(add --help for what is possible)')
    .configureHelp({ showGlobalOptions: true })
  for (const inner of command.commands) shareSettings(inner)
}

async function migrateDatabase(out: Output): Promise<void> {
  const { readConfig } = await import('../kit/config.js')
  const { migrate } = await import('../kit/postgres/migrate.js')
  const { explainDatabase, openCommandDatabase } = await import('./operator-world.js')
  const { url, db, end } = await openCommandDatabase(readConfig(), out.note, { mayCreate: true })
  try {
    const applied = await migrate(db).catch((error) => {
      throw explainDatabase(error, url)
    })
    out.json({ applied })
    out.say(applied.length === 0 ? 'Nothing to do.' : `Applied: ${applied.join(', ')}`)
  } finally {
    await end()
  }
}
