// The command line: all commands, their shared options, and the exit code.

import { Command, CommanderError, Help, type Option } from 'commander'
import { describeVersion, shippedFile } from '../kit/settings/installation.js'
import { addAccountCommands } from './account-commands.js'
import { addCarrierCommands } from './carrier/carrier-commands.js'
import { examples } from './command.js'
import { addCompletionCommand } from './completion/completion-command.js'
import { addCustomerCommands } from './customer/customer-commands.js'
import { addDataCommands } from './data-commands.js'
import { addDistributeCommand } from './distribute-command.js'
import { addDoctorCommand } from './doctor/doctor-command.js'
import { asFailure, EXIT_OK, EXIT_USAGE, showFailure } from './failure.js'
import { addMigrateCommand } from './migrate-command.js'
import { addNumberCommands } from './number-commands.js'
import { addOversightCommands } from './oversight-commands.js'
import { addQuotaCommands } from './quota-commands.js'
import { addReviewCommands } from './review-commands.js'
import { addSmppCommands } from './smpp-commands.js'
import { addSmscCommand } from './smsc-command.js'
import { addSupportCommands } from './support-commands.js'
import { addTokenCommands } from './token-commands.js'
import { addUserCommands } from './user-commands.js'
import { addVoiceCommands } from './voice-commands.js'

/** Provided by main.ts, which can load the service. */
export interface ProgramDeps {
  serve: () => Promise<void>
}

const AFTER = `
Commands with --url and --token are customer commands. They send requests to a running service: --url and
--token, else LONGCODE_URL and LONGCODE_TOKEN, else the sandbox. Operator commands (all others except
smsc and completion, and those with --operator) use the database: DATABASE_URL, else that of the sandbox. The service does
not have to be running.

Exit codes: 0 success, 1 failure, 2 usage error.
Documentation: ${shippedFile('docs')}
${examples('serve', 'account create "Acme Coffee" --credit 50', 'doctor')}`

const PLAIN_HELP = new Help()

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

function createProgram({ serve }: ProgramDeps): Command {
  const program = new Command('longcode')
    .description('Self-hosted business messaging.')
    .option('--json', 'print results as JSON')
    .option('-V, --version', 'print the version and the commit')
    .on('option:version', showVersion)
    .addHelpText('after', AFTER)
  program
    .command('serve')
    .description('start the service (without settings: a sandbox with its own database)')
    .addHelpText('after', examples('serve'))
    .action(serve)
  addMigrateCommand(program)
  addDistributeCommand(program)
  addAccountCommands(program)
  addTokenCommands(program)
  addUserCommands(program)
  addQuotaCommands(program)
  addSmppCommands(program)
  addReviewCommands(program)
  addNumberCommands(program)
  addCustomerCommands(program)
  addOversightCommands(program)
  addSupportCommands(program)
  addCarrierCommands(program)
  addVoiceCommands(program)
  addDataCommands(program)
  addDoctorCommand(program)
  addSmscCommand(program)
  addCompletionCommand(program)
  shareSettings(program)
  return program
}

/** Commander's own option would look up the commit for every command. */
function showVersion(): never {
  const version = describeVersion()
  process.stdout.write(`${version}\n`)
  throw new CommanderError(EXIT_OK, 'commander.version', version)
}

/** Commander copies these settings to commands when they are created, so set them last, on all commands. */
function shareSettings(command: Command): void {
  command.exitOverride().showHelpAfterError('Run with --help for usage.').configureHelp({
    showGlobalOptions: true,
    optionDescription: describeOption,
    commandUsage: describeUsage,
  })
  for (const inner of command.commands) shareSettings(inner)
}

/** Marks an option that the command cannot do without. */
function describeOption(option: Option): string {
  const description = PLAIN_HELP.optionDescription(option)
  return option.mandatory ? `${description} (required)` : description
}

/** Required options first, as a person would type them. */
function describeUsage(command: Command): string {
  const required = command.options.filter(({ mandatory }) => mandatory)
  const usage = PLAIN_HELP.commandUsage(command)
  if (required.length === 0) return usage
  return usage.replace('[options]', [...required.map(({ flags }) => flags), '[options]'].join(' '))
}
