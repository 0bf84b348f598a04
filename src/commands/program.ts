// The command line: all commands, their shared options, and the exit code.

import { Command, CommanderError } from 'commander'
import { addAccountCommands } from './account-commands.js'
import { addCarrierCommands } from './carrier/carrier-commands.js'
import { action, examples } from './command.js'
import { addDataCommands } from './data-commands.js'
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

/** Provided by main.ts, which can load the service. */
export interface ProgramDeps {
  version: string
  serve: () => Promise<void>
}

const AFTER = `
Customer commands (number, send, inbound, call, listen) send requests to a running service: --url and
--token, else LONGCODE_URL and LONGCODE_TOKEN, else the sandbox. Operator commands (all others except
smsc) use the database: DATABASE_URL, else that of the sandbox. The service does not have to be running.

Exit codes: 0 success, 1 failure, 2 usage error.
${examples('serve', 'account create "Acme Coffee" --credit 50', 'doctor')}`

/** Runs one command and returns the exit code. */
export async function runProgram(argv: readonly string[], deps: ProgramDeps): Promise<number> {
  const program = createProgram(deps)
  try {
    await program.parseAsync([...argv])
    return EXIT_OK
  } catch (error) {
    // Commander has already printed the usage error or the help.
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
    .description('start the service (without settings: a sandbox with its own database)')
    .addHelpText('after', examples('serve'))
    .action(serve)
  program
    .command('migrate')
    .description('run database migrations')
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
  addDataCommands(program)
  addDoctorCommand(program)
  addSmscCommand(program)
  shareSettings(program)
  return program
}

/** Commander copies these settings to commands when they are created, so set them last, on all commands. */
function shareSettings(command: Command): void {
  command
    .exitOverride()
    .showHelpAfterError('Run with --help for usage.')
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
